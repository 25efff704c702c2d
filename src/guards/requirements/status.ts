import { whoJson } from '../../core/actor';
import type { LiveSession } from '../../core/guard';
import { numberIn } from '../../core/json';
import type { Document, DocumentRef, Layout } from '../../state/documents';
import { metricsFile } from '../../state/sessions';
import { findingsOf, isMet, type Standing, type Surroundings, standingOf } from './judge';
import { nextStep, type Obstacle, wayOf } from './messages';
import type { Requirement, RequirementsConfig } from './section';
import { signatureCheck } from './signed';
import {
  acceptedRecord,
  EVERY_SESSION,
  entryIn,
  followsSession,
  isSatisfied,
  isTriggered,
  migrateKeys,
  sessionIn,
  sessionKeyIn,
} from './state';
import { branchFile, PROJECT_FILE, presentValue, recordedElsewhere, satisfiedIn, VALUES_FILE } from './view';

/** One requirement as `status` shows it. */
export type RequirementStatus = ReturnType<typeof requirementStatuses>[number];

/** The session and branch whose status is shown. */
interface StatusContext {
  readonly projectRoot: string;
  readonly branch: string;
  /** Whether another branch is checked out. */
  readonly isOther?: boolean;
  /** The key of the session's files and its full id; empty to show only what applies to all sessions. */
  readonly session: string;
  readonly sessionId: string;
  readonly sessions: readonly LiveSession[];
  readonly layout: Pick<Layout, 'git'>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The status of the requirements for one session on one branch. Runs nothing: values are the last known. */
export function requirementStatuses(
  config: RequirementsConfig,
  from: StatusContext,
  read: (ref: DocumentRef) => Document,
) {
  const { requirements } = config;
  const onBranch = migrateKeys(presentValue(read(branchFile(from.branch, read))));
  const session = sessionKeyIn(onBranch, from.sessionId, from.session);
  const inProject = presentValue(read(PROJECT_FILE));
  const metrics = from.session === '' ? undefined : presentValue(read(metricsFile(from.session)));
  const now = Math.floor(from.now / 1000);
  const { branch, sessionId } = from;
  const standpoint = { branch, sessionId, now, place: from.layout.git, hubKey: config.hubKey };
  const isSigned = signatureCheck(read, standpoint);
  const known = presentValue(read(VALUES_FILE));
  const findings = findingsOf(undefined, known, requirements, from.branch, now);
  const around = { ...from, sessions: () => from.sessions };
  return requirements.map((requirement) => {
    const { name, type, scope, place, skill, mode = 'hold' } = requirement;
    const found = findings(name);
    const value = type === 'dynamic' && found?.kind === 'value' ? found.value : undefined;
    const applies = isInForce(requirement, around, value);
    const entry = entryIn(onBranch, name);
    const own = sessionIn(entry, session);
    const elsewhere = recordedElsewhere(requirement, { ...from, key: from.session, metrics }, read, isSigned);
    const said =
      satisfiedIn(requirement, onBranch, inProject, { session, branch, now, isSigned, metrics }) ||
      isSatisfied(elsewhere, now);
    const mine = acceptedRecord(requirement, session, own, isSigned);
    const approved = type === 'dynamic' && isSatisfied(mine, now);
    const isDone = said || approved;
    const holder = [
      mine,
      acceptedRecord(requirement, branch, entry, isSigned),
      acceptedRecord(requirement, EVERY_SESSION, entryIn(inProject, name), isSigned),
      elsewhere,
    ].find((one) => isSatisfied(one, now));
    const standing = standingOf(requirement, isDone, found, around);
    const { kind } = standing;
    const unknown = kind === 'unknown' ? standing.why : undefined;
    const obstacle = obstacleFor(requirement, standing, from);
    return {
      name,
      mode,
      type,
      scope,
      /** Nothing is left to do: it is satisfied, or does not apply here. */
      satisfied: kind === 'done',
      isOpen: kind === 'open',
      /** Why it is not known whether something is left to do. */
      unknown,
      /** False while its condition is not met, for example if the current branch is not protected. */
      applies,
      triggered: isTriggered(entry, scope, session),
      /** Whether the end of a turn is held for it once it is triggered. */
      isVerified: isVerified(requirement, config),
      place,
      skill,
      /** Whether the agent may record it by itself. */
      isRecorded: wayOf(obstacle, { config }) === 'record',
      /** What to do about it while it is not satisfied. */
      next: unknown ?? nextStep(obstacle, { config, session: from.session }),
      /** The last known value of a dynamic requirement, however old. */
      value,
      /** The values from which on it holds, and from which on the agent is warned. */
      ...(type === 'dynamic' ? { threshold: requirement.block, warn: requirement.warn } : {}),
      /** Seconds since the epoch at which the satisfaction ends. */
      expiresAt: numberIn(holder, 'expires_at'),
      /** Who satisfied it and how; `undefined` while nobody has. */
      by: isDone ? whoJson(holder) : undefined,
    };
  });
}

function obstacleFor(
  requirement: Requirement,
  standing: Standing,
  { branch, isOther = false }: StatusContext,
): Obstacle {
  return {
    requirement,
    fact: '',
    ...(isOther && !followsSession(requirement) && { branch }),
    ...('remedy' in standing && standing.remedy !== undefined && { remedy: standing.remedy }),
  };
}

function isVerified({ scope }: Requirement, { stop }: RequirementsConfig): boolean {
  return stop.verify && stop.scopes.includes(scope);
}

/** A condition or value that does not hold at the moment leaves nothing to satisfy. */
function isInForce(requirement: Requirement, around: Surroundings, value: number | undefined): boolean {
  if (requirement.type === 'blocking') return true;
  if (requirement.type === 'dynamic') return value !== undefined && value >= requirement.block;
  return isMet(requirement, around);
}
