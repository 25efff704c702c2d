import type { Who } from '../../core/actor';
import type { JsonObject } from '../../core/json';
import type { Change, Document, DocumentRef } from '../../state/documents';
import { closeAnswered, countSatisfied, satisfiedChange } from './approvals';
import type { Requirement, RequirementsConfig, Scope } from './section';
import { followsSession, type Satisfaction } from './state';

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

/** Where and for whom something is satisfied. */
export interface SatisfyContext {
  readonly branch: string;
  readonly project: string;
  /** Seconds since the epoch. */
  readonly now: number;
  /** Absent if it counts for every session of the branch. */
  readonly session?: { readonly id: string; readonly key: string } | undefined;
  readonly by: Who;
  readonly ttl?: number | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** Must be called under the lock, because the content of the files decides which of them are changed. */
export function satisfyingChanges(
  done: readonly Satisfied[],
  how: SatisfyContext,
  lookUp: (ref: DocumentRef) => Document,
): Change[] {
  const { branch, project, now, session } = how;
  const owner = { branch, project, now };
  const changeFor = (one: Satisfied): Change =>
    satisfiedChange(one, satisfactionOf(one, how), owner, session, lookUp);
  const isDone = ({ rule, session: whose }: { rule: string; session: string }): boolean =>
    done.some(({ name }) => name === rule) && (session === undefined || whose === session.key);
  const changes = [...done.map(changeFor), closeAnswered(isDone)];
  if (session === undefined) return changes;
  const satisfied = done.map((one) => ({ ...one, by: wayOf(one.approvedFor, one.bypassed) }));
  return [...changes, countSatisfied(satisfied, session, owner)];
}

function satisfactionOf(
  { approvedFor, approvalTtl, bypassed }: Satisfied,
  how: SatisfyContext,
): Satisfaction {
  const ttl = approvedFor ?? how.ttl ?? (how.by.actor === 'person' ? approvalTtl : undefined);
  return {
    by: wayOf(approvedFor, bypassed),
    at: how.now,
    actor: how.by.actor,
    channel: how.by.channel,
    ...(ttl !== undefined && { expiresAt: how.now + ttl }),
    ...((how.metadata ?? bypassed) && { metadata: { ...bypassed, ...how.metadata } }),
  };
}

function wayOf(approvedFor: number | undefined, bypassed: JsonObject | undefined): string {
  if (approvedFor !== undefined) return 'approval';
  return bypassed === undefined ? 'cli' : 'cli_bypass';
}
