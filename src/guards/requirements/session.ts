import type { Change } from '../../core/document';
import type { Event, EventOf } from '../../core/event';
import { matchesName } from '../../core/glob';
import type { Context } from '../../core/guard';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { NOTHING, type Verdict } from '../../core/verdict';
import * as brief from './briefing-messages';
import type { CarryOver, Requirement, RequirementsConfig } from './config';
import * as say from './messages';
import { branchesIn, closeMetrics, numberIn, toolUses } from './metrics';
import { type Findings, type Standing, standingOf, TURN, triggeredFact, withFindings } from './standing';
import {
  entryIn,
  isSatisfied,
  migrateKeys,
  overridesIn,
  type StateOwner,
  satisfySession,
  withOverride,
  withoutOldSessions,
  withoutOverrides,
  withoutSession,
} from './state';
import { metricsChange, pauseFile, stateChange, type View, viewOn } from './view';

/** A session begins: old keys are moved, long dead entries dropped, fresh satisfactions taken over, and it is told. */
export function atStart(
  event: EventOf<'session.start'>,
  config: RequirementsConfig,
  ctx: Context,
  view: View,
): Verdict {
  const enforced = config.enabled && config.reach === 'project' && config.requirements.length > 0;
  if (!enforced) return briefing(config, view, []);
  const { owner, session } = view;
  const living = ctx.sessions().flatMap(({ alive, id }) => (alive ? [id] : []));
  const sources: readonly string[] = config.carryOver.sources;
  const carried = sources.includes(event.source)
    ? carriedOver(view.state, config.requirements, config.carryOver, session, owner.now)
    : [];
  const renewed = (state: Json | undefined): Json | undefined =>
    withCarried(
      withoutOldSessions(withoutOverrides(migrateKeys(state)), [...living, session], owner.now),
      carried,
      config.requirements,
      owner,
      session,
      config.carryOver.windowSeconds,
    );
  const what =
    carried.length === 0 ? 'state tidied' : `carried over ${carried.map(({ name }) => name).join(', ')}`;
  ctx.change(stateChange(view, what, renewed));
  ctx.change(metricsChange(view, (metrics) => ({ ...metrics, registered_at: owner.now })));
  // Whoever wants nothing told is told nothing.
  if (!view.paused && config.briefing.inject) ctx.armed(brief.armedText(config.requirements.length));
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
  for (const one of viewsOf(event, config, ctx, view)) ctx.change(clearing(config, one));
  return NOTHING;
}

function clearing({ requirements }: RequirementsConfig, view: View): Change {
  const own = requirements.filter(({ scope }) => scope === 'session' || scope === 'single_use');
  return stateChange(view, 'cleared own satisfactions', (state) =>
    own.reduce<Json | undefined>(
      (value, { name }) => withoutSession(value, view.owner, name, view.session),
      state,
    ),
  );
}

export function atCompaction(ctx: Context, view: View): Verdict {
  ctx.change(
    metricsChange(view, (metrics) => {
      return { ...metrics, compaction_count: numberIn(metrics, 'compaction_count') + 1 };
    }),
  );
  return NOTHING;
}

/** What a session hears when it begins: that something is enforced, or why nothing is. */
export function briefing(config: RequirementsConfig, view: View, carried: readonly Carried[]): Verdict {
  const silence = whyNothing(config);
  if (silence !== undefined) return { kind: 'advise', toAgent: silence, toPerson: silence, grounds: [] };
  const { requirements, briefing: style } = config;
  if (requirements.length === 0) return NOTHING;
  if (view.paused) return { kind: 'advise', toAgent: brief.PAUSED, toPerson: brief.PAUSED, grounds: [] };
  if (!style.inject) return NOTHING;
  const taken = carried.map(({ name }) => name);
  const open = requirements.filter((one) => isOpen(one, view) && !taken.includes(one.name));
  const write = style.format === 'standard' ? brief.standardBriefing : brief.briefingText;
  const overrides = brief.overrideText(overridesIn(view.state));
  const text = write(requirements, open, view, style.header, carried);
  if (overrides === '') return { kind: 'advise', toAgent: text, grounds: [] };
  return { kind: 'advise', toAgent: `${text}\n${overrides}`, toPerson: overrides, grounds: [] };
}

