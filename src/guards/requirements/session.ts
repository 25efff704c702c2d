import { whoFrom } from '../../core/actor';
import type { EventOf } from '../../core/event';
import { countIn, isJsonObject, type Json, numberIn, objectIn } from '../../core/json';
import { sessionKeys } from '../../core/text';
import { NOTHING, type Verdict } from '../../core/verdict';
import type { Breach } from './breaches';
import { briefingText, type Carried, designText } from './briefing';
import { hasRulesForPeople, isJudgedAfter } from './concerns';
import {
  type Evaluation,
  evaluateRequirement,
  type Findings,
  obstaclesIn,
  standings,
  withFindings,
} from './judge';
import * as say from './messages';
import { usePasses } from './passes';
import type { Requirement } from './section';
import * as states from './state';
import {
  changeMetrics,
  changeState,
  channelOf,
  closeMetrics,
  noteSatisfied,
  recordedElsewhere,
  toolUses,
  type View,
  viewsOf,
} from './view';

/** Migrates session keys, drops old entries, carries over fresh satisfactions, and briefs the session. */
export function atStart(event: EventOf<'session.start'>, view: View): Verdict {
  const { source } = event;
  const { config, ctx, session, now } = view;
  const { requirements, carryOver, briefing } = config;
  const enforced = config.enabled && config.reach === 'project' && requirements.length > 0;
  if (!enforced) return briefingVerdict(view, []);
  // Called only for entries that are a month old: there may be thousands of sessions.
  const isLiving = (key: string): boolean =>
    key === session || ctx.sessions().some((one) => sessionKeys(one.sessionId).includes(key) && one.alive);
  const sources: readonly string[] = carryOver.sources;
  const carried = sources.includes(source) ? carriedOver(view) : [];
  const taken = carried.map(({ name }) => name);
  changeState(view, taken.length === 0 ? 'state tidied' : `carried over ${taken.join(', ')}`, (current) => {
    const told = states.withoutOverrides(states.migrateKeys(current));
    return withCarried(states.withoutOldSessions(told, isLiving, now), carried, view);
  });
  if (isJudgedAfter(config))
    ctx.part('effect-rules').breaches.beginSnapshot(view, source !== 'resume' && source !== 'compact');
  changeMetrics(view, (metrics) => ({
    ...(taken.length === 0 ? metrics : noteSatisfied(metrics, taken, 'carry_over', view.branch, now)),
    registered_at: now,
  }));
  const isClientKnown = hasRulesForPeople(config) && ctx.part('people').channels.bindClient(view);
  if (briefing.inject) {
    ctx.armed(`${requirements.length} ${requirements.length === 1 ? 'requirement' : 'requirements'}`);
  }
  return briefingVerdict({ ...view, channel: () => channelOf(event, ctx, isClientKnown) }, carried);
}

/** The start of a session for warn and shadow rules: only carries satisfactions over. */
export function carryOverOnly({ source }: EventOf<'session.start'>, view: View): void {
  const sources: readonly string[] = view.config.carryOver.sources;
  const carried = sources.includes(source) ? carriedOver(view) : [];
  if (carried.length === 0) return;
  const names = carried.map(({ name }) => name);
  changeState(view, `carried over ${names.join(', ')}`, (current) =>
    withCarried(states.migrateKeys(current), carried, view),
  );
}

/** Closes the session's counts. Its satisfactions stay unless the config says otherwise. */
export function atEnd(view: View): Verdict {
  const { config, ctx } = view;
  if (hasRulesForPeople(config)) ctx.change(ctx.part('people').forgetSession(view.sessionId));
  if (view.metrics !== undefined) changeMetrics(view, (metrics) => closeMetrics(metrics, view.now));
  if (isJudgedAfter(config)) ctx.part('effect-rules').breaches.removeSnapshot(view);
  if (!config.clearSessionState) {
    copyToCurrentBranch(view);
    return NOTHING;
  }
  const own = config.requirements.filter(({ scope }) => states.isPerSession(scope));
  for (const one of viewsOf(view)) {
    changeState(one, 'cleared own satisfactions', (state) =>
      own.reduce((value, { name }) => states.withoutSession(value, one, name, one.session), state),
    );
  }
  return NOTHING;
}

