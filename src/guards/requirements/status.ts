import { whoJson } from '../../core/actor';
import type { LiveSession } from '../../core/guard';
import { numberIn } from '../../core/json';
import type { Document, DocumentRef, Layout } from '../../state/documents';
import { metricsFile } from '../../state/sessions';
import { findingsOf, openObstacle, type Surroundings, standingOf, whyUnknown } from './judge';
import { nextStep, wayOf } from './messages';
import type { Requirement, RequirementsConfig } from './section';
import { signatureCheck } from './signed';
import { entryIn, followsSession, isTriggered, migrateKeys, sessionKeyIn } from './state';
import { branchFile, PROJECT_FILE, presentValue, satisfactionOf, VALUES_FILE } from './view';

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
  const { requirements, stop } = config;
  const { branch, session: key, sessionId, projectRoot: project } = from;
  const now = Math.floor(from.now / 1000);
  const state = migrateKeys(presentValue(read(branchFile(branch, read))));
  const place = { branch, sessionId, now, place: from.layout.git, hubKey: config.hubKey };
  const standpoint = {
    ...{ branch, sessionId, key, now, state, read },
    session: sessionKeyIn(state, sessionId, key),
    inProject: presentValue(read(PROJECT_FILE)),
    metrics: key === '' ? undefined : presentValue(read(metricsFile(key))),
    isSigned: signatureCheck(read, place),
  };
  const isApproved = (one: Requirement): boolean => satisfactionOf(one, standpoint) !== undefined;
  const ctx = { sessions: () => from.sessions };
  const around: Surroundings = {
    ctx,
    branch,
    project,
    sessionId,
    isSatisfied: isApproved,
    onBranch: () => around,
  };
  const findings = findingsOf(undefined, presentValue(read(VALUES_FILE)), requirements, branch, now);
  return requirements.map((requirement) => {
    const { name, type, scope, place, skill, mode = 'hold' } = requirement;
    const found = findings(name);
    const value = type === 'dynamic' && found?.kind === 'value' ? found.value : undefined;
    const holder = satisfactionOf(requirement, standpoint);
    const standing = standingOf(requirement, around, found);
    const unknown = whyUnknown(requirement, standing);
    const isOpen = standing.kind === 'open';
    const obstacle = {
      ...(openObstacle(requirement, standing) ?? { requirement, fact: '' }),
      ...(from.isOther && !followsSession(requirement) && { branch }),
    };
    return {
      name,
      mode,
      type,
      scope,
      /** Nothing is left to do: it is satisfied, or does not apply here. */
      satisfied: !isOpen && unknown === undefined,
      isOpen,
      /** Why it is not known whether something is left to do. */
      unknown,
      /** False while its condition is not met, for example if the current branch is not protected. */
      applies: standingOf(requirement, { ...around, isSatisfied: () => false }, found).kind === 'open',
      triggered: isTriggered(entryIn(state, name), scope, standpoint.session),
      /** Whether the end of a turn is held for it once it is triggered. */
      isVerified: stop.verify && stop.scopes.includes(scope),
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
      by: holder && whoJson(holder),
      /** What satisfies it, as it is recorded. */
      record: holder ?? {},
    };
  });
}
