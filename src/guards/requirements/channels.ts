import type { EventOf, ToolCall } from '../../core/event';
import type { HostProcess } from '../../core/guard';
import { countIn, type Json, type JsonObject, nameIn, objectIn, objectsIn, textIn } from '../../core/json';
import { type Grounds, NOTHING, type Verdict } from '../../core/verdict';
import { processState } from '../../exec/processes';
import * as say from './approval-messages';
import {
  answerChanges,
  changeRequests,
  closeRequests,
  forgetSession,
  openRequests,
  type PersonAnswer,
  type Request,
  rejectionIn,
  requestsIn,
} from './approvals';
import { QUESTION_TOOL } from './concerns';
import type { Obstacle } from './messages';
import { channelOfHost } from './other-channels';
import type { Requirement } from './section';
import { followsSession } from './state';
import { APPROVALS, clientsIn, presentValue, type View } from './view';

/*
 * How a person answers in Claude Code: in a question of the agent whose text we replace, with a command of the plugin
 * that only a person can type, or in the dialog for one call. An event alone proves nothing, since an agent can send
 * us any: an answer counts once the client's own record of the session confirms it.
 */

/** The open requests of this session. */
function waitingIn({ ctx, session }: View): Request[] {
  return requestsIn(presentValue(ctx.document(APPROVALS))).filter((one) => one.session === session);
}

/**
 * Opens approval requests when a call or a turn is held, and closes those that are satisfied by now. Returns the
 * rules that were not requested before.
 */
export function askForApproval(obstacles: readonly Obstacle[], view: View): readonly string[] {
  const { ctx, config, session } = view;
  const known = waitingIn(view);
  const isSettled = ({ rule, branch }: Request): boolean => {
    const there = branch === view.branch ? view : view.onBranch(branch);
    return config.requirements.some((one) => one.name === rule && there.isSatisfied(one));
  };
  if (known.some(isSettled))
    ctx.change(closeRequests('satisfied meanwhile', (one) => one.session === session && isSettled(one)));
  const fresh = obstacles
    .filter(({ requirement, remedy }) => !requirement.agentMaySatisfy && remedy === undefined)
    // Conditions such as a protected branch are not requested: the agent can do something about them.
    .filter(({ requirement: { type, approval } }) => type !== 'condition' || approval === 'hub')
    .filter((obstacle) => !known.some((one) => isCurrentRequest(one, obstacle, view)));
  if (fresh.length > 0)
    ctx.change(openRequests(fresh.map(({ requirement, branch }) => requestFor(requirement, view, branch))));
  return fresh.map(({ requirement: { name } }) => name);
}

/** Whether a request asks for what holds now: what counts on one branch is asked for anew on the next. */
function isCurrentRequest(request: Request, { requirement, branch }: Obstacle, view: View): boolean {
  if (request.rule !== requirement.name) return false;
  return countsOn(branch ?? view.branch, request, requirement) || request.answered !== undefined;
}

/** Whether the answer to a request counts on a branch. */
function countsOn(there: string, { branch }: Request, requirement: Requirement): boolean {
  return followsSession(requirement) || requirement.scope === 'permanent' || branch === there;
}

function requestFor(requirement: Requirement, view: View, branch = view.branch): Request {
  const { session, sessionId, project, now, ctx } = view;
  return {
    rule: requirement.name,
    description: requirement.description ?? '',
    session,
    sessionId,
    project,
    branch,
    since: now,
    decision: ctx.decisionId,
    channel:
      requirement.approval ??
      (view.channel() === 'question' ? 'question' : (channelOfHost(view) ?? 'terminal')),
    asked: [],
  };
}

/** A line for each obstacle that a person rejected, or whose approval is not confirmed yet. */
export function answerLines(obstacles: readonly Obstacle[], view: View): string[] {
  const { ctx, session } = view;
  const approvals = presentValue(ctx.document(APPROVALS));
  const waiting = waitingIn(view);
  return obstacles.flatMap(({ requirement: { name } }) => {
    const rejection = rejectionIn(approvals, name, session);
    if (rejection !== undefined) return [say.rejected(name, rejection.note)];
    const isPending = waiting.some(({ rule, answered }) => rule === name && answered !== undefined);
    return isPending ? [say.pending(name)] : [];
  });
}

/* The client of a session: an answer counts only if that process started our hook. */

type Client = { readonly pid: number; readonly start: string; readonly transcript: string };

