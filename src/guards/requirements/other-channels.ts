import type { EventOf, ToolCall } from '../../core/event';
import type { HostName } from '../../core/host-name';
import { nameIn } from '../../core/json';
import { digest } from '../../core/text';
import type { Verdict } from '../../core/verdict';
import { approvedText, dialogText, lineText, NOBODY_THERE, notCounted } from './approval-messages';
import {
  type AnswerTarget,
  answerChanges,
  type Channel,
  changeRequests,
  closeAnswered,
  type Request,
  requestsIn,
  whyChannelNotAllowed,
} from './approvals';
import { DIALOG_HOSTS, LINE_HOSTS, typedLine } from './concerns';
import { type Obstacle, wayOf } from './messages';
import type { Requirement } from './section';
import { APPROVALS, presentValue, type View } from './view';

/*
 * How a person approves in hosts other than Claude Code. Gemini CLI and Copilot CLI show a dialog if a hook asks, in
 * all of their modes, and tell hooks that they do; if the call runs afterwards, the person approved. In Codex a
 * person types a line. Either counts only if the event comes from the client and a person started that client.
 */

/** Arguments of unattended runs: with a prompt, or as a server for another program. */
const HEADLESS: Partial<Record<HostName, RegExp>> = {
  gemini: /^(?:-p|--prompt(?:=.*)?|--acp|--experimental-acp)$/,
  copilot: /^(?:-p|--prompt(?:=.*)?|--acp|--server|--headless)$/,
  codex: /^(?:exec|e|review|app-server|mcp-server|cloud)$/,
};

/** Why an answer in this session would not be a person's; `undefined` if it would. */
function whyNotAPerson({ ctx, event }: View): string | undefined {
  const { args, isAttended, isSender } = ctx.client();
  if (!isSender) return 'the event did not come from the client';
  if (!isAttended) return 'an agent has started the client';
  const isHeadless = args.slice(1).some((word) => HEADLESS[event.host]?.test(word));
  return isHeadless ? 'the client was started without a person' : undefined;
}

/** The session's own channel; `undefined` if there is only a terminal, or this event cannot tell. */
export function channelOfHost(view: View): Channel | undefined {
  const { host, kind } = view.event;
  const isDialog = DIALOG_HOSTS.includes(host);
  // A dialog can ask only about a tool call; the start of a session announces it.
  if (!(isDialog ? ['tool.before', 'session.start'].includes(kind) : LINE_HOSTS.includes(host)))
    return undefined;
  if (whyNotAPerson(view) !== undefined) return undefined;
  return isDialog ? 'dialog' : 'command';
}

/** The text of the host's dialog, if the call is held only for approvals that can be given there. */
export function askInDialog(
  event: EventOf<'tool.before'>,
  obstacles: readonly Obstacle[],
  view: View,
): string | undefined {
  const rules = obstacles.map(({ requirement }) => requirement);
  const isAskable = (one: Obstacle): boolean =>
    wayOf(one, view) === 'approve' && whyChannelNotAllowed('dialog', one.requirement) === undefined;
  if (!obstacles.every(isAskable) || channelOfHost(view) !== 'dialog') return undefined;
  const names = rules.map(({ name }) => name);
  const asked = { call: keyOf(event.call), question: '', at: view.now, shown: false };
  view.ctx.change(
    changeRequests(`asked a person for ${names.join(', ')}`, view.session, (one) =>
      names.includes(one.rule)
        ? {
            ...one,
            channel: 'dialog',
            asked: [...one.asked.filter(({ call }) => call !== asked.call), asked].slice(-KEPT),
          }
        : one,
    ),
  );
  return dialogText(rules);
}

const KEPT = 20;

/** Identifies a call in all events about it: not all hosts give calls an id. */
function keyOf({ nativeName, input }: ToolCall): string {
  return digest(JSON.stringify([nativeName, input]));
}

const openDialogs = ({ ctx, session }: View): Request[] =>
  requestsIn(presentValue(ctx.document(APPROVALS))).filter(
    (one) => one.session === session && one.asked.length > 0,
  );

