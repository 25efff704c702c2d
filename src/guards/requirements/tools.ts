import type { Change } from '../../core/document';
import type { EventOf } from '../../core/event';
import type { Failure } from '../../core/failure';
import type { Context } from '../../core/guard';
import { digest } from '../../core/hash';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import type { ToolCall } from '../../core/tool-call';
import { NOTHING, type Verdict } from '../../core/verdict';
import { REFRESH_SECONDS, registerSession } from '../../state/sessions';
import { planText } from './briefing-messages';
import type { DynamicRequirement, Requirement, RequirementsConfig } from './config';
import * as say from './messages';
import {
  agentsWith,
  countCall,
  noteBranch,
  noteSkill,
  numberIn,
  objectIn,
  passBranches,
  type ToolUse,
  textsIn,
} from './metrics';
import { isOpen, thinkFirst } from './session';
import { type Findings, keyOf, type Standing, standingOf, toolSubject, withFindings } from './standing';
import { consume, type Satisfaction, satisfyRoot, satisfySession, trigger } from './state';
import { asksForCommand, isExempt, triggeredBy } from './triggers';
import { metricsChange, PROJECT_FILE, stateChange, type View, viewOn } from './view';

type Call = EventOf<'tool.before'>;

/** Holds a call until what it sets off is satisfied. */
export async function beforeTool(
  event: Call,
  config: RequirementsConfig,
  ctx: Context,
  view: View,
): Promise<Verdict> {
  const { call } = event;
  const lines = asksForCommand(call, config.requirements) ? ctx.commandLines(call.command ?? '') : undefined;
  const set = triggeredBy(call, config.requirements, ctx.projectRoot, lines);
  if (set.length === 0 || view.paused || isExempt(call, ctx.projectRoot, ctx.home)) return NOTHING;
  const subject = toolSubject(call.nativeName);
  const asked = set.filter(({ stopOnly }) => !stopOnly);
  const judge = (findings: Findings): Standing[] =>
    asked.map((requirement) => standingOf(requirement, { view, ctx, findings, subject }));
  const judged = await withFindings(ctx, config, view, judge, (standing) => standing);
  const obstacles: say.Obstacle[] = [];
  for (const standing of judged) {
    if (standing.kind === 'obstacle') obstacles.push(standing);
    if (standing.kind === 'untold') ctx.trouble(untold(standing.requirement, standing.why));
  }
  for (const change of registration(event.sessionId, ctx, view)) ctx.change(change);
  if (obstacles.length > 0) {
    const about = subjectOf(obstacles, call.nativeName);
    const names = obstacles.map(({ requirement }) => requirement.name);
    ctx.change(countDenied(event, names, about, view));
    return denial(event, obstacles, about, view);
  }
  const near = dueWarnings(judged, view);
  for (const change of triggering(set, view)) ctx.change(change);
  ctx.change(countAllowed(event, set, near, view));
  return near.length === 0 ? NOTHING : warning(near);
}

function denial(event: Call, obstacles: readonly say.Obstacle[], about: string, view: View): Verdict {
  const reason = isRepeated(event, about, view)
    ? say.repeatedText(obstacles, view)
    : say.denialText(obstacles, view);
  return { kind: 'deny', reason, grounds: obstacles.map((one) => say.groundsFor(one, view)) };
}

function untold({ name }: Requirement, why: string): Failure {
  return { code: 'effect.failed', guard: 'requirements', detail: `${name}: ${why}` };
}

/** Only a call that is allowed sets a requirement off: a denied one changed nothing that a stop could ask about. */
function triggering(set: readonly Requirement[], view: View): Change[] {
  const fresh = set.filter((requirement) => !view.isTriggered(requirement));
  if (fresh.length === 0) return [];
  const what = `triggered ${fresh.map(({ name }) => name).join(', ')}`;
  return [
    stateChange(view, what, (current) =>
      fresh.reduce(
        (state, { name, scope }) => trigger(state, view.owner, name, scope, view.session),
        current,
      ),
    ),
  ];
}

/** What a denial is about, whichever tool it was for: the same requirements for the same reasons. */
function subjectOf(obstacles: readonly say.Obstacle[], tool: string): string {
  const facts = obstacles.map(({ requirement, fact }) => `${requirement.name} ${fact.replace(tool, '')}`);
  return digest(facts.join('\n'));
}

/** What a finished call satisfies, and what it uses up. */
export function afterTool(
  event: EventOf<'tool.after'>,
  config: RequirementsConfig,
  ctx: Context,
  view: View,
): Verdict {
  const { call } = event;
  if (event.outcome === 'failure') return NOTHING;
  if (call.skill !== undefined) {
    for (const change of satisfiedBySkill(call.skill, 'called', config, view)) ctx.change(change);
    return NOTHING;
  }
  if (call.names.includes('EnterPlanMode') && config.thinkFirst.onPlan) return thinkFirst(config, ctx, view);
  for (const change of consuming(event, config, ctx, view)) ctx.change(change);
  return call.names.includes('ExitPlanMode') ? afterPlan(config, view) : NOTHING;
}

