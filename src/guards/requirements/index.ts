import type { Who } from '../../core/actor';
import { type Mode, mayHaveEffect, SHELLS, toolsFor, unknownTools } from '../../core/effect-kinds';
import type { Event, EventOf, ToolCall } from '../../core/event';
import type { Context, Guard, Interest } from '../../core/guard';
import { countIn, isJsonObject, type JsonObject, objectIn, objectsIn, textsIn } from '../../core/json';
import { type CallEffects, onlyEdits } from '../../core/project-paths';
import { digest, sessionKey } from '../../core/text';
import { NOTHING, type Verdict } from '../../core/verdict';
import { REFRESH_SECONDS, REGISTRY, registerSession } from '../../state/sessions';
import * as concerns from './concerns';
import { withEffects } from './effect-messages';
import * as judge from './judge';
import * as say from './messages';
import { consumePasses, settlePasses, takeAskedPasses, takePasses, useHiddenPasses } from './passes';
import type { Requirement, RequirementsConfig } from './section';
import * as states from './state';
import { atStop } from './stop';
import * as views from './view';
import { changeMetrics, changeState, PROJECT_FILE, type View, viewOf } from './view';

/** Holds tool calls and turns until the requirements that they trigger are satisfied. */
export const guard: Guard<RequirementsConfig> = {
  name: 'requirements',
  interest: (config) => [
    ...interestOf(views.rulesInMode(config, 'hold')),
    ...(views.hasMode(config, 'warn')
      ? concerns.nonHoldingInterest(interestOf(views.rulesInMode(config, 'warn')))
      : []),
  ],
  decide,
  // Checking what calls changed may involve the whole work tree.
  isQuick: (config) => !views.isJudgedAfter(config),
  shadow: {
    interest: (config) =>
      views.hasMode(config, 'shadow')
        ? concerns.nonHoldingInterest(interestOf(views.rulesInMode(config, 'shadow')))
        : [],
    isAll: ({ isSilent }) => isSilent,
    decide: (event, config, ctx) => decideNonHolding(event, config, ctx, 'shadow'),
  },
};

/** Decides the holding rules, and adds the warnings of warn rules. */
async function decide(event: Event, config: RequirementsConfig, ctx: Context): Promise<Verdict> {
  const held = views.rulesInMode(config, 'hold');
  if (!views.hasMode(config, 'warn')) return decideHolding(event, held, ctx);
  // Do not announce that no rule holds if some rules warn.
  const isQuiet = event.kind === 'session.start' && config.enabled && held.requirements.length === 0;
  const verdict = isQuiet ? NOTHING : await decideHolding(event, held, ctx);
  return concerns.withWarnings(verdict, await decideNonHolding(event, config, ctx, 'warn'), event);
}

async function decideNonHolding(
  event: Event,
  config: RequirementsConfig,
  ctx: Context,
  mode: Mode,
): Promise<Verdict> {
  const own = views.rulesInMode(config, mode);
  if (
    !own.enabled ||
    own.reach === 'global-only' ||
    own.requirements.length === 0 ||
    !concerns.concernsNonHolding(event)
  )
    return NOTHING;
  if ('call' in event && isQuestion(event.call)) return NOTHING;
  if (sessionKey(event.sessionId) === undefined || isIrrelevant(event, own)) return NOTHING;
  const names = own.requirements.map(({ name }) => name);
  const view = viewOf(event, own, concerns.nonHoldingContext(ctx, mode, names));
  if (event.kind === 'session.start') {
    ctx.part('session').requirements.carryOverOnly(event, view);
    return NOTHING;
  }
  return concerns.asHypothetical(await decideIn(event, view));
}

