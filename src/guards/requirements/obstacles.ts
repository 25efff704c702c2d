import { matchesName } from '../../core/glob';
import type { Snapshot } from '../../core/snapshot';
import type { DynamicRequirement, Requirement } from './config';
import * as say from './facts';
import type { Findings, Inquiry } from './findings';
import type { Obstacle } from './messages';
import { entryIn, isSatisfied, sessionIn } from './state';
import type { View } from './view';

/** What is known when requirements are judged. */
export interface Judging {
  readonly view: View;
  readonly snapshot: Snapshot;
  readonly findings: Findings;
  /** What is held, as a fact names it: the tool, or the turn. */
  readonly subject: string;
}

/** How one requirement stands. */
export type Standing =
  | { readonly kind: 'clear' }
  | ({ readonly kind: 'obstacle' } & Obstacle)
  /** It holds nobody yet, but comes near its limit. */
  | { readonly kind: 'near'; readonly requirement: DynamicRequirement; readonly fact: string }
  /** It cannot be told without running something. */
  | { readonly kind: 'open'; readonly requirement: Requirement }
  /** It was tried, and could not be told; nobody is held for that. */
  | { readonly kind: 'untold'; readonly requirement: Requirement; readonly why: string };

/** The only one of its kind: nothing stands in the way. */
export const CLEAR: Standing = { kind: 'clear' };

export function standingOf(requirement: Requirement, judging: Judging): Standing {
  switch (requirement.type) {
    case 'blocking':
      return blockingStanding(requirement, judging);
    case 'condition':
      return conditionStanding(requirement, judging);
    case 'dynamic':
      return dynamicStanding(requirement, judging);
  }
}

/** What has to be found out before these requirements can be judged; nothing when all can be. */
export function inquiryFor(open: readonly Requirement[], branch: string): Inquiry {
  return {
    branch,
    values: open.flatMap((one) =>
      one.type === 'dynamic' ? [{ name: one.name, calculator: one.calculator }] : [],
    ),
    evidence: open.flatMap(({ name, type, evidence }) =>
      type === 'blocking' && evidence !== undefined ? [{ name, evidence }] : [],
    ),
  };
}

/** Somebody's word, and where the config asks for it also something to show. */
function blockingStanding(
  requirement: Extract<Requirement, { type: 'blocking' }>,
  { view, findings, subject }: Judging,
): Standing {
  if (!view.isSatisfied(requirement)) {
    return { kind: 'obstacle', requirement, fact: say.unsatisfiedFact(requirement, subject, view.branch) };
  }
  if (requirement.evidence === undefined) return CLEAR;
  const shown = findings.evidence(requirement.name);
  if (shown === undefined) return { kind: 'open', requirement };
  return shown.kind === 'shown'
    ? CLEAR
    : {
        kind: 'obstacle',
        requirement,
        fact: say.evidenceFact(requirement, subject, shown.why),
        remedy: say.evidenceRemedy(shown.why),
      };
}

function conditionStanding(
  requirement: Extract<Requirement, { type: 'condition' }>,
  { view, snapshot, subject }: Judging,
): Standing {
  const fact = conditionFact(requirement, view, snapshot, subject);
  if (fact === undefined || view.isSatisfied(requirement)) return CLEAR;
  return requirement.condition === 'protected_branch'
    ? { kind: 'obstacle', requirement, fact, remedy: say.OTHER_BRANCH }
    : { kind: 'obstacle', requirement, fact };
}

function conditionFact(
  requirement: Extract<Requirement, { type: 'condition' }>,
  view: View,
  snapshot: Snapshot,
  subject: string,
): string | undefined {
  switch (requirement.condition) {
    case 'protected_branch': {
      const isProtected = requirement.branches.some((pattern) => matchesName(pattern, view.branch));
      return isProtected ? say.protectedFact(subject, view.branch) : undefined;
    }
    case 'single_session': {
      const other = earlierSession(snapshot, view);
      return other === undefined ? undefined : say.otherSessionFact(subject, other);
    }
  }
}

/** Only the later session is held, or two would hold each other; of two in one second, the one with the greater key. */
function earlierSession(snapshot: Snapshot, view: View): string | undefined {
  const here = snapshot.sessions.filter((one) => one.alive && one.projectDir === snapshot.projectRoot);
  const own = here.find((one) => one.id === view.session)?.startedAt ?? Number.POSITIVE_INFINITY;
  return here.find((one) => one.startedAt < own || (one.startedAt === own && one.id < view.session))?.id;
}

/** A value below its threshold holds nobody, and an approval counts until it expires. */
function dynamicStanding(
  requirement: Extract<Requirement, { type: 'dynamic' }>,
  { view, findings, subject }: Judging,
): Standing {
  if (view.isSatisfied(requirement) || isApproved(requirement, view)) return CLEAR;
  const computed = findings.value(requirement.name);
  if (computed === undefined) return { kind: 'open', requirement };
  if (computed.kind === 'failed') return { kind: 'untold', requirement, why: computed.why };
  if (computed.kind === 'none') return CLEAR;
  const { block, warn = block } = requirement;
  if (computed.value >= block) {
    return { kind: 'obstacle', requirement, fact: say.tooLargeFact(requirement, subject, computed) };
  }
  return computed.value >= warn
    ? { kind: 'near', requirement, fact: say.nearFact(requirement, computed) }
    : CLEAR;
}

/** An approval stands with the session, whatever scope the requirement has. */
function isApproved({ name }: Requirement, { state, session, owner }: View): boolean {
  return isSatisfied(sessionIn(entryIn(state, name), session), owner.now);
}