/** A pass for one action is used up by the action itself, but not by an attempt that failed. */
function consuming(
  event: EventOf<'tool.after'>,
  config: RequirementsConfig,
  ctx: Context,
  view: View,
): Change[] {
  const { call } = event;
  if (isExempt(call, ctx.projectRoot, ctx.home)) return [];
  const lines = call.command === undefined ? undefined : ctx.commandLines(call.command);
  const set = triggeredBy(call, config.requirements, ctx.projectRoot, lines);
  const used = set.filter(({ scope }) => scope === 'single_use');
  if (used.length === 0) return [];
  const what = `consumed ${used.map(({ name }) => name).join(', ')}`;
  return passBranches(event, view.metrics, ctx.git, lines ?? [])
    .flatMap((branch) => viewOn(branch, event, config, ctx) ?? [])
    .map((one) =>
      stateChange(one, what, (current) =>
        used.reduce((state, { name }) => consume(state, one.owner, name, one.session), current),
      ),
    );
}

/** Leaving plan mode is the moment to hear what stands before the work. */
function afterPlan({ requirements }: RequirementsConfig, view: View): Verdict {
  const open = requirements.filter((requirement) => isOpen(requirement, view));
  if (open.length === 0 || view.paused) return NOTHING;
  return { kind: 'advise', toAgent: planText(open, view), grounds: [] };
}

const REPEATED_SECONDS = 5;
const CALLS_KEPT = 20;
const LONGEST_ID = 64;

/** Counts a call that was let through, and what it set off. */
export function countAllowed(
  event: Call,
  set: readonly Requirement[],
  near: readonly NearLimit[],
  view: View,
): Change {
  const byPass = set.some(({ scope }) => scope === 'single_use');
  const names = set.map(({ name }) => name);
  return countOnce(event, view, (metrics) => {
    const passed = byPass ? noteBranch(metrics, event.call.callId, view.branch) : metrics;
    const warned = near.length === 0 ? passed : noteWarned(passed, near, view);
    const counts = countCall(metrics, toolUse(event.call, false), names, view.owner.now);
    return warned === metrics ? counts : { ...warned, ...counts };
  });
}

/** Counts a call that was denied, and remembers what was said. */
export function countDenied(event: Call, names: readonly string[], about: string, view: View): Change {
  return countOnce(event, view, (metrics) => {
    const counts = countCall(metrics, toolUse(event.call, true), names, view.owner.now);
    const { callId } = event.call;
    const isShort = isRepeated(event, about, { metrics, owner: view.owner });
    const call = { ...(callId !== undefined && { call: callId }), ...(isShort && { repeated: true }) };
    return { ...counts, last_denial: { about, at: view.owner.now, ...call } };
  });
}

/**
 * Several calls of one message are denied one after the other; one full text is enough for all. Of one call
 * that several processes deny, the host may show any of the texts, so all have to be the same.
 */
export function isRepeated(
  event: Call,
  about: string,
  { metrics, owner }: Pick<View, 'metrics' | 'owner'>,
): boolean {
  const last = isJsonObject(metrics) ? objectIn(metrics, 'last_denial') : {};
  const age = owner.now - numberIn(last, 'at');
  if (event.call.callId !== undefined && last['call'] === event.call.callId) return last['repeated'] === true;
  return last['about'] === about && age >= 0 && age < REPEATED_SECONDS;
}

/**
 * Adds what `count` changes in the counts. One call may be seen by several processes, where a project registers us
 * more than once; it counts once.
 */
function countOnce(event: Call, view: View, count: (metrics: JsonObject) => JsonObject): Change {
  const callId = event.call.callId?.slice(0, LONGEST_ID);
  return metricsChange(view, (metrics) => {
    const seen = textsIn(metrics['last_calls']);
    if (callId !== undefined && seen.includes(callId)) return metrics;
    const calls = callId === undefined ? seen : [...seen, callId].slice(-CALLS_KEPT);
    const isDueNow = isDue(view.metrics, view.branch, view.owner.now);
    return {
      ...metrics,
      ...count(metrics),
      ...agentsWith(metrics, event.agent),
      last_calls: calls,
      // Another process that was quicker has written the same registration.
      ...(isDueNow && { registered_at: view.owner.now }),
    };
  });
}

function toolUse({ nativeName: tool, paths, command }: ToolCall, blocked: boolean): ToolUse {
  return { tool, blocked, file: paths[0], command: command && commandLabel(command) };
}

/** What kind of command it was. The rest of it may hold what is nobody's business, so it is not kept. */
function commandLabel(command: string): string {
  return /^\s*[\w./-]{1,40}(?: [a-z][\w-]{0,20})?/.exec(command)?.[0].trim() ?? '';
}