function whyNothing({ enabled, reach, requirements }: RequirementsConfig): string | undefined {
  if (!enabled) return brief.SWITCHED_OFF;
  if (reach === 'global-only') return requirements.length > 0 ? brief.GLOBAL_ONLY : undefined;
  return requirements.length === 0 ? brief.NONE_ENABLED : undefined;
}

/** A condition is open only while it holds, a value only once it is known to be too large. */
export function isOpen(requirement: Requirement, view: View): boolean {
  if (view.isSatisfied(requirement)) return false;
  switch (requirement.type) {
    case 'blocking':
      return true;
    case 'dynamic':
      return false;
    case 'condition':
      return (
        requirement.condition === 'protected_branch' &&
        requirement.branches.some((pattern) => matchesName(pattern, view.branch))
      );
  }
}

/** A satisfaction that a new session takes over. */
export interface Carried {
  readonly name: string;
  readonly from: string;
  readonly ageSeconds: number;
}

/** What a session that has just begun may take over from others: the newest one of each requirement. */
export function carriedOver(
  state: Json | undefined,
  requirements: readonly Requirement[],
  { windowSeconds, scopes }: CarryOver,
  session: string,
  now: number,
): Carried[] {
  return requirements
    .filter(({ type, scope }) => type !== 'condition' && scopes.includes(scope))
    .flatMap(({ name }) => {
      const entry = entryIn(state, name);
      const sessions = isJsonObject(entry['sessions']) ? entry['sessions'] : {};
      if (isJsonObject(sessions[session]) && isSatisfied(sessions[session], now)) return [];
      const [newest] = Object.entries(sessions)
        .flatMap(([from, own]) => (isJsonObject(own) && isSatisfied(own, now) ? [{ from, own }] : []))
        .map(({ from, own }) => ({ name, from, ageSeconds: Math.max(0, now - timeOf(own)) }))
        .filter(({ ageSeconds }) => ageSeconds <= windowSeconds)
        .sort((a, b) => a.ageSeconds - b.ageSeconds);
      return newest === undefined ? [] : [newest];
    });
}

/** The state after a session took over what `carriedOver` named. */
export function withCarried(
  state: Json | undefined,
  carried: readonly Carried[],
  requirements: readonly Requirement[],
  owner: StateOwner,
  session: string,
  windowSeconds: number,
): Json | undefined {
  return carried.reduce<Json | undefined>((value, { name, from }) => {
    const source = sourceIn(value, name, from);
    const scope = requirements.find((requirement) => requirement.name === name)?.scope ?? 'session';
    const expires = source['expires_at'];
    return satisfySession(value, owner, name, scope, session, {
      by: 'carry_over',
      at: owner.now,
      ...(typeof expires === 'number' && { expiresAt: expires }),
      metadata: {
        carried_from: from,
        original_satisfied_at: timeOf(source),
        original_satisfied_by: source['satisfied_by'],
        carry_over_window: windowSeconds,
      },
    });
  }, state);
}

function sourceIn(state: Json | undefined, name: string, from: string): JsonObject {
  const sessions = entryIn(state, name)['sessions'];
  const own = isJsonObject(sessions) ? sessions[from] : undefined;
  return isJsonObject(own) ? own : {};
}

/** When it was really satisfied: what was carried over once is as old as its source, or a chain would never end. */
function timeOf(own: JsonObject): number {
  const metadata = own['metadata'];
  const source = isJsonObject(metadata) ? metadata['original_satisfied_at'] : undefined;
  const time = typeof source === 'number' ? source : own['satisfied_at'];
  return typeof time === 'number' ? time : 0;
}

interface Judged {
  readonly requirement: Requirement;
  readonly branch: string;
  readonly standing: Standing;
}

/**
 * Holds the end of a turn for what the session has set off and not satisfied, on every branch it has
 * worked on. Once for a prompt: whoever cannot satisfy a requirement must be able to say so and end.
 */