function interestOf(config: RequirementsConfig): readonly Interest[] {
  const { requirements, stop, skills, denyDangerous, thinkFirst, isApart } = config;
  const start: Interest = { kind: 'session.start' };
  if (!config.enabled || requirements.length === 0 || config.reach === 'global-only') return [start];
  const single = requirements.filter(({ scope }) => scope === 'single_use');
  const consumed = [...toolsOf(single), ...toolsFor(single.flatMap((one) => one.effects))];
  const planTools = ['ExitPlanMode', ...(thinkFirst.onPlan ? ['EnterPlanMode'] : [])];
  const hasSkills = Object.keys(skills).length > 0;
  const questions = views.hasRulesForPeople(config) ? [concerns.QUESTION_TOOL] : [];
  const effects = requirements.flatMap((one) => one.effects);
  const stops = stop.verify || views.isJudgedAfter(config);
  return [
    start,
    { kind: 'session.end' },
    { kind: 'compact.before' },
    { kind: 'tool.before', tools: [...toolsOf(requirements), ...toolsFor(effects), ...questions] },
    ...interestInEffects(config),
    { kind: 'tool.after', tools: [...planTools, ...(hasSkills ? ['Skill'] : []), ...consumed, ...questions] },
    ...(hasSkills || !isApart ? [{ kind: 'prompt.submit' } as const] : []),
    ...(hasSkills || questions.length > 0 ? [{ kind: 'prompt.expand' } as const] : []),
    ...(stops ? [{ kind: 'turn.stop' } as const] : []),
    ...(questions.length > 0 ? answerInterests(requirements) : []),
    { kind: 'permission.request', tools: [...(denyDangerous ? ['Bash'] : []), ...questions] },
  ];
}

function interestInEffects(config: RequirementsConfig): Interest[] {
  const ofShells = { tools: SHELLS, reading: false } as const;
  const asksAfter = concerns.checksRefsAfterCalls(config) || concerns.hasEffectPasses(config);
  return [
    ...(views.hasEffects(config) ? [{ kind: 'tool.before', ...ofShells } as const] : []),
    ...(asksAfter ? [{ kind: 'tool.after', ...ofShells } as const] : []),
    ...(views.isJudgedAfter(config) ? [{ kind: 'tool.before', ...unknownTools() } as const] : []),
  ];
}

/** How a person's answers arrive in other hosts: through the host's own dialogs, or typed. */
function answerInterests(requirements: RequirementsConfig['requirements']): Interest[] {
  const reserved = requirements.filter(({ agentMaySatisfy }) => !agentMaySatisfy);
  const effects = reserved.flatMap((one) => one.effects);
  const tools = [...toolsOf(reserved), ...toolsFor(effects), ...(effects.length > 0 ? SHELLS : [])];
  return [
    { kind: 'notification', hosts: concerns.DIALOG_HOSTS },
    { kind: 'tool.after', tools, hosts: concerns.DIALOG_HOSTS },
    { kind: 'prompt.submit', hosts: concerns.LINE_HOSTS },
  ];
}

function toolsOf(requirements: RequirementsConfig['requirements']): string[] {
  return [...new Set(requirements.flatMap(({ triggers }) => triggers.map(({ tool }) => tool)))];
}

async function decideHolding(event: Event, config: RequirementsConfig, ctx: Context): Promise<Verdict> {
  if (!config.enabled && event.kind !== 'session.start') return NOTHING;
  if (event.kind === 'permission.request' && !isQuestion(event.call))
    return atPermissionRequest(event, config, ctx);
  // Read no file for an event that does not matter here. Without a session no requirement applies to anybody.
  if (sessionKey(event.sessionId) === undefined || isIrrelevant(event, config)) return NOTHING;
  const asSeen = viewOf(event, config, ctx);
  if (!isAnswered(asSeen)) return decideIn(event, asSeen);
  const { channels } = ctx.part('people');
  const settled = channels.confirmAnswers(asSeen);
  const satisfied = (there: Pick<View, 'isSatisfied'>, branch: string) => ({
    isSatisfied: (one: Requirement) => settled.isApproved(one, branch) || there.isSatisfied(one),
  });
  const onBranch: View['onBranch'] = (other) => satisfied(asSeen.onBranch(other), other);
  const view = { ...asSeen, ...satisfied(asSeen, asSeen.branch), onBranch };
  return channels.withAnswerNews(await decideIn(event, view), settled);
}

/** Whether a person has given an answer that is not confirmed yet. */
function isAnswered({ config, ctx }: View): boolean {
  if (!views.hasRulesForPeople(config)) return false;
  const requests = objectsIn(views.presentValue(ctx.document(views.APPROVALS)), 'requests');
  return requests.some((one) => one['answered'] !== undefined);
}