function clientList(approvals: Json | undefined): (Client & { readonly session: string })[] {
  const clients = clientsIn(approvals);
  return Object.keys(clients).map((session) => {
    const entry = objectIn(clients, session);
    return {
      session,
      pid: countIn(entry, 'pid'),
      start: nameIn(entry, 'start') ?? '',
      transcript: textIn(entry, 'transcript') ?? '',
    };
  });
}

function clientOf({ ctx, session }: View): Client | undefined {
  return clientList(presentValue(ctx.document(APPROVALS))).find((one) => one.session === session);
}

const isSame = ({ pid, start = '' }: HostProcess, client: Client): boolean =>
  pid === client.pid && start === client.start;

/** The start of our hook lines, in settings and in the plugin. */
const HOOK_LINE = /^\S*sh -c (?:set -- --host claude-code;|H="\$CLAUDE_PLUGIN_ROOT\/hooks\/start\.sh")/;

/** The client, if it started this hook: only our own hook line may be in between, no shell of the agent. */
function clientAbove({ ctx }: View, isClient: (one: HostProcess) => boolean): HostProcess[] {
  const above = ctx.ancestors();
  const between = above[0]?.line ?? '';
  const near = above.slice(0, HOOK_LINE.test(between) ? 2 : 1);
  return near.filter(isClient);
}

/**
 * Notes the client that a session begins in, and says whether it is known now. While that process lives, no other can
 * take over the session.
 */
export function bindClient(view: View): boolean {
  const { ctx, session, event } = view;
  const known = clientList(presentValue(ctx.document(APPROVALS)));
  const gone = known.filter(({ pid, start }) => processState(pid, start || undefined) === 'dead');
  if (known.some((one) => one.session === session && !gone.includes(one))) return true;
  const { pid } = ctx.hostProcess();
  const [client] = clientAbove(view, (one) => one.pid === pid);
  // Drop the requests of sessions whose client has died.
  for (const one of gone) ctx.change(forgetSession(one.session));
  if (client === undefined) return false;
  const entry = { pid, start: client.start ?? '', transcript: event.transcriptPath ?? '' };
  ctx.change({
    document: APPROVALS,
    what: 'the client that the session runs in',
    apply: (current) => {
      const value = { version: 1, ...(typeof current === 'object' && !Array.isArray(current) && current) };
      return { ...value, clients: { ...objectIn(current, 'clients'), [session]: entry } };
    },
  });
  return true;
}

/** Why nobody can be asked here, as far as we can tell; `undefined` if a person can. */
function whyNobodyToAsk(view: View, tool: string): string | undefined {
  const { ctx, event } = view;
  const client = clientOf(view);
  if (client === undefined) return say.CLIENT_UNKNOWN;
  if (view.channel() !== 'question') return say.UNATTENDED;
  if (clientAbove(view, (one) => isSame(one, client)).length === 0) return say.OTHER_CLIENT;
  if ((event.transcriptPath ?? '') !== client.transcript) return say.OTHER_CLIENT;
  const [hook] = ctx.answeringHooks(tool);
  return hook === undefined ? undefined : say.answeredByHook(hook);
}

/* The question. */

/** The agent can ask at most four questions at once. */
const MOST_QUESTIONS = 4;

/** The agent asks its user on our behalf: the client shows our text, whatever the agent wrote. */
export function beforeQuestion({ call, agent }: EventOf<'tool.before'>, view: View): Verdict {
  const { config, ctx, now, session } = view;
  const given = objectsIn(call.input, 'questions');
  if (!given.some((one) => isOurs(one))) return NOTHING;
  const open = waitingIn(view).flatMap(({ rule, branch, answered, channel }) => {
    const requirement = config.requirements.find(({ name }) => name === rule);
    if (requirement === undefined || answered !== undefined || channel === 'hub') return [];
    return [{ rule, ...say.questionFor(requirement, branch) }];
  });
  const words = given.map((one) => `${one['question']}`).join('\n');
  const named = open.filter(({ rule }) => words.includes(rule));
  const questions = (named.length > 0 ? named : open).slice(0, MOST_QUESTIONS);
  const rules = questions.map(({ rule }) => rule);
  const why = agent === undefined ? whyNobodyToAsk(view, QUESTION_TOOL) : say.SUBAGENT;
  if (rules.length === 0) return refusedQuestion([], say.NOTHING_WAITS);
  if (why !== undefined) return refusedQuestion(rules, say.nobodyToAsk(rules, why, session));
  const { callId } = call;
  if (callId === undefined) return NOTHING;
  ctx.change(
    changeRequests(`asked a person: ${rules.join(', ')}`, session, (one) => {
      const question = questions.find(({ rule }) => rule === one.rule)?.question;
      if (question === undefined || one.asked.some((other) => other.call === callId)) return one;
      return { ...one, asked: [...one.asked, { call: callId, question, at: now, shown: false }] };
    }),
  );
  return {
    kind: 'ask',
    reason: say.asksPerson(rules),
    updatedInput: { questions: questions.map(({ rule: _, ...one }) => one) },
    grounds: rules.map((rule) => ({ rule, fact: 'a person is asked by a question of the session' })),
  };
}

