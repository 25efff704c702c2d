import type { Change } from '../../core/document';
import type { EventOf } from '../../core/event';
import { type Deliberation, outcome, type Step } from '../../core/old-guard';
import { documentIn, type Snapshot } from '../../core/snapshot';
import { NOTHING, type Verdict } from '../../core/verdict';
import { metricsChange, stateChange, valuesChange } from './change';
import type { Requirement, RequirementsConfig } from './config';
import { TURN, triggeredFact } from './facts';
import { type Findings, findingsOf } from './findings';
import * as say from './messages';
import { branchesIn, numberIn, toolUses } from './metrics';
import { inquiryFor, type Standing, standingOf } from './obstacles';
import { withOverride } from './overrides';
import { VALUES_FILE } from './session-files';
import { type View, viewOn } from './view';

interface Judged {
  readonly requirement: Requirement;
  readonly branch: string;
  readonly standing: Standing;
}

/**
 * Holds the end of a turn for what the session has set off and not satisfied, on every branch it has
 * worked on. Once for a prompt: whoever cannot satisfy a requirement must be able to say so and end.
 */
export function atStop(
  event: EventOf<'turn.stop'>,
  config: RequirementsConfig,
  snapshot: Snapshot,
  view: View,
  { effectResult }: Deliberation,
): Step {
  const heldBefore = (snapshot.refusedStops.byGuard.requirements ?? 0) > 0;
  if (view.paused) return outcome(NOTHING);
  if (heldBefore) return outcome(NOTHING, overriding(event, config, snapshot, view));
  const kept = documentIn(snapshot, VALUES_FILE);
  const values = kept.kind === 'present' ? kept.value : undefined;
  const findings = findingsOf(values, effectResult, config.requirements, view.branch, view.owner.now);
  const judged = config.stop.verify
    ? viewsOf(event, snapshot, view).flatMap((one) => judgeBranch(one, view, config, snapshot, findings))
    : [];
  const open = judged
    .filter(({ standing }) => standing.kind === 'open')
    .map(({ requirement }) => requirement);
  if (open.length > 0 && effectResult === undefined) {
    return { kind: 'effect', name: 'gather', input: inquiryFor(open, view.branch) };
  }
  const changes = valuesChange(effectResult, view.owner.now);
  const obstacles = judged.flatMap(({ requirement, branch, standing }): say.Obstacle[] => {
    if (standing.kind !== 'obstacle') return [];
    const elsewhere = branch === view.branch ? {} : { branch };
    return [{ requirement, fact: triggeredFact(requirement, elsewhere.branch), ...elsewhere }];
  });
  if (obstacles.length === 0) return outcome(reviewPrompt(config, view), changes);
  const grounds = obstacles.map((obstacle) => say.groundsFor(obstacle, view));
  return outcome({ kind: 'hold', reason: say.stopText(obstacles, view), grounds }, changes);
}

/** A turn that ends although it was held: the next session hears of it. Nothing is computed for that. */
function overriding(
  event: EventOf<'turn.stop'>,
  config: RequirementsConfig,
  snapshot: Snapshot,
  view: View,
): Change[] {
  const blind: Findings = { value: () => undefined, evidence: () => undefined };
  const names = viewsOf(event, snapshot, view)
    .flatMap((one) => judgeBranch(one, view, config, snapshot, blind))
    .filter(({ standing }) => standing.kind === 'obstacle')
    .map(({ requirement }) => requirement.name);
  if (names.length === 0) return [];
  const override = { session: view.session, names: [...new Set(names)], at: view.owner.now };
  return [
    stateChange(view, `let go of ${names.join(', ')}`, (state) => withOverride(state, override)),
    metricsChange(view, (metrics) => {
      return { ...metrics, stop_overrides: numberIn(metrics, 'stop_overrides') + 1 };
    }),
  ];
}

/** The branch of the moment first, then the others that the session was seen on. */
function viewsOf(event: EventOf<'turn.stop'>, snapshot: Snapshot, view: View): View[] {
  const others = branchesIn(view.metrics).filter((branch) => branch !== view.branch);
  return [view, ...others.flatMap((branch) => viewOn(branch, event, snapshot) ?? [])];
}

/** Conditions and values are facts of the moment, so they are asked of the branch of the moment only. */
function judgeBranch(
  one: View,
  here: View,
  { requirements, stop }: RequirementsConfig,
  snapshot: Snapshot,
  findings: Findings,
): Judged[] {
  return requirements
    .filter(({ type, scope }) => stop.scopes.includes(scope) && (one === here || type === 'blocking'))
    .filter((requirement) => one.isTriggered(requirement))
    .map((requirement) => ({
      requirement,
      branch: one.branch,
      standing: standingOf(requirement, { view: one, snapshot, findings, subject: TURN }),
    }));
}

/** After work that ended well somebody may want to be asked what was learnt. */
function reviewPrompt({ review }: RequirementsConfig, view: View): Verdict {
  if (!review.onStop || toolUses(view.metrics) < review.minToolUses) return NOTHING;
  return { kind: 'advise', toPerson: say.REVIEW_PROMPT, grounds: [] };
}
