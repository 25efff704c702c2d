import type { Requirement } from './section';
import type { HubStatus } from './signed';
import type { View } from './view';

/* What people and agents read about approvals. */

export const APPROVE = 'Approve';
export const REJECT = 'Reject';

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** Ends a sentence to the agent. */
export function askUser(command: string, channel: ReturnType<View['channel']> | undefined): string {
  if (channel === 'nobody')
    return `nobody can be asked in this session, so tell the user that you are waiting; they can run ${command} in their own terminal.`;
  if (channel !== 'question') return `ask the user to run ${command} in their own terminal.`;
  return `call AskUserQuestion with one question and the header "Holdpoint" (Holdpoint fills in its own words), or ask the user to run ${command} in their own terminal.`;
}

const INVITATION = 'with a line from `holdpoint hub invite`';

/** What a person must do before the hub can approve; `undefined` if nothing. */
function joinFirst(hub: HubStatus | undefined): string | undefined {
  switch (hub?.kind) {
    case 'absent':
      return `this machine has not joined one. A person has to run \`holdpoint join URL CODE\` in a terminal of their own, ${INVITATION}`;
    case 'refused':
      return `the hub at ${hub.url} no longer accepts this machine. A person has to run \`holdpoint join\` again, ${INVITATION}`;
    case 'other':
      return `this machine has joined ${hub.url}, but the config asks for another hub (\`hub.key\`). A person has to join that one with \`holdpoint join\``;
    default:
      return undefined;
  }
}

/** Tells the agent about rules that only the hub can approve. */
export function askOnHub(what: string, hub: HubStatus | undefined): string {
  const first = joinFirst(hub);
  if (first !== undefined)
    return `${what} can only be approved on a hub, and ${first}. Tell the user, and stop.`;
  return `${what} can only be approved on ${pageOf(hub)}. Tell the user that you are waiting.`;
}

function pageOf(hub: HubStatus | undefined): string {
  return `the hub's page${hub === undefined || hub.kind === 'absent' ? '' : ` (${hub.url})`}`;
}

export function waitsForHub(names: readonly string[], hub?: HubStatus): string {
  const how = joinFirst(hub) ?? `approve on ${pageOf(hub)}`;
  return `Only the hub approves ${listed(names)}: ${how}.`;
}

const SCOPES: Readonly<Record<Requirement['scope'], string>> = {
  session: 'for this session',
  branch: 'for this branch',
  permanent: 'for this project, for good',
  single_use: 'for one call',
};

/** The question that the person sees. Nothing in it comes from the agent. */
export function questionFor({ name, description, scope, type }: Requirement, branch: string) {
  const reach = type === 'dynamic' ? 'for a while' : SCOPES[scope];
  const what = oneLine(description ?? '');
  return {
    question: `Holdpoint: do you approve "${name}" ${reach}? (branch ${inSentence(branch)})${what === '' ? '' : ` Rule: ${what}`}`,
    header: 'Holdpoint',
    multiSelect: false,
    options: OPTIONS,
  };
}

export const OPTIONS = [
  { label: APPROVE, description: 'Satisfies the rule' },
  { label: REJECT, description: 'The rule stays open, and the agent is told' },
];

const LONGEST_BRANCH = 80;

/** An agent names its branches, and must not add a sentence of its own: spaces of any kind and invisible signs are shown as `?`. */
function inSentence(branch: string): string {
  const plain = branch.replace(/[^\p{L}\p{N}\p{P}\p{S}]/gu, '?');
  return plain.length > LONGEST_BRANCH ? `${plain.slice(0, LONGEST_BRANCH)}…` : plain;
}

export function asksPerson(names: readonly string[]): string {
  return `Holdpoint asks you to approve ${listed(names)}.`;
}

export const NOTHING_WAITS =
  'Nothing waits for a person in this session. Do what you are held for first; ask when a hold says so.';

export function nobodyToAsk(names: readonly string[], why: string, session: string): string {
  return `${listed(names)} cannot be approved by a question in this session, because ${why}.\nThe user can run \`${approveCommand(names, session)}\` in their own terminal.`;
}

function approveCommand(names: readonly string[], session: string): string {
  return `holdpoint approve ${names.join(' ')} --session ${session}`;
}

/* Why an answer does not count, as the end of a sentence. */

export const UNATTENDED = 'nobody is at its terminal';
export const CLIENT_UNKNOWN = 'the session began before Holdpoint was there to see who started it';
export const OTHER_CLIENT = 'this does not come from the client that the session began in';
export const SUBAGENT = 'only the main agent can ask';
export const NOT_ASKED = 'no such question is open';
export const NOT_SHOWN = 'the client has not shown a dialog for it';
export const UNCONFIRMED = "the client's own record does not confirm it";
export const OTHER_ANSWER = "the client's own record has another answer";
export const SCHEDULED =
  'it was sent by a timer, or typed while the agent worked: type it when the agent is idle';

