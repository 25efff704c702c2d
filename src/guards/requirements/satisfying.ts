import type { Who } from '../../core/actor';
import type { JsonObject } from '../../core/json';
import type { Change, Document, DocumentRef } from '../../state/documents';
import { closeAnswered, countSatisfied, satisfiedChange } from './approvals';
import type { Requirement, RequirementsConfig, Scope } from './section';
import { followsSession, type Satisfaction } from './state';

/* What `req satisfy` changes, apart from the command: past sessions are played by it too. */

/** What is satisfied; `approvedFor` has the seconds of an approval that expires. */
export type Satisfied = {
  readonly name: string;
  readonly scope: Scope;
  /** Whether it counts on every branch of the session. */
  readonly follows: boolean;
  readonly approvedFor?: number;
  /** What is noted where a skill should have satisfied it. */
  readonly bypassed?: JsonObject;
};

const BYPASSED: JsonObject = { bypass: true, method: 'cli_manual' };

/** What satisfying these names means. Without a session it counts for every session of a branch. */
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
    // A requirement with a computed value is approved for a while, and only for the session.
    return requirement?.type === 'dynamic' && isOfSession
      ? { name, scope: 'session', follows, approvedFor: ttl ?? requirement.approvalTtl }
      : {
          name,
          scope: requirement?.scope ?? 'session',
          follows,
          ...(bySkill.includes(name) && { bypassed: BYPASSED }),
        };
  });
}

/** Where and for whom something is satisfied. */
export interface Satisfying {
  readonly branch: string;
  readonly project: string;
  /** Seconds since the epoch. */
  readonly now: number;
  /** Absent where it counts for every session of the branch. */
  readonly session?: { readonly id: string; readonly key: string } | undefined;
  readonly by: Who;
  readonly ttl?: number | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** The changes that satisfying makes. The files are chosen by what is in them, so this is called under the lock. */
export function satisfyingChanges(
  done: readonly Satisfied[],
  how: Satisfying,
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

function satisfactionOf({ approvedFor, bypassed }: Satisfied, how: Satisfying): Satisfaction {
  const ttl = approvedFor ?? how.ttl;
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
