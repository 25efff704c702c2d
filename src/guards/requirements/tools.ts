import type { Change } from '../../core/document';
import type { EventOf, ToolCall } from '../../core/event';
import type { Context } from '../../core/guard';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { digest } from '../../core/text';
import { NOTHING, type Verdict } from '../../core/verdict';
import { REFRESH_SECONDS, registerSession } from '../../state/sessions';
import type { Requirement, RequirementsConfig } from './config';
import * as say from './messages';
import { agentsWith, countCall, noteBranch, noteSkill, passBranches, type ToolUse } from './metrics';
import { isOpen, obstaclesIn, thinkFirst } from './session';
import { type Findings, keyOf, type Standing, standingOf, withFindings } from './standing';
import {
  consume,
  isPerSession,
  numberIn,
  objectIn,
  type Satisfaction,
  satisfyRoot,
  satisfySession,
  textsIn,
  trigger,
} from './state';
import { asksForCommand, isExempt, triggeredBy } from './triggers';
import { metricsChange, PROJECT_FILE, stateChange, type View, viewOn } from './view';

type Call = EventOf<'tool.before'>;

/** Holds a call until what it triggers is satisfied. */
export async function beforeTool(
  event: Call,
  config: RequirementsConfig,
  ctx: Context,
  view: View,
): Promise<Verdict> {
  const { call } = event;
  const lines = asksForCommand(call, config.requirements) ? ctx.commandLines(call.command ?? '') : undefined;
  const triggered = triggeredBy(call, config.requirements, ctx.projectRoot, lines);
  if (triggered.length === 0 || view.paused || isExempt(call, ctx.projectRoot, ctx.home)) return NOTHING;
  // Whatever the host sends as a name, a fact stays one sentence.
  const subject = call.nativeName.replace(/\s+/g, ' ').slice(0, 100);
  const asked = triggered.filter(({ stopOnly }) => !stopOnly);
  const judge = (findings: Findings): Standing[] =>
    asked.map((requirement) => standingOf(requirement, { view, ctx, findings, subject }));
  const judged = await withFindings(ctx, config, view, judge);
  for (const standing of judged) {
    if (standing.kind !== 'unknown') continue;
    const detail = `${standing.requirement.name}: ${standing.why}`;
    ctx.trouble({ code: 'effect.failed', guard: 'requirements', detail });
  }
  register(event.sessionId, ctx, view);
  const obstacles = obstaclesIn(judged);
  if (obstacles.length > 0) return denial(event, obstacles, ctx, view);
  const near = dueWarnings(judged, view);
  noteTriggered(triggered, ctx, view);
  ctx.change(countAllowed(event, triggered, near, view));
  if (near.length === 0) return NOTHING;
  const grounds = near.map(({ requirement: { name, place }, fact }) => ({ rule: name, place, fact }));
  return { kind: 'advise', toAgent: say.nearText(near.map(({ fact }) => fact)), grounds };
}

function denial(event: Call, obstacles: readonly say.Obstacle[], ctx: Context, view: View): Verdict {
  const tool = event.call.nativeName;
  // What a denial is about, whichever tool it was for: the same requirements for the same reasons.
  const facts = obstacles.map(({ requirement, fact }) => `${requirement.name} ${fact.replace(tool, '')}`);
  const about = digest(facts.join('\n'));
  const names = obstacles.map(({ requirement }) => requirement.name);
  ctx.change(countDenied(event, names, about, view));
  const write = isRepeated(event, about, view) ? say.repeatedText : say.denialText;
  const grounds = obstacles.map((one) => say.groundsFor(one, view));
  return { kind: 'deny', reason: write(obstacles, view), grounds };
}

/** Only a call that is allowed triggers a requirement: a denied one changed nothing that a stop could ask about. */
function noteTriggered(triggered: readonly Requirement[], ctx: Context, view: View): void {
  const fresh = triggered.filter((requirement) => !view.isTriggered(requirement));
  if (fresh.length === 0) return;
  const { owner, session } = view;
  const apply = (current: Json | undefined): Json | undefined =>
    fresh.reduce((state, { name, scope }) => trigger(state, owner, name, scope, session), current);
  ctx.change(stateChange(view, `triggered ${fresh.map(({ name }) => name).join(', ')}`, apply));
}

