import type { Document, DocumentRef } from '../../core/document';
import { matchesName } from '../../core/glob';
import type { Json, JsonObject } from '../../core/json';
import type { LiveSession } from '../../core/snapshot';
import type { Requirement, RequirementsConfig, Scope } from './config';
import { type Findings, findingsOf } from './standing';
import { entryIn, isSatisfied, isTriggered, migrateKeys, sessionIn } from './state';
import { branchFile, PROJECT_FILE, satisfiedIn, VALUES_FILE } from './view';

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
  /** What a dynamic requirement was last found to be, however long ago, beside what it may be. */
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
  /** The session's key; empty where only what is everybody's counts. */
  readonly session: string;
  readonly sessions: readonly LiveSession[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** How the requirements stand, seen from one session on one branch. Nothing is run for it: values are the last known. */
export function requirementStatuses(
  config: RequirementsConfig,
  from: Standpoint,
  read: (ref: DocumentRef) => Document,
): RequirementStatus[] {
  const onBranch = migrateKeys(present(read(branchFile(from.branch, read))));
  const inProject = present(read(PROJECT_FILE));
  const now = Math.floor(from.now / 1000);
  const findings = findingsOf(undefined, present(read(VALUES_FILE)), config.requirements, from.branch, now);
  return config.requirements.map((requirement) => {
    const { name, type, scope, place, skill } = requirement;
    const applies = isInForce(requirement, from, findings);
    const entry = entryIn(onBranch, name);
    const own = sessionIn(entry, from.session);
    const said = satisfiedIn(requirement, onBranch, inProject, from.session, now);
    const approved = type === 'dynamic' && isSatisfied(own, now);
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
      ...expiryOf([own, entry], now),
    };
  });
}

/** A condition or a value is a fact about the moment: where it does not hold, there is nothing to satisfy. */
function isInForce(requirement: Requirement, from: Standpoint, findings: Findings): boolean {
  switch (requirement.type) {
    case 'blocking':
      return true;
    case 'dynamic': {
      const computed = findings.value(requirement.name);
      return computed?.kind === 'value' && computed.value >= requirement.block;
    }
    case 'condition':
      return conditionHolds(requirement, from);
  }
}

function conditionHolds(requirement: Extract<Requirement, { type: 'condition' }>, from: Standpoint): boolean {
  switch (requirement.condition) {
    case 'protected_branch':
      return requirement.branches.some((pattern) => matchesName(pattern, from.branch));
    case 'single_session':
      return startedLater(from);
  }
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

/** Of several sessions in a project only the later ones are held. */
function startedLater({ sessions, session, projectRoot }: Standpoint): boolean {
  const here = sessions.filter((one) => one.alive && one.projectDir === projectRoot);
  const own = here.find((one) => one.id === session)?.startedAt ?? Number.POSITIVE_INFINITY;
  return here.some((one) => one.startedAt < own || (one.startedAt === own && one.id < session));
}

function expiryOf(holders: readonly JsonObject[], now: number): { expiresAt?: number } {
  const at = holders.find((holder) => isSatisfied(holder, now))?.['expires_at'];
  return typeof at === 'number' ? { expiresAt: at } : {};
}

function present(document: Document): Json | undefined {
  return document.kind === 'present' ? document.value : undefined;
}
