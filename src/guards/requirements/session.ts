import type { Event, EventOf } from '../../core/event';
import { matchesName } from '../../core/glob';
import type { Context } from '../../core/guard';
import { isJsonObject, type Json } from '../../core/json';
import { NOTHING, type Verdict } from '../../core/verdict';
import { type CarryOver, DESIGN_GATE, type Requirement, type RequirementsConfig } from './config';
import * as say from './messages';
import { branchesIn, closeMetrics, toolUses } from './metrics';
import { type Findings, type Standing, standingOf, withFindings } from './standing';
import {
  entryIn,
  isPerSession,
  isSatisfied,
  migrateKeys,
  numberIn,
  objectIn,
  overridesIn,
  satisfySession,
  sessionIn,
  withOverride,
  withoutOldSessions,
  withoutOverrides,
  withoutSession,
} from './state';
import { metricsChange, pauseFile, stateChange, type View, viewOn } from './view';

/** A session begins: keys are migrated, old entries dropped, fresh satisfactions taken over, and it is briefed. */
export function atStart(
  { source }: EventOf<'session.start'>,
  config: RequirementsConfig,
  ctx: Context,
  view: View,
): Verdict {
  const { requirements, carryOver } = config;
  const { owner, session } = view;
  const enforced = config.enabled && config.reach === 'project' && requirements.length > 0;
  if (!enforced) return briefing(config, view, []);
  const living = ctx.sessions().flatMap(({ alive, id }) => (alive ? [id] : []));
  const sources: readonly string[] = carryOver.sources;
  const carried = sources.includes(source)
    ? carriedOver(view.state, requirements, carryOver, session, owner.now)
    : [];
  const names = carried.map(({ name }) => name).join(', ');
  const what = carried.length === 0 ? 'state tidied' : `carried over ${names}`;
  ctx.change(
    stateChange(view, what, (state) => {
      const tidied = withoutOldSessions(
        withoutOverrides(migrateKeys(state)),
        [...living, session],
        owner.now,
      );
      return withCarried(tidied, carried, config, view);
    }),
  );
  ctx.change(metricsChange(view, (metrics) => ({ ...metrics, registered_at: owner.now })));
  if (!view.paused && config.briefing.inject) {
    ctx.armed(`${requirements.length} ${requirements.length === 1 ? 'requirement' : 'requirements'}`);
  }
  return briefing(config, view, carried);
}

/** A session ends: its counts are closed and its pause is over; its satisfactions stay unless the config says otherwise. */
export function atEnd(
  event: EventOf<'session.end'>,
  config: RequirementsConfig,
  ctx: Context,
  view: View,
): Verdict {
  ctx.change({ document: pauseFile(view.metricsOwner.session), what: 'pause over', apply: () => undefined });
  if (view.metrics !== undefined) {
    ctx.change(metricsChange(view, (metrics) => closeMetrics(metrics, view.owner.now)));
  }
  if (!config.clearSessionState) return NOTHING;
  const own = config.requirements.filter(({ scope }) => isPerSession(scope));
  for (const one of viewsOf(event, config, ctx, view)) {
    const cleared = (state: Json | undefined): Json | undefined =>
      own.reduce((value, { name }) => withoutSession(value, one.owner, name, one.session), state);
    ctx.change(stateChange(one, 'cleared own satisfactions', cleared));
  }
  return NOTHING;
}

/** Counts one more in the session's counts. */
export function countUp(ctx: Context, view: View, key: string): void {
  ctx.change(metricsChange(view, (metrics) => ({ ...metrics, [key]: numberIn(metrics, key) + 1 })));
}

