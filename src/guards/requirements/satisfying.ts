import type { Who } from '../../core/actor';
import type { JsonObject } from '../../core/json';
import { metricsFile } from '../../core/session-files';
import { sessionKey } from '../../core/text';
import type { Change, Document, DocumentRef } from '../../state/documents';
import { closeAnswered } from './approvals';
import type { Requirement, RequirementsConfig, Scope } from './section';
import {
  followsSession,
  migrateKeys,
  type Satisfaction,
  satisfyRoot,
  satisfySession,
  sessionKeyIn,
} from './state';
import { branchFile, PROJECT_FILE, satisfiedMetrics } from './view';

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
  const changeFor = (one: Satisfied): Change => {
    const { name, scope } = one;
    const satisfaction = satisfactionOf(one, how);
    return {
      document: scope === 'permanent' && session !== undefined ? PROJECT_FILE : branchFile(branch, lookUp),
      what: `satisfied ${name}`,
      apply: (current) => {
        const shared = session === undefined ? 'branch' : scope;
        if (session === undefined || shared === 'branch' || shared === 'permanent')
          return satisfyRoot(current, owner, name, shared, satisfaction);
        const key = sessionKeyIn(migrateKeys(current), session.id, session.key);
        // Whose it is, where more than the usual key is known.
        const whole = session.id === sessionKey(session.id) ? owner : { ...owner, sessionId: session.id };
        return satisfySession(current, whole, name, scope, key, satisfaction);
      },
    };
  };
  const isDone = ({ rule, session: whose }: { rule: string; session: string }): boolean =>
    done.some(({ name }) => name === rule) && (session === undefined || whose === session.key);
  const changes = [...done.map(changeFor), closeAnswered(isDone)];
  return session === undefined ? changes : [...changes, countSatisfied(done, session, owner)];
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

/** Adds to the counts of the session, which tell where else to look for what follows it. */
function countSatisfied(
  done: readonly Satisfied[],
  { key, id: sessionId }: { readonly id: string; readonly key: string },
  owner: { readonly branch: string; readonly project: string; readonly now: number },
): Change {
  const satisfied = done.map(({ name, follows, approvedFor, bypassed }) => {
    return { name, follows, by: wayOf(approvedFor, bypassed) };
  });
  return {
    document: metricsFile(key),
    what: 'session counts',
    apply: (counts) => satisfiedMetrics(counts, { ...owner, key, sessionId }, satisfied),
  };
}