/** A value that holds nobody yet, but will if it goes on growing. */
export interface NearLimit {
  readonly requirement: DynamicRequirement;
  readonly fact: string;
}

/** The warnings that are due: each is said once for as long as an approval would have lasted. */
export function dueWarnings(judged: readonly Standing[], { metrics, branch, owner }: View): NearLimit[] {
  if (judged.length === 0) return [];
  const warned = isJsonObject(metrics) ? objectIn(metrics, 'warned') : {};
  return judged.flatMap((standing) => {
    if (standing.kind !== 'near') return [];
    const { requirement, fact } = standing;
    const last = numberIn(warned, keyOf(branch, requirement.name));
    const isDue = last === 0 || owner.now < last || owner.now - last >= requirement.approvalTtl;
    return isDue ? [{ requirement, fact }] : [];
  });
}

export function warning(near: readonly NearLimit[]): Verdict {
  const grounds = near.map(({ requirement: { name, place }, fact }) => ({ rule: name, place, fact }));
  return { kind: 'advise', toAgent: say.nearText(near.map(({ fact }) => fact)), grounds };
}

/** The counts of a session that was warned just now. */
export function noteWarned(
  metrics: JsonObject,
  near: readonly NearLimit[],
  { branch, owner }: View,
): JsonObject {
  const told = near.map(({ requirement }) => [keyOf(branch, requirement.name), owner.now] as const);
  return { ...metrics, warned: { ...objectIn(metrics, 'warned'), ...Object.fromEntries(told) } };
}

/**
 * Whether the session has to show itself in the registry. Its own counts tell, so that the registry,
 * which all projects share, is read once a minute and not at every call.
 */
export function isDue(metrics: Json | undefined, branch: string, nowSeconds: number): boolean {
  if (!isJsonObject(metrics) || metrics['branch'] !== branch) return true;
  return nowSeconds - numberIn(metrics, 'registered_at') >= REFRESH_SECONDS;
}

function registration(sessionId: string, ctx: Context, view: View): Change[] {
  if (!isDue(view.metrics, view.branch, view.owner.now)) return [];
  return [
    registerSession({
      key: view.metricsOwner.session,
      sessionId,
      projectDir: ctx.projectRoot,
      branch: view.branch,
      host: ctx.hostProcess(),
      pid: ctx.pid,
      now: ctx.now,
    }),
  ];
}

/**
 * What a skill satisfies, called by the agent or typed by the person, with or without its plugin's
 * name in front. Each requirement in its own scope.
 */
export function satisfiedBySkill(
  skill: string,
  how: 'called' | 'typed',
  { requirements, skills }: RequirementsConfig,
  view: View,
): Change[] {
  const short = skill.slice(skill.lastIndexOf(':') + 1);
  const names = namesIn(skills, skill) ?? namesIn(skills, short) ?? [];
  const meant = requirements.filter(({ name }) => names.includes(name));
  if (meant.length === 0) return [];
  const satisfying = (state: Json | undefined, list: readonly Requirement[]): Json | undefined =>
    list.reduce((value, requirement) => satisfied(value, requirement, skill, how, view), state);
  const permanent = meant.filter(({ scope }) => scope === 'permanent');
  const others = meant.filter(({ scope }) => scope !== 'permanent');
  const what = `satisfied ${meant.map(({ name }) => name).join(', ')} by /${skill}`;
  return [
    ...(others.length > 0 ? [stateChange(view, what, (state) => satisfying(state, others))] : []),
    ...(permanent.length > 0
      ? [{ document: PROJECT_FILE, what, apply: (state: Json | undefined) => satisfying(state, permanent) }]
      : []),
    metricsChange(view, (metrics) =>
      noteSkill(
        metrics,
        skill,
        meant.map(({ name }) => name),
        view.owner.now,
      ),
    ),
  ];
}

function namesIn(skills: RequirementsConfig['skills'], skill: string): readonly string[] | undefined {
  return Object.hasOwn(skills, skill) ? skills[skill] : undefined;
}

function satisfied(
  state: Json | undefined,
  { name, scope, replanTtl }: Requirement,
  skill: string,
  how: 'called' | 'typed',
  { owner, session }: View,
): Json | undefined {
  const expires = replanTtl !== undefined && scope !== 'permanent';
  const satisfaction: Satisfaction = {
    by: 'skill',
    at: owner.now,
    ...(expires && { expiresAt: owner.now + replanTtl }),
    metadata: how === 'typed' ? { skill, typed: true } : { skill },
    actor: how === 'typed' ? 'person' : 'agent',
  };
  return scope === 'session' || scope === 'single_use'
    ? satisfySession(state, owner, name, scope, session, satisfaction)
    : satisfyRoot(state, owner, name, scope, satisfaction);
}