async function decideIn(event: Event, view: View): Promise<Verdict> {
  const people = () => view.ctx.part('people');
  const session = () => view.ctx.part('session').requirements;
  switch (event.kind) {
    case 'tool.before':
      return isQuestion(event.call) ? people().channels.beforeQuestion(event, view) : beforeTool(event, view);
    case 'tool.after':
      return isQuestion(event.call) ? people().channels.afterQuestion(event, view) : afterTool(event, view);
    case 'permission.request':
      return people().channels.questionShown(event, view);
    case 'turn.stop':
      return atStop(view);
    case 'session.start':
      return session().atStart(event, view);
    case 'session.end':
      return session().atEnd(view);
    case 'compact.before':
      views.countUp(view, 'compaction_count');
      return NOTHING;
    case 'notification':
      people().otherChannels.noteDialogShown(view);
      return NOTHING;
    case 'prompt.submit':
      if (concerns.typedLine(event) !== undefined) return people().otherChannels.answerTyped(event, view);
      return typedSkill(event) === '' ? atPrompt(event, view) : satisfyBySkill(typedSkill(event), true, view);
    case 'prompt.expand':
      return (
        (views.hasRulesForPeople(view.config) ? people().channels.typedCommand(event, view) : undefined) ??
        satisfyBySkill(event.name, true, view)
      );
    default:
      return NOTHING;
  }
}

function isQuestion({ names }: ToolCall): boolean {
  return names.includes(concerns.QUESTION_TOOL);
}

/** True for a prompt without a skill or a request for work, and for a call that can trigger no requirement. */
function isIrrelevant(event: Event, config: RequirementsConfig): boolean {
  if (event.kind === 'prompt.submit')
    return (
      concerns.typedLine(event) === undefined &&
      typedSkill(event) === '' &&
      (config.isApart || !concerns.asksForWork(event))
    );
  if (!('call' in event) || isQuestion(event.call)) return false;
  const { skill, names } = event.call;
  const isPlan = names.includes('ExitPlanMode') || names.includes('EnterPlanMode');
  if (event.kind === 'tool.after' && (skill !== undefined || isPlan)) return false;
  if (views.hasEffects(config) && mayHaveEffect(event.call)) return false;
  return judge.triggerKinds(event.call, config.requirements).length === 0;
}

/**
 * A skill that a person types makes no tool call: only the prompt contains it. The prompt of a subagent does not
 * count, because an agent wrote it.
 */
function typedSkill({ text, origin }: EventOf<'prompt.submit'>): string {
  return origin === 'human' ? (/^\s*\/([\w:.-]+)(?:\s|$)/.exec(text)?.[1] ?? '') : '';
}

function atPermissionRequest(
  { call }: EventOf<'permission.request'>,
  { denyDangerous }: RequirementsConfig,
  ctx: Context,
): Verdict {
  if (!denyDangerous || call.command === undefined) return NOTHING;
  const danger = judge.dangerOf(ctx.commandLines(call.command) ?? [], ctx.home);
  if (danger === undefined) return NOTHING;
  const grounds = [{ rule: 'hooks.permission_request.auto_deny_dangerous', fact: danger }];
  return { kind: 'deny', reason: say.dangerText(danger), grounds };
}

/** At a prompt that asks for work: what comes before the design, or what is open before a change. */
function atPrompt({ text }: EventOf<'prompt.submit'>, view: View): Verdict {
  const { requirements, thinkFirst } = view.config;
  const thought = thinkFirst.onPrompt ? view.ctx.part('session').requirements.thinkFirst(view) : NOTHING;
  if (thought.kind !== 'nothing' || !concerns.CHANGE_WORDS.test(text)) return thought;
  const standing = judge.standings(view);
  const open = requirements.filter((one) => standing(one).kind === 'open').map(({ name }) => name);
  const toAgent = `**Requirements reminder**: ${open.length} unsatisfied: ${open.join(', ')}`;
  return open.length === 0 ? NOTHING : { kind: 'advise', toAgent, grounds: [] };
}

type Call = EventOf<'tool.before'>;