function isOurs(question: JsonObject): boolean {
  return /^\s*holdpoint\s*$/i.test(textIn(question, 'header') ?? '');
}

function refusedQuestion(rules: readonly string[], reason: string): Verdict {
  const [fact = reason] = reason.split('\n');
  const names = rules.length === 0 ? ['approvals'] : rules;
  return { kind: 'deny', reason, grounds: names.map((rule) => ({ rule, fact })) };
}

/**
 * The client is about to show a dialog. It does not say for which call: take the oldest with that text. Another hook may
 * have given our answers other meanings.
 */
export function questionShown({ call }: EventOf<'permission.request'>, view: View): Verdict {
  const { ctx, session } = view;
  const shown = objectsIn(call.input, 'questions').filter(
    (one) => hasOwnOptions(one) && one['multiSelect'] !== true,
  );
  const isShown = (asked: Request['asked'][number]): boolean =>
    !asked.shown && shown.some((one) => textIn(one, 'question') === asked.question);
  if (!waitingIn(view).some(({ asked }) => asked.some(isShown))) return NOTHING;
  ctx.change(
    changeRequests('the question is shown', session, (one) => {
      const at = one.asked.findIndex(isShown);
      if (at < 0) return one;
      return {
        ...one,
        asked: one.asked.map((asked, index) => (index === at ? { ...asked, shown: true } : asked)),
      };
    }),
  );
  return NOTHING;
}

function hasOwnOptions(question: JsonObject): boolean {
  const options = objectsIn(question, 'options').map(({ label, description }) => ({ label, description }));
  return question['options'] === undefined || JSON.stringify(options) === JSON.stringify(say.OPTIONS);
}

/** The dialog was answered. An approval counts once the client's record confirms that a person gave it. */
export function afterQuestion({ call, response }: EventOf<'tool.after'>, view: View): Verdict {
  const { ctx, config, now } = view;
  const open = waitingIn(view).flatMap((request) => {
    const asked = request.asked.find((one) => one.call === call.callId);
    const requirement = config.requirements.find(({ name }) => name === request.rule);
    return asked === undefined || requirement === undefined ? [] : [{ request, asked, requirement }];
  });
  const isForUs =
    objectsIn(call.input, 'questions').some(isOurs) || objectsIn(response.raw, 'questions').some(isOurs);
  // Forged, replayed, late, or already handled by another of our processes: only the journal records it.
  const notAsked = [{ rule: 'approvals', fact: say.doesNotCount(say.NOT_ASKED) }];
  if (open.length === 0) return isForUs ? { kind: 'advise', grounds: notAsked } : NOTHING;
  const rules = open.map(({ request }) => request.rule);
  const why = open.every(({ asked }) => asked.shown) ? whyNobodyToAsk(view, QUESTION_TOOL) : say.NOT_SHOWN;
  if (why !== undefined) return ignoredVerdict(rules, why);
  const answers = objectIn(response.raw, 'answers');
  const notes = objectIn(response.raw, 'annotations');
  for (const { request, asked, requirement } of open) {
    const said = textIn(answers, asked.question);
    if (said === undefined || request.answered !== undefined) continue;
    const note = nameIn(objectIn(notes, asked.question), 'notes');
    const answer = { requirement, whose: request, channel: 'question', now } as const;
    const given: PersonAnswer =
      said === say.APPROVE
        ? { ...answer, verdict: 'approve', note, provisional: { call: asked.call, question: asked.question } }
        : { ...answer, verdict: 'reject', note: said === say.REJECT ? note : said };
    answerChanges(given, ctx.document).forEach(ctx.change);
  }
  return NOTHING;
}