/** The host notifies us that it shows a dialog. */
export function noteDialogShown(view: View): void {
  const type = nameIn(view.event.raw, 'notification_type', 'notificationType');
  if (type !== 'ToolPermission' && type !== 'permission_prompt') return;
  if (openDialogs(view).length === 0 || whyNotAPerson(view) !== undefined) return;
  view.ctx.change(
    changeRequests('the dialog is shown', view.session, (one) => {
      if (one.asked.every(({ shown }) => shown)) return one;
      return { ...one, asked: one.asked.map((asked) => ({ ...asked, shown: true })) };
    }),
  );
}

/** A call that we asked about has run: the person approved, if the dialog was shown to one. */
export function answeredInDialog(event: EventOf<'tool.after'>, view: View): Verdict | undefined {
  const call = keyOf(event.call);
  const about = openDialogs(view).filter(({ asked }) => asked.some((one) => one.call === call));
  if (about.length === 0) return undefined;
  const names = about.map(({ rule }) => rule);
  const isShown = about.every(({ asked }) => asked.some((one) => one.call === call && one.shown));
  const why = whyNotAPerson(view) ?? (isShown ? undefined : 'the client did not show its dialog');
  if (why !== undefined) {
    const fact = notCounted(names, why);
    return { kind: 'advise', toPerson: fact, grounds: names.map((rule) => ({ rule, fact })) };
  }
  for (const request of about) {
    const requirement = view.config.requirements.find(({ name }) => name === request.rule);
    if (requirement !== undefined) approve(requirement, request, 'dialog', view);
  }
  return undefined;
}

/** Records an approval. One for a single call, given in a dialog, is used up: that call has just run. */
function approve(requirement: Requirement, whose: AnswerTarget, channel: Channel, view: View): void {
  const { name, scope } = requirement;
  const by = { actor: 'person', channel } as const;
  const isOver = (one: { rule: string; session: string }): boolean =>
    one.rule === name && one.session === view.session;
  const changes =
    scope === 'single_use' && channel === 'dialog'
      ? [{ ...closeAnswered(isOver), what: `satisfied ${name}`, by }]
      : answerChanges({ verdict: 'approve', requirement, whose, channel, now: view.now }, view.ctx.document);
  for (const change of changes) view.ctx.change(change);
}

/** Records the approval, or says why it does not count. Either way the prompt is blocked: no turn begins. */
export function answerTyped(event: EventOf<'prompt.submit'>, view: View): Verdict {
  const names = typedLine(event) ?? [];
  const rules = names.map((name) => view.config.requirements.find((one) => one.name === name));
  const known = rules.filter((one) => one !== undefined);
  const unknown = names.find((_, at) => rules[at] === undefined);
  const list = view.config.requirements.map(({ name }) => name).join(', ');
  const why =
    whyNotAPerson(view) ??
    (unknown === undefined ? undefined : `there is no rule '${unknown}' (known: ${list})`) ??
    known.map((one) => whyChannelNotAllowed('command', one)).find((one) => one !== undefined);
  const requests = requestsIn(presentValue(view.ctx.document(APPROVALS)));
  const whose = ({ name }: Requirement): AnswerTarget =>
    requests.find(({ rule, session }) => rule === name && session === view.session) ?? view;
  if (why === undefined)
    for (const requirement of known) approve(requirement, whose(requirement), 'command', view);
  const reason = why === undefined ? approvedText(names) : notCounted(names, why);
  return { kind: 'deny', reason, bare: true, grounds: names.map((rule) => ({ rule, fact: reason })) };
}

/** Tells how the user can approve besides in a terminal, or that nobody can. */
export function lineHint(obstacles: readonly Obstacle[], view: View): string[] {
  const { host } = view.event;
  const names = obstacles
    .filter(
      (one) =>
        !one.requirement.agentMaySatisfy && whyChannelNotAllowed('command', one.requirement) === undefined,
    )
    .map(({ requirement }) => requirement.name);
  if (names.length === 0 || ![...DIALOG_HOSTS, ...LINE_HOSTS].includes(host)) return [];
  if (channelOfHost(view) === undefined) return [NOBODY_THERE];
  return LINE_HOSTS.includes(host) ? [lineText(names)] : [];
}
