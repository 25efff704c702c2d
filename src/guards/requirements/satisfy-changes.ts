import type { JsonObject } from '../../core/json';
import type { Change, Document, DocumentRef } from '../../state/documents';
import { closeAnswered, type RecordContext, type Recorded, recordChanges } from './approvals';
import type { Requirement, RequirementsConfig } from './section';
import { followsSession } from './state';

/* What `req satisfy` changes, separate from the command because `holdpoint backtest` replays it too. */

/** Metadata to record if a skill should have satisfied it. */
const BYPASSED: JsonObject = { bypass: true, method: 'cli_manual' };

/** Where and for whom it is satisfied, for how many seconds, and what to keep with it. */
interface SatisfyContext extends RecordContext {
  readonly ttl?: number | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** What satisfying these names means. Without a session it counts for every session of the branch. */
export function satisfiedBy(
  names: readonly string[],
  known: readonly Requirement[],
  skills: RequirementsConfig['skills'],
  { session, by, ttl, metadata }: SatisfyContext,
): Recorded[] {
  const bySkill = Object.values(skills).flat();
  return names.map((name) => {
    const requirement = known.find((one) => one.name === name);
    const { scope = 'session', type, approvalTtl } = requirement ?? {};
    const one = { name, follows: requirement !== undefined && followsSession(requirement) };
    const kept = (all: JsonObject | undefined) => all && { metadata: all };
    // A value is approved for a limited time, and for a session whatever the scope.
    if (type === 'dynamic') {
      const end = ttl ?? approvalTtl ?? 0;
      return { ...one, scope: session ? 'session' : scope, way: 'approval', ttl: end, ...kept(metadata) };
    }
    const end = ttl ?? (by.actor === 'person' ? approvalTtl : undefined);
    const limited = { ...one, scope, ...(end !== undefined && { ttl: end }) };
    return bySkill.includes(name)
      ? { ...limited, way: 'cli_bypass', ...kept({ ...BYPASSED, ...metadata }) }
      : { ...limited, way: 'cli', ...kept(metadata) };
  });
}

/** Must be called under the lock, because the content of the files decides which of them are changed. */
export function satisfyingChanges(
  done: readonly Recorded[],
  how: RecordContext,
  lookUp: (ref: DocumentRef) => Document,
): Change[] {
  const { session } = how;
  const isDone = ({ rule, session: whose }: { rule: string; session: string }): boolean =>
    done.some(({ name }) => name === rule) && (session === undefined || whose === session.key);
  return [...recordChanges(done, how, lookUp), closeAnswered(isDone)];
}