/** Tells the journal and the person that an answer does not count. */
function ignoredVerdict(rules: readonly string[], why: string): Verdict {
  const grounds = rules.map((rule) => ({ rule, fact: say.doesNotCount(why) }));
  return { kind: 'advise', toPerson: say.ignoredText(rules, why), grounds };
}

/* The plugin's commands. */

/** The names under which the client knows the plugin's commands. */
const COMMANDS = { 'holdpoint:approve': 'approve', 'holdpoint:reject': 'reject' } as const;

/** A person typed one of our commands. The reply is for that person alone, and no turn begins. */
export function typedCommand(
  { name, args, source, raw }: EventOf<'prompt.expand'>,
  view: View,
): Verdict | undefined {
  const verdict = Object.hasOwn(COMMANDS, name) ? COMMANDS[name as keyof typeof COMMANDS] : undefined;
  if (verdict === undefined || source !== 'plugin') return undefined;
  const { ctx, config, now } = view;
  const [given = '', ...rest] = args.trim().split(/\s+/);
  const requests = waitingIn(view);
  const waiting = requests.map(({ rule }) => rule);
  const rule = given === '' && waiting.length === 1 ? (waiting[0] ?? '') : given;
  const requirement = config.requirements.find((one) => one.name === rule && !one.agentMaySatisfy);
  if (requirement === undefined) return replyVerdict('approvals', say.whichRule(given, waiting));
  if (requirement.approval === 'hub') return replyVerdict(rule, say.waitsForHub([rule], view.hub()));
  const whose = requestFor(requirement, view, requests.find((one) => one.rule === rule)?.branch);
  const answer = { requirement, whose, channel: 'command', now } as const;
  const note = rest.join(' ');
  if (verdict === 'reject') {
    answerChanges({ ...answer, verdict, note }, ctx.document).forEach(ctx.change);
    return replyVerdict(rule, say.rejectedByYou(rule, view.isSatisfied(requirement)));
  }
  const prompt = textIn(raw, 'prompt') ?? '';
  const isQueued = ctx.transcript({ promptBlocked: { prompt } }).promptBlocked === 'scheduled';
  const why = isQueued ? say.SCHEDULED : whyNobodyToAsk(view, QUESTION_TOOL);
  if (why !== undefined) return replyVerdict(rule, say.notApproved(rule, why));
  ctx.change(openRequests([answer.whose]));
  answerChanges({ ...answer, verdict, note, provisional: { call: prompt } }, ctx.document).forEach(
    ctx.change,
  );
  return replyVerdict(rule, `Approved: ${rule}`);
}

function replyVerdict(rule: string, reason: string): Verdict {
  return { kind: 'deny', reason, bare: true, grounds: [{ rule, fact: reason }] };
}

/* Confirmation. */

/** How long the client may take to write its record. */
const CONFIRMED_WITHIN_SECONDS = 60;

/** Looks up in the client's record the answers that were given before this event. */
export function confirmAnswers(view: View) {
  const { ctx, config, session, now } = view;
  const approved: Request[] = [];
  const grounds: Grounds[] = [];
  const toPerson: string[] = [];
  for (const request of waitingIn(view)) {
    const { rule, answered } = request;
    const requirement = config.requirements.find((one) => one.name === rule);
    if (answered === undefined || requirement === undefined) continue;
    const outcome = confirmed(answered, view);
    if (outcome === 'unknown' && now - answered.at < CONFIRMED_WITHIN_SECONDS) continue;
    if (outcome === 'yes') {
      const { channel, note } = answered;
      const answer = { verdict: 'approve', requirement, whose: request, channel, note, now } as const;
      answerChanges(answer, ctx.document).forEach(ctx.change);
      approved.push(request);
      continue;
    }
    const why = outcome === 'unknown' ? say.UNCONFIRMED : outcome;
    ctx.change(
      changeRequests(`withdrew the approval of ${rule}`, session, (one) => {
        if (one.rule !== rule || one.answered?.call !== answered.call) return one;
        const { answered: _, ...open } = one;
        return open;
      }),
    );
    grounds.push({ rule, fact: say.doesNotCount(why) });
    toPerson.push(say.ignoredText([rule], why));
  }
  /** Whether a rule is approved on a branch from now on. */
  const isApproved = (one: Requirement, branch: string): boolean =>
    approved.some((request) => request.rule === one.name && countsOn(branch, request, one));
  return { isApproved, grounds, toPerson };
}