async function beforeTool(event: Call, view: View): Promise<Verdict> {
  const { call } = event;
  const { ctx, config } = view;
  const needsLines = judge.triggerKinds(call, config.requirements).includes('command');
  const lines = needsLines ? ctx.commandLines(call.command ?? '', true) : undefined;
  const isExempt = judge.isExempt(call, ctx);
  const callEffects = isExempt ? undefined : views.effectsOfCall(event, view);
  const triggered = isExempt ? [] : judge.triggeredBy(call, view, lines, callEffects);
  if (triggered.length === 0) {
    rememberSuspectCall(event, [], view);
    return NOTHING;
  }
  // Clean up the host's tool name, so that the fact stays one sentence.
  const subject = call.nativeName.replace(/\s+/g, ' ').slice(0, 100);
  const asked = triggered.filter(({ stopOnly }) => !stopOnly);
  ctx.asked(asked.map(({ name }) => name));
  const evaluations = await judge.withFindings(view, (findings) =>
    asked.map((requirement) => judge.evaluateRequirement(requirement, view, findings, subject, callEffects)),
  );
  for (const evaluation of evaluations) {
    if (evaluation.kind !== 'failed') continue;
    const { name: rule, mode, place } = evaluation.requirement;
    ctx.trouble({ code: 'rule.failed', rule, mode, place, detail: `not measured: ${evaluation.why}` });
  }
  register(view);
  const obstacles = judge.obstaclesIn(evaluations);
  if (obstacles.length > 0) return holdVerdict(event, obstacles, view, callEffects);
  takePasses(event, triggered, view);
  rememberSuspectCall(event, triggered, view);
  const near = dueWarnings(evaluations, view);
  noteTriggered(triggered, view);
  countAllowed(event, triggered, near, view);
  if (near.length === 0) return NOTHING;
  const grounds = near.map(({ requirement: { name, place }, fact }) => ({ rule: name, place, fact }));
  return { kind: 'advise', toAgent: say.nearText(near.map(({ fact }) => fact)), grounds };
}

/** Remembers a call that may do more than it shows, to check afterwards. */
function rememberSuspectCall(event: Call, triggered: readonly Requirement[], view: View): void {
  if (!views.isJudgedAfter(view.config)) return;
  if (onlyEdits(event.call, view.ctx) && !concerns.tellsEditsApart(view)) return;
  view.ctx.part('effect-rules').snapshots.noteSuspectCall(event, triggered, view);
}

async function holdVerdict(
  event: Call,
  obstacles: readonly say.Obstacle[],
  view: View,
  callEffects?: CallEffects,
): Promise<Verdict> {
  const tool = event.call.nativeName;
  // Identifies a denial by its requirements and reasons, whichever tool it was for.
  const facts = obstacles.map(({ requirement, fact }) => `${requirement.name} ${fact.replace(tool, '')}`);
  const about = digest([...facts, ...view.unreadable].join('\n'));
  const names = obstacles.map(({ requirement }) => requirement.name);
  countDenied(event, names, about, view);
  const write = isRepeated(event, about, view) ? say.repeatedText : say.denialText;
  const told = obstacles.map((one) => (callEffects ? withEffects(one, tool, callEffects, view) : one));
  const grounds = told.map((one) => say.groundsFor(one, view));
  const text = write(told, view);
  if (!views.hasRulesForPeople(view.config)) return { kind: 'deny', reason: text, grounds };
  const { channels, otherChannels, say: toPeople } = view.ctx.part('people');
  const ask = (reason: string): Verdict => {
    const asked = obstacles.map(({ requirement }) => requirement);
    takeAskedPasses(event, asked, view);
    rememberSuspectCall(event, asked, view);
    return { kind: 'ask', reason, grounds };
  };
  if (channels.canAskOnce(event, obstacles, view)) return ask(toPeople.asksPerson(names));
  const fresh = channels.askForApproval(obstacles, view);
  const question = otherChannels.askInDialog(event, obstacles, view);
  if (question !== undefined) return ask(question);
  const lines = [...channels.answerLines(obstacles, view), text, ...otherChannels.lineHint(obstacles, view)];
  return { kind: 'deny', reason: lines.join('\n'), grounds, ...channels.notifyPerson(fresh, view) };
}

/** Only an allowed call triggers a requirement: a denied one changed nothing that a stop could ask about. */
function noteTriggered(triggered: readonly Requirement[], view: View): void {
  const fresh = triggered.filter((requirement) => !view.isTriggered(requirement));
  if (fresh.length === 0) return;
  changeState(view, `triggered ${fresh.map(({ name }) => name).join(', ')}`, (current) =>
    fresh.reduce((state, { name, scope }) => states.trigger(state, view, name, scope, view.session), current),
  );
}