/** What a finished call satisfies, and what it uses up. */
export function afterTool(
  event: EventOf<'tool.after'>,
  config: RequirementsConfig,
  ctx: Context,
  view: View,
): Verdict {
  const { skill, names } = event.call;
  if (event.outcome === 'failure') return NOTHING;
  if (skill !== undefined) {
    satisfyBySkill(skill, 'called', config, ctx, view);
    return NOTHING;
  }
  if (names.includes('EnterPlanMode') && config.thinkFirst.onPlan) return thinkFirst(config, ctx, view);
  consumePasses(event, config, ctx, view);
  if (!names.includes('ExitPlanMode') || view.paused) return NOTHING;
  // Leaving plan mode is the moment to say what has to be satisfied before the work.
  const open = config.requirements.filter((requirement) => isOpen(requirement, view));
  return open.length === 0 ? NOTHING : { kind: 'advise', toAgent: say.planText(open, view), grounds: [] };
}

/** A pass for one action is used up by the action itself, but not by an attempt that failed. */
function consumePasses(
  event: EventOf<'tool.after'>,
  config: RequirementsConfig,
  ctx: Context,
  view: View,
): void {
  const { call } = event;
  if (isExempt(call, ctx.projectRoot, ctx.home)) return;
  const lines = call.command === undefined ? undefined : ctx.commandLines(call.command);
  const triggered = triggeredBy(call, config.requirements, ctx.projectRoot, lines);
  const used = triggered.filter(({ scope }) => scope === 'single_use');
  if (used.length === 0) return;
  const what = `consumed ${used.map(({ name }) => name).join(', ')}`;
  for (const branch of passBranches(event, view.metrics, ctx.git, lines ?? [])) {
    const there = viewOn(branch, event, config, ctx);
    if (there === undefined) continue;
    const apply = (current: Json | undefined): Json | undefined =>
      used.reduce((state, { name }) => consume(state, there.owner, name, there.session), current);
    ctx.change(stateChange(there, what, apply));
  }
}

const REPEATED_SECONDS = 5;
const CALLS_KEPT = 20;
const LONGEST_ID = 64;

type NearLimit = Extract<Standing, { kind: 'near' }>;

/** Counts a call that was allowed, and what it triggered. */
export function countAllowed(
  { call, agent }: Call,
  triggered: readonly Requirement[],
  near: readonly NearLimit[],
  view: View,
): Change {
  const { branch, owner } = view;
  const usesPass = triggered.some(({ scope }) => scope === 'single_use');
  const names = triggered.map(({ name }) => name);
  const warned = near.map(({ requirement }) => [keyOf(branch, requirement.name), owner.now] as const);
  return countOnce(call, agent, view, (metrics) => ({
    ...(usesPass && noteBranch(metrics, call.callId, branch)),
    ...(near.length > 0 && { warned: { ...objectIn(metrics, 'warned'), ...Object.fromEntries(warned) } }),
    ...countCall(metrics, toolUse(call, false), names, owner.now),
  }));
}

/** Counts a call that was denied, and remembers what was said. */
export function countDenied(event: Call, names: readonly string[], about: string, view: View): Change {
  const { call, agent } = event;
  const { owner } = view;
  return countOnce(call, agent, view, (metrics) => {
    const isShort = isRepeated(event, about, { metrics, owner });
    return {
      ...countCall(metrics, toolUse(call, true), names, owner.now),
      last_denial: { about, at: owner.now, call: call.callId, ...(isShort && { repeated: true }) },
    };
  });
}

/**
 * Several calls of one message are denied one after the other; one full text is enough for all. Where several
 * processes deny the same call, the host may show any of the texts, so all have to be the same.
 */
export function isRepeated(
  { call }: Call,
  about: string,
  { metrics, owner }: Pick<View, 'metrics' | 'owner'>,
): boolean {
  const last = objectIn(metrics, 'last_denial');
  const age = owner.now - numberIn(last, 'at');
  if (call.callId !== undefined && last['call'] === call.callId) return last['repeated'] === true;
  return last['about'] === about && age >= 0 && age < REPEATED_SECONDS;
}