/** `yes` if the client's record shows that a person approved, `unknown` if there is none yet; else why not. */
function confirmed(
  { channel, call, question = '', at }: NonNullable<Request['answered']>,
  view: View,
): 'yes' | 'unknown' | string {
  const { ctx, event } = view;
  const client = clientOf(view);
  // A forged event may name any transcript.
  if (client === undefined || event.transcriptPath !== client.transcript) return 'unknown';
  if (channel === 'command') {
    const origin = ctx.transcript({ promptBlocked: { prompt: call, sinceMs: at * 1000 } }).promptBlocked;
    return origin === undefined ? 'unknown' : origin === 'typed' ? 'yes' : say.SCHEDULED;
  }
  const { decidedOn } = ctx.transcript({ decidedOn: call });
  if (decidedOn === undefined) return 'unknown';
  const { source, result } = decidedOn;
  if (source !== 'user_temporary') return say.decidedBy(source);
  return textIn(objectIn(result, 'answers'), question) === say.APPROVE ? 'yes' : say.OTHER_ANSWER;
}

/** Adds the news about answers to a verdict. */
export function withAnswerNews(
  verdict: Verdict,
  { grounds, toPerson }: ReturnType<typeof confirmAnswers>,
): Verdict {
  if (toPerson.length === 0) return verdict;
  const text = toPerson.join('\n');
  if (verdict.kind === 'nothing') return { kind: 'advise', toPerson: text, grounds };
  const also = verdict.toPerson === undefined ? text : `${verdict.toPerson}\n${text}`;
  return { ...verdict, toPerson: also, grounds: [...verdict.grounds, ...grounds] };
}

/* The dialog for one call. */

/** Permission modes in which the client was seen to show a dialog for a hook's `ask`. */
const DIALOG_MODES: readonly string[] = ['default', 'acceptEdits'];
/** Kinds of tools whose dialog shows the reason. */
const DIALOG_OPERATIONS: readonly ToolCall['op'][] = ['shell', 'mcp', 'skill', 'agent'];

/** Whether the dialog of this call can ask the person: only one-call approvals by a person are missing. */
export function canAskOnce(
  { call, agent, permissionMode }: EventOf<'tool.before'>,
  obstacles: readonly Obstacle[],
  view: View,
): boolean {
  const isOnce = obstacles.every(
    ({ requirement: { scope, type, agentMaySatisfy, approval }, remedy }) =>
      scope === 'single_use' &&
      type === 'blocking' &&
      !agentMaySatisfy &&
      approval === undefined &&
      remedy === undefined,
  );
  if (!isOnce || agent !== undefined || !DIALOG_OPERATIONS.includes(call.op)) return false;
  if (!DIALOG_MODES.includes(permissionMode?.native ?? '')) return false;
  return whyNobodyToAsk(view, call.nativeName) === undefined;
}

/** Tells the person at the start of a session how to approve in it. */
export function channelNote(view: View): string {
  const { config, ctx, session } = view;
  const reserved = config.requirements.filter(({ agentMaySatisfy }) => !agentMaySatisfy);
  const onHub = reserved.filter(({ approval }) => approval === 'hub').map(({ name }) => name);
  const names = reserved.filter(({ approval }) => approval !== 'hub').map(({ name }) => name);
  const own = channelOfHost(view);
  const note = (): string =>
    own === undefined
      ? say.channelNote(names, view.channel(), ctx.env('CLAUDE_PLUGIN_ROOT') !== '', session)
      : say.hostNote(names, own);
  return [
    ...(names.length > 0 ? [note()] : []),
    ...(onHub.length > 0 ? [say.waitsForHub(onHub, view.hub())] : []),
  ].join('\n');
}

/** What the person reads when an agent is held, once for each request. */
export function notifyPerson(fresh: readonly string[], view: View): { toPerson?: string; notify?: string } {
  // The agent itself can get out of a protected branch or a value that is too large.
  const asked = view.config.requirements.filter(
    ({ name, type }) => type === 'blocking' && fresh.includes(name),
  );
  if (asked.length === 0) return {};
  const texts = [false, true].map((isHub) => {
    const names = asked.filter(({ approval }) => (approval === 'hub') === isHub).map(({ name }) => name);
    const hub = isHub && names.length > 0 ? view.hub() : undefined;
    return names.length === 0 ? '' : say.waitingText(names, view.channel(), hub, view.session);
  });
  const notify = say.waitingForYou(asked.map(({ name }) => name));
  return { toPerson: texts.filter(Boolean).join('\n'), notify };
}