/** Copies satisfactions to the current branch: the session after `/clear` looks there for what to take over. */
function copyToCurrentBranch(view: View): void {
  const { config, ctx } = view;
  if (config.carryOver.sources.length === 0) return;
  const found = config.requirements
    .map((requirement) => ({
      ...requirement,
      own: recordedElsewhere(requirement, view, ctx.document, view.isSigned),
    }))
    .filter(({ own }) => states.isSatisfied(own, view.now));
  if (found.length === 0) return;
  changeState(view, `brought along ${found.map(({ name }) => name).join(', ')}`, (current) =>
    found.reduce(
      (state, { name, scope, own }) => states.withEntry(state, view, name, scope, view.session, own),
      current,
    ),
  );
}

export function countUp(view: View, key: string): void {
  changeMetrics(view, (metrics) => ({ ...metrics, [key]: countIn(metrics, key) + 1 }));
}

/** The briefing of a new session: what is enforced, or why nothing is. */
function briefingVerdict(view: View, carried: readonly Carried[]): Verdict {
  const { config, ctx } = view;
  const { requirements, briefing } = config;
  const nothing = whyNothing(view);
  if (nothing !== undefined) return { kind: 'advise', toAgent: nothing, grounds: [] };
  if (requirements.length === 0 || !briefing.inject) return NOTHING;
  const taken = carried.map(({ name }) => name);
  const toAgent = briefingText(view, standings(view, taken), carried);
  const overrides = overrideText(states.overridesIn(view.state));
  const channels = hasRulesForPeople(config) ? ctx.part('people').channels.channelNote(view) : '';
  const toPerson = [overrides, channels].filter(Boolean).join('\n');
  const told = overrides === '' ? toAgent : `${toAgent}\n${overrides}`;
  return { kind: 'advise', toAgent: told, ...(toPerson && { toPerson }), grounds: [] };
}

/** Turns that ended although they were held, in one line for the next session. */
function overrideText(overrides: readonly states.Override[]): string {
  if (overrides.length === 0) return '';
  const told = overrides.map(({ session, names }) => `session ${session} with ${names.join(', ')} open`);
  return `A turn ended here although it was held: ${told.join('; ')}.`;
}

const GLOBAL_ONLY =
  'Holdpoint: only the global config has requirements, so they are not enforced in this project. Set `enforce_everywhere: true` there, or add .claude/requirements.yaml or .holdpoint/config.yaml here.';

const SWITCHED_OFF =
  'Holdpoint: requirements are not enforced here because the config says `enabled: false`.';

const NONE_ENABLED =
  'Holdpoint: no requirement is enforced here: none in the config is both enabled and valid.';

function whyNothing({ config: { enabled, reach, requirements, isEmpty } }: View): string | undefined {
  if (!enabled) return SWITCHED_OFF;
  if (requirements.length === 0) return isEmpty || reach === 'global-only' ? undefined : NONE_ENABLED;
  return reach === 'global-only' ? GLOBAL_ONLY : undefined;
}

/** What a new session may take over from others: the newest satisfaction of each requirement. */
export function carriedOver(
  view: Pick<View, 'config' | 'state' | 'session' | 'now' | 'isSigned'>,
): Carried[] {
  const { config, state, session, now, isSigned } = view;
  const { windowSeconds, scopes } = config.carryOver;
  return config.requirements
    .filter(({ type, scope }) => type !== 'condition' && scopes.includes(scope))
    .flatMap((requirement) => {
      const { name } = requirement;
      const entry = states.entryIn(state, name);
      if (states.isSatisfied(states.sessionIn(entry, session), now)) return [];
      return Object.keys(objectIn(entry, 'sessions'))
        .filter((from) =>
          states.isSatisfied(
            states.acceptedRecord(requirement, from, states.sessionIn(entry, from), isSigned),
            now,
          ),
        )
        .map((from) => ({ name, from, ageSeconds: Math.max(0, now - timeOf(states.sessionIn(entry, from))) }))
        .filter(({ ageSeconds }) => ageSeconds <= windowSeconds)
        .sort((a, b) => a.ageSeconds - b.ageSeconds)
        .slice(0, 1);
    });
}