function afterTool(event: EventOf<'tool.after'>, view: View): Verdict {
  const { skill, names } = event.call;
  const { requirements } = view.config;
  if (views.hasRulesForPeople(view.config) && concerns.DIALOG_HOSTS.includes(event.host)) {
    const uncounted = view.ctx.part('people').otherChannels.answeredInDialog(event, view);
    if (uncounted !== undefined) return uncounted;
  }
  if (event.outcome === 'failure') {
    // A failed command may have done its work before: `deploy; false` has used an approval for one call.
    if (event.call.op === 'shell') consumePasses(event, view, ({ approval }) => approval === 'hub');
    return settlePasses(event, view) ? NOTHING : reportBreaches(event, view);
  }
  // A call that had its pass complied with the rule.
  const hadPass = consumePasses(event, view);
  if (skill !== undefined) return satisfyBySkill(skill, false, view);
  if (names.includes('EnterPlanMode') && view.config.thinkFirst.onPlan)
    return view.ctx.part('session').requirements.thinkFirst(view);
  if (hadPass) return NOTHING;
  if (!names.includes('ExitPlanMode')) return reportBreaches(event, view);
  // When the agent leaves plan mode, tell it what must be satisfied before the work.
  const toAgent = view.ctx.part('session').requirements.planText(requirements, judge.standings(view), view);
  return toAgent === undefined ? NOTHING : { kind: 'advise', toAgent, grounds: [] };
}

/** Right after a command, reports the commits and pushes that it made without satisfying their rule. */
function reportBreaches(event: EventOf<'tool.after'>, view: View): Verdict {
  if (event.call.op !== 'shell' || !concerns.checksRefsAfterCalls(view.config)) return NOTHING;
  const { breaches, say: effectMessages } = view.ctx.part('effect-rules');
  const found = breaches.breachesByCall(view, useHiddenPasses(event, view));
  if (found.length === 0) return NOTHING;
  const grounds = effectMessages.breachGrounds(found);
  return {
    kind: 'advise',
    toAgent: effectMessages.breachText(found),
    toPerson: effectMessages.breachNote(found),
    grounds,
  };
}

const REPEATED_SECONDS = 5;

type NearLimit = Extract<judge.Evaluation, { kind: 'near' }>;

function countAllowed(
  event: Call,
  triggered: readonly Requirement[],
  near: readonly NearLimit[],
  view: View,
): void {
  const { branch, now } = view;
  const names = triggered.map(({ name }) => name);
  const warned = near.map(({ requirement }) => [judge.findingKey(branch, requirement.name), now] as const);
  countOnce(event, names, false, view, (metrics) => ({
    // What is denied after a call that was allowed has not been denied all along.
    ...(metrics['last_denial'] !== undefined && { last_denial: {} }),
    ...(near.length > 0 && { warned: { ...objectIn(metrics, 'warned'), ...Object.fromEntries(warned) } }),
  }));
}

function countDenied(event: Call, names: readonly string[], about: string, view: View): void {
  const { now } = view;
  countOnce(event, names, true, view, (metrics) => {
    const isShort = isRepeated(event, about, { metrics, now });
    const call = event.call.callId;
    return { last_denial: { about, at: now, call, ...(isShort && { repeated: true }) } };
  });
}

/**
 * If several calls of one message are denied in a row, one full text is enough. If several of our processes deny the
 * same call, the host may show any of their texts, so all must be the same.
 */
function isRepeated({ call }: Call, about: string, { metrics, now }: Pick<View, 'metrics' | 'now'>): boolean {
  const last = objectIn(metrics, 'last_denial');
  const age = now - countIn(last, 'at');
  if (call.callId !== undefined && last['call'] === call.callId) return last['repeated'] === true;
  return last['about'] === about && age >= 0 && age < REPEATED_SECONDS;
}

/**
 * Counts a call, and adds the result of `more` to the counts. If our hook is registered more than once, several
 * processes see the same call; it counts once.
 */