/**
 * Adds what `count` changes in the counts. Where a project registers us more than once, several processes see
 * the same call; it counts once.
 */
function countOnce(
  call: ToolCall,
  agent: Call['agent'],
  view: View,
  count: (metrics: JsonObject) => JsonObject,
): Change {
  const callId = call.callId?.slice(0, LONGEST_ID);
  return metricsChange(view, (metrics) => {
    const seen = textsIn(metrics['last_calls']);
    if (callId !== undefined && seen.includes(callId)) return metrics;
    return {
      ...metrics,
      ...count(metrics),
      ...agentsWith(metrics, agent),
      last_calls: callId === undefined ? seen : [...seen, callId].slice(-CALLS_KEPT),
      ...(isRegistrationDue(view) && { registered_at: view.owner.now }),
    };
  });
}

/** Of a command only its kind is kept: the rest may be private. */
function toolUse({ nativeName: tool, paths, command }: ToolCall, blocked: boolean): ToolUse {
  const label = /^\s*[\w./-]{1,40}(?: [a-z][\w-]{0,20})?/.exec(command ?? '')?.[0].trim() ?? '';
  return { tool, blocked, file: paths[0], command: command && label };
}

/** The warnings that are due: each is said once for as long as an approval would last. */
function dueWarnings(judged: readonly Standing[], { metrics, branch, owner }: View): NearLimit[] {
  const warned = objectIn(metrics, 'warned');
  return judged
    .filter((standing) => standing.kind === 'near')
    .filter(({ requirement }) => {
      const last = numberIn(warned, keyOf(branch, requirement.name));
      return last === 0 || owner.now < last || owner.now - last >= requirement.approvalTtl;
    });
}

/**
 * Whether the session has to be written to the registry. Its own counts tell, so that the registry,
 * which all projects share, is read once a minute and not at every call.
 */
function isRegistrationDue({ metrics, branch, owner }: View): boolean {
  if (!isJsonObject(metrics) || metrics['branch'] !== branch) return true;
  return owner.now - numberIn(metrics, 'registered_at') >= REFRESH_SECONDS;
}

function register(sessionId: string, ctx: Context, view: View): void {
  if (!isRegistrationDue(view)) return;
  const change = registerSession({
    key: view.metricsOwner.session,
    sessionId,
    projectDir: ctx.projectRoot,
    branch: view.branch,
    host: ctx.hostProcess(),
    pid: ctx.pid,
    now: ctx.now,
  });
  ctx.change(change);
}

/**
 * What a skill satisfies, called by the agent or typed by the person, with or without its plugin's
 * name in front. Each requirement in its own scope.
 */
export function satisfyBySkill(
  skill: string,
  how: 'called' | 'typed',
  { requirements, skills }: RequirementsConfig,
  ctx: Context,
  view: View,
): void {
  const key = [skill, skill.slice(skill.lastIndexOf(':') + 1)].find((one) => Object.hasOwn(skills, one));
  const satisfied = requirements.filter(({ name }) => key !== undefined && skills[key]?.includes(name));
  if (satisfied.length === 0) return;
  const names = satisfied.map(({ name }) => name);
  const what = `satisfied ${names.join(', ')} by /${skill}`;
  const satisfy = (list: readonly Requirement[]) => (state: Json | undefined) =>
    list.reduce((value, requirement) => withSkill(value, requirement, skill, how, view), state);
  const permanent = satisfied.filter(({ scope }) => scope === 'permanent');
  const others = satisfied.filter(({ scope }) => scope !== 'permanent');
  if (others.length > 0) ctx.change(stateChange(view, what, satisfy(others)));
  if (permanent.length > 0) ctx.change({ document: PROJECT_FILE, what, apply: satisfy(permanent) });
  ctx.change(metricsChange(view, (metrics) => noteSkill(metrics, skill, names, view.owner.now)));
}

function withSkill(
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
    expiresAt: expires ? owner.now + replanTtl : undefined,
    metadata: how === 'typed' ? { skill, typed: true } : { skill },
    actor: how === 'typed' ? 'person' : 'agent',
  };
  return isPerSession(scope)
    ? satisfySession(state, owner, name, scope, session, satisfaction)
    : satisfyRoot(state, owner, name, scope, satisfaction);
}