/** What a session is told when it begins: what is enforced, or why nothing is. */
function briefing(config: RequirementsConfig, view: View, carried: readonly say.Carried[]): Verdict {
  const { requirements, briefing: style } = config;
  const nothing = whyNothing(config) ?? (requirements.length > 0 && view.paused ? say.PAUSED : undefined);
  if (nothing !== undefined) return { kind: 'advise', toAgent: nothing, toPerson: nothing, grounds: [] };
  if (requirements.length === 0 || !style.inject) return NOTHING;
  const taken = carried.map(({ name }) => name);
  const open = requirements.filter((one) => isOpen(one, view) && !taken.includes(one.name));
  const write = style.format === 'standard' ? say.standardBriefing : say.briefingText;
  const text = write(requirements, open, view, style.header, carried);
  const overrides = say.overrideText(overridesIn(view.state));
  if (overrides === '') return { kind: 'advise', toAgent: text, grounds: [] };
  return { kind: 'advise', toAgent: `${text}\n${overrides}`, toPerson: overrides, grounds: [] };
}

function whyNothing({ enabled, reach, requirements }: RequirementsConfig): string | undefined {
  if (!enabled) return say.SWITCHED_OFF;
  if (reach === 'global-only') return requirements.length > 0 ? say.GLOBAL_ONLY : undefined;
  return requirements.length === 0 ? say.NONE_ENABLED : undefined;
}

/** A condition is open only while it holds; a value is never told in advance, since nothing is computed for it. */
export function isOpen(requirement: Requirement, view: View): boolean {
  if (view.isSatisfied(requirement) || requirement.type === 'dynamic') return false;
  if (requirement.type === 'blocking') return true;
  return (
    requirement.condition === 'protected_branch' &&
    requirement.branches.some((pattern) => matchesName(pattern, view.branch))
  );
}

/** What a session that has just begun may take over from others: the newest one of each requirement. */
export function carriedOver(
  state: Json | undefined,
  requirements: readonly Requirement[],
  { windowSeconds, scopes }: CarryOver,
  session: string,
  now: number,
): say.Carried[] {
  return requirements
    .filter(({ type, scope }) => type !== 'condition' && scopes.includes(scope))
    .flatMap(({ name }) => {
      const entry = entryIn(state, name);
      if (isSatisfied(sessionIn(entry, session), now)) return [];
      return Object.keys(objectIn(entry, 'sessions'))
        .filter((from) => isSatisfied(sessionIn(entry, from), now))
        .map((from) => ({ name, from, ageSeconds: Math.max(0, now - timeOf(sessionIn(entry, from))) }))
        .filter(({ ageSeconds }) => ageSeconds <= windowSeconds)
        .sort((a, b) => a.ageSeconds - b.ageSeconds)
        .slice(0, 1);
    });
}

/** The state after a session took over what `carriedOver` named. */
function withCarried(
  state: Json | undefined,
  carried: readonly say.Carried[],
  { requirements, carryOver }: RequirementsConfig,
  { owner, session }: View,
): Json | undefined {
  return carried.reduce((value, { name, from }) => {
    const source = sessionIn(entryIn(value, name), from);
    const scope = requirements.find((requirement) => requirement.name === name)?.scope ?? 'session';
    const expires = source['expires_at'];
    return satisfySession(value, owner, name, scope, session, {
      by: 'carry_over',
      at: owner.now,
      expiresAt: typeof expires === 'number' ? expires : undefined,
      metadata: {
        carried_from: from,
        original_satisfied_at: timeOf(source),
        original_satisfied_by: source['satisfied_by'],
        carry_over_window: carryOver.windowSeconds,
      },
    });
  }, state);
}

/** When it was first satisfied: what was carried over is as old as its source, or a chain would never end. */
function timeOf(own: Json): number {
  const source = objectIn(own, 'metadata')['original_satisfied_at'];
  return typeof source === 'number' ? source : numberIn(own, 'satisfied_at');
}

/**
 * Holds the end of a turn for what the session has triggered and not satisfied, on every branch it has
 * worked on. Once for a prompt: an agent that cannot satisfy a requirement must be able to say so and end.
 */
