import type { JsonObject } from '../../core/json';
import type { Change, Document, DocumentRef } from '../../state/documents';
import { closeAnswered, type RecordContext, type Recorded, recordChanges } from './approvals';
import type { Requirement, RequirementsConfig, Scope } from './section';
import { followsSession } from './state';

/* What `req satisfy` changes, separate from the command because `holdpoint backtest` replays it too. */

/** What is satisfied. `approvedFor`: seconds until an approval expires. */
export type Satisfied = {
  readonly name: string;
  readonly scope: Scope;
  /** Whether it counts on every branch of the session. */
  readonly follows: boolean;
  readonly approvedFor?: number;
  /** Seconds until it expires if a person satisfies it. */
  readonly approvalTtl?: number;
  /** Metadata to record if a skill should have satisfied it. */
  readonly bypassed?: JsonObject;
};

const BYPASSED: JsonObject = { bypass: true, method: 'cli_manual' };

/** What satisfying these names means. Without a session it counts for every session of the branch. */
export function satisfiedBy(
  names: readonly string[],
  known: readonly Requirement[],
  skills: RequirementsConfig['skills'],
  { isOfSession, ttl }: { readonly isOfSession: boolean; readonly ttl: number | undefined },
): Satisfied[] {
  const bySkill = Object.values(skills).flat();
  return names.map((name) => {
    const requirement = known.find((one) => one.name === name);
    const follows = requirement !== undefined && followsSession(requirement);
    // A value is approved for a limited time, and for a session whatever the scope.
    const scope = isOfSession ? 'session' : requirement?.scope;
    return requirement?.type === 'dynamic'
      ? { name, scope: scope ?? 'session', follows, approvedFor: ttl ?? requirement.approvalTtl }
      : {
          name,
          scope: requirement?.scope ?? 'session',
          follows,
          ...(requirement?.approvalTtl !== undefined && { approvalTtl: requirement.approvalTtl }),
          ...(bySkill.includes(name) && { bypassed: BYPASSED }),
        };
  });
}

/** Must be called under the lock, because the content of the files decides which of them are changed. */
export function satisfyingChanges(
  done: readonly Satisfied[],
  { ttl, metadata, ...how }: SatisfyContext,
  lookUp: (ref: DocumentRef) => Document,
): Change[] {
  const { session, by } = how;
  const recorded = done.map(({ approvedFor, approvalTtl, bypassed, ...one }): Recorded => {
    const end = approvedFor ?? ttl ?? (by.actor === 'person' ? approvalTtl : undefined);
    return {
      ...one,
      way: approvedFor !== undefined ? 'approval' : bypassed === undefined ? 'cli' : 'cli_bypass',
      ...(end !== undefined && { ttl: end }),
      ...((metadata ?? bypassed) && { metadata: { ...bypassed, ...metadata } }),
    };
  });
  const isDone = ({ rule, session: whose }: { rule: string; session: string }): boolean =>
    done.some(({ name }) => name === rule) && (session === undefined || whose === session.key);
  return [...recordChanges(recorded, how, lookUp), closeAnswered(isDone)];
}

/** Where and for whom it is satisfied, for how many seconds, and what to keep with it. */
interface SatisfyContext extends RecordContext {
  readonly ttl?: number | undefined;
  readonly metadata?: JsonObject | undefined;
}
