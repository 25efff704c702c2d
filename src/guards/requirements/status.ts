import type { Document, DocumentRef } from '../../core/document';
import { matchesName } from '../../core/glob';
import type { LiveSession } from '../../core/guard';
import type { Requirement, RequirementsConfig, Scope } from './config';
import { earlierSession, type Findings, findingsOf } from './standing';
import { entryIn, isSatisfied, isTriggered, migrateKeys, sessionIn } from './state';
import { branchFile, PROJECT_FILE, presentValue, satisfiedIn, VALUES_FILE } from './view';

/** One requirement as `status` shows it. */
export type RequirementStatus = {
  readonly name: string;
  readonly type: Requirement['type'];
  readonly scope: Scope;
  /** Nothing is left to do: somebody said so, or it asks for nothing here. */
  readonly satisfied: boolean;
  /** False where its condition does not hold, such as a protected branch on another one. */
  readonly applies: boolean;
  readonly triggered: boolean;
  readonly place: string;
  readonly skill?: string;
  /** The last known value of a dynamic requirement, however old, and the value from which on it holds. */
  readonly value?: number;
  readonly threshold?: number;
  /** From which value on the agent is warned. */
  readonly warn?: number;
  /** Seconds since the epoch at which the satisfaction ends. */
  readonly expiresAt?: number;
};

/** Whose status is asked for, and where. */
export interface Standpoint {
  readonly projectRoot: string;
  readonly branch: string;
  /** The session's key; empty where only what counts for all sessions is shown. */
  readonly session: string;
  readonly sessions: readonly LiveSession[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The status of the requirements for one session on one branch. Nothing is run for it: values are the last known. */
export function requirementStatuses(
  config: RequirementsConfig,
  from: Standpoint,
  read: (ref: DocumentRef) => Document,
): RequirementStatus[] {
  const onBranch = migrateKeys(presentValue(read(branchFile(from.branch, read))));
  const inProject = presentValue(read(PROJECT_FILE));
  const now = Math.floor(from.now / 1000);
  const findings = findingsOf(
    undefined,
    presentValue(read(VALUES_FILE)),
    config.requirements,
    from.branch,
    now,
  );
  return config.requirements.map((requirement) => {
    const { name, type, scope, place, skill } = requirement;
    const applies = isInForce(requirement, from, findings);
    const entry = entryIn(onBranch, name);
    const own = sessionIn(entry, from.session);
    const said = satisfiedIn(requirement, onBranch, inProject, from.session, now);
    const approved = type === 'dynamic' && isSatisfied(own, now);
    const expires = [own, entry].find((holder) => isSatisfied(holder, now))?.['expires_at'];
    return {
      name,
      type,
      scope,
      satisfied: !applies || ((said || approved) && findings.evidence(name)?.kind !== 'lacking'),
      applies,
      triggered: isTriggered(entry, scope, from.session),
      place,
      ...(skill !== undefined && { skill }),
      ...measured(requirement, findings),
      ...(typeof expires === 'number' && { expiresAt: expires }),
    };
  });
}

/** A condition or a value is a fact of the moment: where it does not hold, there is nothing to satisfy. */
function isInForce(requirement: Requirement, from: Standpoint, findings: Findings): boolean {
  if (requirement.type === 'blocking') return true;
  if (requirement.type === 'dynamic') {
    const computed = findings.value(requirement.name);
    return computed?.kind === 'value' && computed.value >= requirement.block;
  }
  if (requirement.condition === 'protected_branch') {
    return requirement.branches.some((pattern) => matchesName(pattern, from.branch));
  }
  return earlierSession(from.sessions, from.projectRoot, from.session) !== undefined;
}

function measured(
  requirement: Requirement,
  findings: Findings,
): Pick<RequirementStatus, 'value' | 'threshold' | 'warn'> {
  if (requirement.type !== 'dynamic') return {};
  const computed = findings.value(requirement.name);
  return {
    threshold: requirement.block,
    ...(requirement.warn !== undefined && { warn: requirement.warn }),
    ...(computed?.kind === 'value' && { value: computed.value }),
  };
}