export async function atStop(
  event: EventOf<'turn.stop'>,
  config: RequirementsConfig,
  ctx: Context,
  view: View,
): Promise<Verdict> {
  if (view.paused) return NOTHING;
  const judge = (findings: Findings): Standing[] =>
    viewsOf(event, config, ctx, view).flatMap((one) => judgeBranch(one, view, config, ctx, findings));
  const heldBefore = (ctx.refusedStops.byGuard.requirements ?? 0) > 0;
  if (heldBefore) {
    // Nothing is computed for a turn that ends anyway.
    noteOverride(obstaclesIn(judge({ value: () => undefined, evidence: () => undefined })), ctx, view);
    return NOTHING;
  }
  const judged = config.stop.verify ? await withFindings(ctx, config, view, judge) : [];
  const obstacles = obstaclesIn(judged);
  if (obstacles.length > 0) {
    const grounds = obstacles.map((obstacle) => say.groundsFor(obstacle, view));
    return { kind: 'hold', reason: say.stopText(obstacles, view), grounds };
  }
  const { onStop, minToolUses } = config.review;
  if (!onStop || toolUses(view.metrics) < minToolUses) return NOTHING;
  return { kind: 'advise', toPerson: say.REVIEW_PROMPT, grounds: [] };
}

/** A turn ends although it was held: the next session is told. */
function noteOverride(obstacles: readonly say.Obstacle[], ctx: Context, view: View): void {
  const names = obstacles.map(({ requirement }) => requirement.name);
  if (names.length === 0) return;
  const override = { session: view.session, names: [...new Set(names)], at: view.owner.now };
  ctx.change(stateChange(view, `let go of ${names.join(', ')}`, (state) => withOverride(state, override)));
  countUp(ctx, view, 'stop_overrides');
}

/** The standings that hold. */
export function obstaclesIn(judged: readonly Standing[]): say.Obstacle[] {
  return judged.filter((standing) => standing.kind === 'obstacle');
}

/** The current branch first, then the others that the session was seen on. */
function viewsOf(event: Event, config: RequirementsConfig, ctx: Context, view: View): View[] {
  const others = branchesIn(view.metrics).filter((branch) => branch !== view.branch);
  return [view, ...others.flatMap((branch) => viewOn(branch, event, config, ctx) ?? [])];
}

/** Conditions and values are facts of the moment, so they are judged on the current branch only. */
function judgeBranch(
  view: View,
  current: View,
  { requirements, stop }: RequirementsConfig,
  ctx: Context,
  findings: Findings,
): Standing[] {
  const branch = view === current ? undefined : view.branch;
  const where = branch === undefined ? '' : ` on branch ${branch}`;
  return requirements
    .filter(({ type, scope }) => stop.scopes.includes(scope) && (view === current || type === 'blocking'))
    .filter((requirement) => view.isTriggered(requirement))
    .map((requirement) => {
      const standing = standingOf(requirement, { view, ctx, findings, subject: 'The turn' });
      if (standing.kind !== 'obstacle') return standing;
      const fact = `\`${requirement.name}\` was set off in this session${where} and is not satisfied`;
      return { kind: 'obstacle', requirement, fact, branch };
    });
}

const FEWEST_WORDS = 4;

/** A prompt that asks for work, as opposed to an answer of a word or two, a command, or a machine's. */
export function asksForWork({ text, origin }: EventOf<'prompt.submit'>): boolean {
  if (origin === 'machine' || origin === 'continuation' || /^\s*[/!#]/.test(text)) return false;
  return text.trim().split(/\s+/, FEWEST_WORDS).length === FEWEST_WORDS;
}

/** Once a session, before work on a design that nobody has agreed to: think first. */
export function thinkFirst({ requirements }: RequirementsConfig, ctx: Context, view: View): Verdict {
  const gate = requirements.find(({ name }) => name === DESIGN_GATE);
  const told = isJsonObject(view.metrics) && view.metrics['design_reminder_at'] !== undefined;
  if (gate === undefined || told || view.paused || view.isSatisfied(gate)) return NOTHING;
  ctx.change(metricsChange(view, (metrics) => ({ ...metrics, design_reminder_at: view.owner.now })));
  return { kind: 'advise', toAgent: say.designText(gate, view), grounds: [] };
}