export function answeredByHook(hook: string): string {
  return `another hook could answer in your place (${hook})`;
}

export function decidedBy(source: string): string {
  return `it was answered by ${source === 'hook' ? 'a hook' : `"${source.slice(0, 40)}"`}, not by a person`;
}

export function doesNotCount(why: string): string {
  return `an approval does not count: ${why}`;
}

export function ignoredText(names: readonly string[], why: string): string {
  return `Holdpoint: the approval of ${listed(names)} does not count: ${why}. The rule stays open.`;
}

/* Replies to a typed command. */

export function whichRule(given: string, waiting: readonly string[]): string {
  const unknown =
    given === '' ? 'Name the rule.' : `No rule called "${given.slice(0, 80)}" waits for a person.`;
  return `${unknown} ${waiting.length === 0 ? 'Nothing waits here.' : `Waiting: ${waiting.join(', ')}.`}`;
}

export function rejectedByYou(name: string, isSatisfied: boolean): string {
  if (!isSatisfied) return `Rejected: ${name}`;
  return `Rejected: ${name}. It is satisfied already and stays so; run \`holdpoint reject ${name}\` in a terminal to take that back.`;
}

export function notApproved(name: string, why: string): string {
  return `Not approved: ${name}, because ${why}.`;
}

/* For the agent and the person when something is held. */

export function rejected(name: string, note: string): string {
  return `Rejected by a person${note === '' ? '' : `: ${note.replace(/\s+/g, ' ').slice(0, 500)}`} (\`${name}\`). Change what was rejected first.`;
}

export function pending(name: string): string {
  return `The answer to \`${name}\` is not in the client's own record yet: try the call again in a moment, without asking again.`;
}

export function waitingForYou(names: readonly string[]): string {
  return `Holdpoint is waiting for you: ${names.join(', ')}`;
}

export function waitingText(
  names: readonly string[],
  channel: ReturnType<View['channel']>,
  hub: HubStatus | undefined,
  session: string,
): string {
  if (hub !== undefined) return `${waitingForYou(names)}. ${waitsForHub(names, hub)}`;
  const how =
    channel === 'question'
      ? 'the agent will ask you'
      : `run \`${approveCommand(names, session)}\` in a terminal of your own`;
  return `${waitingForYou(names)} (${how}).`;
}

export function channelNote(
  names: readonly string[],
  channel: ReturnType<View['channel']>,
  hasCommands: boolean,
  session: string,
): string {
  const typed = hasCommands ? `, or type /holdpoint:approve ${names.length === 1 ? names[0] : 'NAME'}` : '';
  const command = `run \`${approveCommand(['NAME'], session)}\` in a terminal of your own`;
  const how = {
    question: `the agent asks you in a dialog${typed}`,
    terminal: command,
    nobody: `nobody can be asked in this session; ${command}`,
  }[channel];
  return `Only a person approves ${listed(names)}: ${how}.`;
}

/* In hosts other than Claude Code. */

/** For the host's own dialog, in which the person allows or denies only the call. */
export function dialogText(rules: readonly Requirement[]): string {
  const asked = rules.map(({ name, description }) => {
    return description === undefined ? `\`${name}\`` : `\`${name}\` (${oneLine(description)})`;
  });
  const [only] = rules.length === 1 ? rules : [];
  const reach =
    only === undefined
      ? 'where they apply'
      : only.scope === 'single_use'
        ? 'for this call'
        : SCOPES[only.scope];
  return [
    `Holdpoint: do you approve ${asked.join(' and ')}?`,
    `If you allow this call, you approve ${only === undefined ? 'them' : 'it'} ${reach}.`,
  ].join('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300);
}

/** Tells the person at the start of a session how to approve. */
export function hostNote(names: readonly string[], channel: string): string {
  const how =
    channel === 'dialog'
      ? 'a dialog asks you when the agent needs it'
      : `type \`holdpoint approve ${names.length === 1 ? names[0] : 'NAME'}\` as a whole message`;
  return `Only a person approves ${listed(names)}: ${how}.`;
}

/** Tells the agent which line the user can type as a whole message. */
export function lineText(names: readonly string[]): string {
  return `Or the user types exactly this, as a whole message: holdpoint approve ${names.join(' ')}`;
}

/** For unattended runs, and if we cannot tell whether a person is there. */
export const NOBODY_THERE =
  'Nobody can be asked here: Holdpoint sees no person at the terminal of this run. Stop and say what has to be approved.';

export function approvedText(names: readonly string[]): string {
  return `Approved: ${names.join(', ')}`;
}

/** For an answer that does not count because it may not be a person's. */
export function notCounted(names: readonly string[], why: string): string {
  return `Not counted as approval of ${names.join(', ')}: ${why}.`;
}