function withCarried(state: states.State, carried: readonly Carried[], view: View): states.State {
  const { requirements, carryOver } = view.config;
  return carried.reduce((value, { name, from }) => {
    const source = states.sessionIn(states.entryIn(value, name), from);
    const scope = requirements.find((requirement) => requirement.name === name)?.scope ?? 'session';
    return states.satisfySession(value, view, name, scope, view.session, {
      by: 'carry_over',
      at: view.now,
      expiresAt: numberIn(source, 'expires_at'),
      // Keep who satisfied it originally.
      ...whoFrom(source),
      metadata: {
        carried_from: from,
        original_satisfied_at: timeOf(source),
        original_satisfied_by: source['satisfied_by'],
        carry_over_window: carryOver.windowSeconds,
      },
    });
  }, state);
}

/** When it was first satisfied: a carried satisfaction is as old as its source, or a chain would never end. */
function timeOf(own: Json): number {
  return numberIn(objectIn(own, 'metadata'), 'original_satisfied_at') ?? countIn(own, 'satisfied_at');
}

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
  const obstacles = distinct(obstaclesIn(config.stop.verify ? await withFindings(view, judge) : []));
  const held = config.stop.verify ? found : [];
  if (obstacles.length + held.length > 0) return heldStop(obstacles, held, view);
  renewSnapshot(view);
  if (found.length > 0) return breachVerdict(found, 'breachNote', view);
  const { onStop, minToolUses } = config.review;
  if (!onStop || toolUses(view.metrics) < minToolUses) return NOTHING;
  const prompt =
    'All requirements are satisfied. If this session produced anything worth recording, write it down now.';
  return { kind: 'advise', toPerson: prompt, grounds: [] };
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
  const { breaches } = view.ctx.part('effect-rules');
  const covered = breaches.satisfiedLate(view);
  if (covered.length > 0) usePasses(covered, view, [view.branch], undefined);
  if (breaches.needsNewSnapshot(view)) breaches.takeSnapshot(view);
}

/** A requirement that follows the session is listed once, on however many branches it was triggered. */
function distinct(obstacles: readonly say.Obstacle[]): say.Obstacle[] {
  const isSame = (one: say.Obstacle, other: say.Obstacle): boolean =>
    one.requirement.name === other.requirement.name && one.branch === other.branch;
  return obstacles.filter((one, at) => obstacles.findIndex((other) => isSame(one, other)) === at);
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

const FEWEST_WORDS = 4;

/** Whether a prompt asks for work. Short answers, commands and prompts that a machine sent do not. */
export function asksForWork({ text, origin }: EventOf<'prompt.submit'>): boolean {
  if (origin === 'machine' || origin === 'continuation' || /^\s*[/!#]/.test(text)) return false;
  return text.trim().split(/\s+/, FEWEST_WORDS).length === FEWEST_WORDS;
}

/** Reminds the agent once per session to think before it works on a design that nobody approved. */
export function thinkFirst(view: View): Verdict {
  const gate = view.config.requirements.find(({ name }) => name === states.DESIGN_GATE);
  const told = isJsonObject(view.metrics) && view.metrics['design_reminder_at'] !== undefined;
  if (gate === undefined || told || view.isSatisfied(gate)) return NOTHING;
  changeMetrics(view, (metrics) => ({ ...metrics, design_reminder_at: view.now }));
  return { kind: 'advise', toAgent: designText(gate, view), grounds: [] };
}
