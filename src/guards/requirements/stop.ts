import { NOTHING, type Verdict } from '../../core/verdict';
import type { Breach } from './breaches';
import { type Evaluation, evaluateRequirement, type Findings, obstaclesIn, withFindings } from './judge';
import * as say from './messages';
import { usePasses } from './passes';
import type { Requirement } from './section';
import * as states from './state';
import { changeState, countUp, hasRulesForPeople, isJudgedAfter, type View, viewsOf } from './view';

/**
 * Holds the end of a turn for what the session has triggered and not satisfied, on every branch where it worked. Only
 * once per prompt: an agent that cannot satisfy a requirement must be able to say so and end.
 */
export async function atStop(given: View): Promise<Verdict> {
  const { ctx, config } = given;
  const effectRules = isJudgedAfter(config) ? ctx.part('effect-rules') : undefined;
  const done = (await effectRules?.breaches.findBreaches(given)) ?? [];
  // A rule for the end of a turn forbids nothing before it: what a script has done only triggers it.
  const found = done.filter(({ requirement }) => !requirement.stopOnly);
  const triggering = done.flatMap(({ requirement }) => (requirement.stopOnly ? [requirement.name] : []));
  const isTriggered = (rule: Requirement): boolean =>
    triggering.includes(rule.name) || given.isTriggered(rule);
  const view: View = { ...given, isTriggered };
  const judge = (findings: Findings): Evaluation[] =>
    viewsOf(view).flatMap((one) => judgeBranch(one, one === view, findings));
  if ((ctx.refusedStops.byGuard.requirements ?? 0) > 0) {
    // No value is computed for a turn that ends anyway.
    noteOverride([...obstaclesIn(judge(() => undefined)), ...found], view);
    renewSnapshot(view);
    return breachVerdict(found, 'releasedBreachNote', view);
  }
  if (config.stop.verify)
    ctx.asked(
      viewsOf(view)
        .flatMap((one) => verifiedIn(one, one === view))
        .map(({ name }) => name),
    );
  const obstacles = say.distinct(obstaclesIn(config.stop.verify ? await withFindings(view, judge) : []));
  const held = config.stop.verify ? found : [];
  if (obstacles.length + held.length > 0) return heldStop(obstacles, held, view);
  renewSnapshot(view);
  return breachVerdict(found, 'breachNote', view);
}

function heldStop(obstacles: readonly say.Obstacle[], found: readonly Breach[], view: View): Verdict {
  const { config, ctx } = view;
  const effectRules = found.length > 0 ? ctx.part('effect-rules').say : undefined;
  const people = hasRulesForPeople(config) ? ctx.part('people').channels : undefined;
  const texts = [
    ...(effectRules === undefined ? [] : [effectRules.breachStopText(found, view)]),
    ...(obstacles.length > 0 ? [say.stopText(obstacles, view)] : []),
  ];
  const grounds = [
    ...(effectRules?.breachGrounds(found) ?? []),
    ...obstacles.map((obstacle) => say.groundsFor(obstacle, view)),
  ];
  const reason = [...(people?.answerLines(obstacles, view) ?? []), texts.join('\n\n')].join('\n');
  const waiting = people?.notifyPerson(people.askForApproval(obstacles, view), view).toPerson;
  const toPerson = [effectRules?.breachNote(found), waiting].filter(Boolean).join('\n');
  return { kind: 'hold', reason, ...(toPerson && { toPerson }), grounds };
}

function breachVerdict(
  found: readonly Breach[],
  note: 'releasedBreachNote' | 'breachNote',
  { ctx }: View,
): Verdict {
  if (found.length === 0) return NOTHING;
  const { say: effectMessages } = ctx.part('effect-rules');
  return {
    kind: 'advise',
    toPerson: effectMessages[note](found),
    grounds: effectMessages.breachGrounds(found),
  };
}

/** Accepts everything done so far. A pass that was given only after its commit is used up by that commit. */
function renewSnapshot(view: View): void {
  if (!isJudgedAfter(view.config)) return;
  const { breaches, snapshots } = view.ctx.part('effect-rules');
  const covered = breaches.satisfiedLate(view);
  if (covered.length > 0) usePasses(covered, view, [view.branch], undefined);
  snapshots.renewSnapshot(view);
}

/** Records that a turn ended although it was held, to tell the next session. */
function noteOverride(obstacles: readonly Pick<say.Obstacle, 'requirement'>[], view: View): void {
  const names = obstacles.map(({ requirement }) => requirement.name);
  if (names.length === 0) return;
  const override = { session: view.session, names: [...new Set(names)], at: view.now };
  changeState(view, `let go of ${names.join(', ')}`, (state) => states.withOverride(state, override));
  countUp(view, 'stop_overrides');
}

/** Conditions and dynamic values depend on the moment, so they are judged on the current branch only. */
function verifiedIn(view: View, isCurrent: boolean): Requirement[] {
  const { requirements, stop } = view.config;
  return requirements
    .filter(({ type, scope }) => stop.scopes.includes(scope) && (isCurrent || type === 'blocking'))
    .filter((requirement) => view.isTriggered(requirement));
}

function judgeBranch(view: View, isCurrent: boolean, findings: Findings): Evaluation[] {
  return verifiedIn(view, isCurrent).map((requirement) => {
    const evaluation = evaluateRequirement(requirement, view, findings, 'The turn');
    if (evaluation.kind !== 'obstacle') return evaluation;
    const branch = isCurrent || states.followsSession(requirement) ? undefined : view.branch;
    const where = branch === undefined ? '' : ` on branch ${branch}`;
    const fact = `\`${requirement.name}\` was triggered in this session${where} and is not satisfied`;
    return { ...evaluation, fact, branch };
  });
}