export async function atStop(
  event: EventOf<'turn.stop'>,
  config: RequirementsConfig,
  ctx: Context,
  view: View,
): Promise<Verdict> {
  if (view.paused) return NOTHING;
  const heldBefore = (ctx.refusedStops.byGuard.requirements ?? 0) > 0;
  if (heldBefore) return overriding(event, config, ctx, view);
  const judge = (findings: Findings): Judged[] =>
    config.stop.verify
      ? viewsOf(event, config, ctx, view).flatMap((one) => judgeBranch(one, view, config, ctx, findings))
      : [];
  const judged = await withFindings(ctx, config, view, judge, ({ standing }) => standing);
  const obstacles = judged.flatMap(({ requirement, branch, standing }): say.Obstacle[] => {
    if (standing.kind !== 'obstacle') return [];
    const elsewhere = branch === view.branch ? {} : { branch };
    return [{ requirement, fact: triggeredFact(requirement, elsewhere.branch), ...elsewhere }];
  });
  if (obstacles.length === 0) return reviewPrompt(config, view);
  const grounds = obstacles.map((obstacle) => say.groundsFor(obstacle, view));
  return { kind: 'hold', reason: say.stopText(obstacles, view), grounds };
}

/** A turn that ends although it was held: the next session hears of it. Nothing is computed for that. */
function overriding(
  event: EventOf<'turn.stop'>,
  config: RequirementsConfig,
  ctx: Context,
  view: View,
): Verdict {
  const blind: Findings = { value: () => undefined, evidence: () => undefined };
  const names = viewsOf(event, config, ctx, view)
    .flatMap((one) => judgeBranch(one, view, config, ctx, blind))
    .flatMap(({ standing, requirement }) => (standing.kind === 'obstacle' ? [requirement.name] : []));
  if (names.length === 0) return NOTHING;
  const override = { session: view.session, names: [...new Set(names)], at: view.owner.now };
  ctx.change(stateChange(view, `let go of ${names.join(', ')}`, (state) => withOverride(state, override)));
  ctx.change(
    metricsChange(view, (metrics) => {
      return { ...metrics, stop_overrides: numberIn(metrics, 'stop_overrides') + 1 };
    }),
  );
  return NOTHING;
}

/** The branch of the moment first, then the others that the session was seen on. */
function viewsOf(event: Event, config: RequirementsConfig, ctx: Context, view: View): View[] {
  const others = branchesIn(view.metrics).filter((branch) => branch !== view.branch);
  return [view, ...others.flatMap((branch) => viewOn(branch, event, config, ctx) ?? [])];
}

/** Conditions and values are facts of the moment, so they are asked of the branch of the moment only. */
function judgeBranch(
  one: View,
  here: View,
  { requirements, stop }: RequirementsConfig,
  ctx: Context,
  findings: Findings,
): Judged[] {
  return requirements
    .filter(({ type, scope }) => stop.scopes.includes(scope) && (one === here || type === 'blocking'))
    .filter((requirement) => one.isTriggered(requirement))
    .map((requirement) => ({
      requirement,
      branch: one.branch,
      standing: standingOf(requirement, { view: one, ctx, findings, subject: TURN }),
    }));
}

/** After work that ended well somebody may want to be asked what was learnt. */
function reviewPrompt({ review }: RequirementsConfig, view: View): Verdict {
  if (!review.onStop || toolUses(view.metrics) < review.minToolUses) return NOTHING;
  return { kind: 'advise', toPerson: say.REVIEW_PROMPT, grounds: [] };
}

const FEWEST_WORDS = 4;

/** A prompt that asks for work, as opposed to an answer of a word or two, a command, or a machine's. */
export function asksForWork({ text, origin }: EventOf<'prompt.submit'>): boolean {
  if (origin === 'machine' || origin === 'continuation' || /^\s*[/!#]/.test(text)) return false;
  return text.trim().split(/\s+/, FEWEST_WORDS).length === FEWEST_WORDS;
}

/** Once a session, before work on a design that nobody has agreed to: think first. */
export function thinkFirst({ requirements }: RequirementsConfig, ctx: Context, view: View): Verdict {
  const gate = requirements.find(({ name }) => name === say.DESIGN_GATE);
  const told = isJsonObject(view.metrics) && view.metrics['design_reminder_at'] !== undefined;
  if (gate === undefined || told || view.paused || view.isSatisfied(gate)) return NOTHING;
  ctx.change(metricsChange(view, (metrics) => ({ ...metrics, design_reminder_at: view.owner.now })));
  return { kind: 'advise', toAgent: brief.designText(gate, view), grounds: [] };
}