function countOnce(
  event: Call,
  names: readonly string[],
  blocked: boolean,
  view: View,
  more: (metrics: JsonObject) => JsonObject,
): void {
  const { nativeName: tool, paths, command } = event.call;
  const use = { tool, blocked, file: paths[0], command: command && concerns.labelOf(event.call) };
  const callId = event.call.callId?.slice(0, views.LONGEST_CALL_ID);
  changeMetrics(view, (metrics) => {
    const seen = textsIn(metrics, 'last_calls');
    if (callId !== undefined && seen.includes(callId)) return metrics;
    return {
      ...metrics,
      ...more(metrics),
      ...views.countCall(metrics, use, names, view.now),
      ...views.agentsWith(metrics, event),
      last_calls: callId === undefined ? seen : [...seen, callId].slice(-views.CALLS_KEPT),
      ...(isRegistrationDue(view) && { registered_at: view.now }),
    };
  });
}

/** The warnings that are due: each is given once for as long as an approval would last. */
function dueWarnings(evaluations: readonly judge.Evaluation[], { metrics, branch, now }: View): NearLimit[] {
  const warned = objectIn(metrics, 'warned');
  return evaluations
    .filter((evaluation) => evaluation.kind === 'near')
    .filter(({ requirement, seconds }) => {
      const last = countIn(warned, judge.findingKey(branch, requirement.name));
      return last === 0 || now < last || now - last >= seconds;
    });
}

/**
 * Whether the session must be written to the registry. Its own counts tell, so that the registry, which all projects
 * share, is read once a minute and not at every call.
 */
function isRegistrationDue({ metrics, branch, now, ctx }: View): boolean {
  if (!isJsonObject(metrics) || metrics['branch'] !== branch) return true;
  if (now - countIn(metrics, 'registered_at') >= REFRESH_SECONDS) return true;
  // A registry that was deleted or emptied is rewritten at once.
  const registry = ctx.file({ path: `${ctx.home}/${REGISTRY.path}` });
  return registry.kind !== 'file' || registry.size < SHORTEST_ENTRY;
}

/** A registry with an entry has at least this many bytes. */
const SHORTEST_ENTRY = 100;

function register(view: View): void {
  if (!isRegistrationDue(view)) return;
  const { sessionId, project: projectDir, branch, ctx } = view;
  const { pid, now } = ctx;
  ctx.change(registerSession({ sessionId, projectDir, branch, host: ctx.hostProcess(), pid, now }));
}

const BY_SKILL: Who = { actor: 'skill', channel: 'hook' };

/**
 * Records what a skill satisfies, each requirement in its own scope. The agent calls the skill or a person types it,
 * with or without the plugin's name in front.
 */
function satisfyBySkill(skill: string, typed: boolean, view: View): Verdict {
  const { requirements, skills } = view.config;
  const key = [skill, skill.slice(skill.lastIndexOf(':') + 1)].find((one) => Object.hasOwn(skills, one));
  // The agent may be the one who runs or types a skill, so it never satisfies what is reserved for people.
  const satisfied = requirements.filter(
    ({ name, agentMaySatisfy }) => agentMaySatisfy && key !== undefined && skills[key]?.includes(name),
  );
  if (satisfied.length === 0) return NOTHING;
  const names = satisfied.map(({ name }) => name);
  const what = `satisfied ${names.join(', ')} by /${skill}`;
  const withSkill = (state: states.State, { name, scope, replanTtl }: Requirement): states.State => {
    const expires = replanTtl !== undefined && scope !== 'permanent';
    const satisfaction: states.Satisfaction = {
      by: 'skill',
      at: view.now,
      expiresAt: expires ? view.now + replanTtl : undefined,
      metadata: typed ? { skill, typed } : { skill },
      ...BY_SKILL,
    };
    return states.isPerSession(scope)
      ? states.satisfySession(state, view, name, scope, view.session, satisfaction)
      : states.satisfyRoot(state, view, name, scope, satisfaction);
  };
  for (const document of [view.file, PROJECT_FILE]) {
    const inIt = satisfied.filter(({ scope }) => (scope === 'permanent') === (document === PROJECT_FILE));
    const apply = (state: states.State): states.State => inIt.reduce(withSkill, state);
    if (inIt.length > 0) view.ctx.change({ document, what, by: BY_SKILL, apply });
  }
  changeMetrics(view, (metrics) => views.noteSkill(metrics, skill, names, view));
  return NOTHING;
}
