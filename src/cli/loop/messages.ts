import type { Failure } from '../../core/failure';
import { isJsonObject, type JsonObject } from '../../core/json';
import type { UnknownSession } from '../req/find-session';
import { printable } from '../ui/output';
import { endingOf } from './endings';
import type { Loop } from './loops';
import type { MeantSession } from './session';

const START = 'holdpoint loop start:';

export function badNumber(option: string, text: string, most: number): string {
  const what = option === '--max-minutes' ? 'minutes' : 'a whole number';
  return `${START} ${option} takes ${what} from 1 to ${most}, not '${printable(text)}'. There is no unlimited loop.`;
}

export function badMode(mode: string, known: readonly string[]): string {
  return `${START} --mode takes ${known.join(', ')}, not '${printable(mode)}'.`;
}

export const NO_ISSUE = `${START} --mode issue needs the issue: --issue ID.`;

export function issueOutside(mode: string): string {
  return `${START} --issue goes with --mode issue, not with --mode ${mode}.`;
}

export function badIssue(issue: string): string {
  return `${START} --issue takes an id of one line with at least one letter, digit, '_' or '-', not '${printable(issue)}'.`;
}

export const BRANCH_ALONE = `${START} --branch goes with --worktree PATH.`;

export function badName(option: string): string {
  return `${START} ${option} takes one line that is not empty.`;
}

export const EMPTY_VERIFY = `${START} --verify takes a command, not an empty text.`;
export const VERIFY_WITHOUT_GIT = `${START} --verify needs a git repository: the command is noted in its git directory, since a state that came with somebody's files must never have a command run. Nothing was started.`;
export const FORCE_AND_PUSH = `${START} --force replaces the live loop, --push puts one on top of it; choose.`;
export const SEVERAL_PROMPTS = `${START} give the prompt as one argument, in quotes, or on standard input with '-'.`;
export const EMPTY_PROMPT = `${START} the prompt is empty.`;
export const NO_PROMPT_TO_INCLUDE = `${START} --include-prompt needs a prompt.`;

export function emptySession(verb: string): string {
  return `holdpoint loop ${verb}: --session takes the id of a session, not an empty text.`;
}

export function unreadPrompt(failure: Failure): string {
  const why = failure.code === 'input.too-large' ? `it is larger than ${failure.limit} bytes` : failure.code;
  return `${START} the prompt could not be read from standard input (${why}).`;
}

/** Why no session could be told, and the ways to give one. */
export function noSession({ live }: UnknownSession, root: string): string {
  const here = live.filter(({ projectDir }) => projectDir === root);
  const why =
    here.length > 1
      ? `This project has ${here.length} live sessions, and nothing says which one is meant:`
      : 'Nothing says which session is meant.';
  return [
    why,
    ...here.map((one) => `  ${printable(one.id)} (${printable(one.branch)})`),
    'There are three ways:',
    '  1. give it: --session ID',
    "  2. run this in the agent's own shell, where CLAUDE_CODE_SESSION_ID or its like is set",
    '  3. have exactly one live session in this project (`req sessions` lists them)',
  ].join('\n');
}

export const NO_PLACE = `There is no place to keep a loop here: neither git, nor .holdpoint/, nor a message store with messages.
Change into a repository, or create .holdpoint/ at the project's root.`;

export function noWorktree(dir: string): string {
  return `${START} --worktree: there is no directory ${printable(dir)}.`;
}

export function otherBranch(dir: string, here: string | undefined, asked: string): string {
  const found = here === undefined ? 'is in no git repository' : `is on branch ${printable(here)}`;
  return `${START} ${printable(dir)} ${found}, not on ${printable(asked)}. Nothing was started.`;
}

export function unclearState({ file, why }: { readonly file: string; readonly why: string }): string {
  return `${printable(file)} ${printable(why)}; no loop can be told from it.`;
}

export function notChanged(sentence: string, partly = false): string {
  return `${partly ? 'Not everything could be done' : 'Nothing was changed'}: ${sentence}`;
}

export function alreadyLive(loop: Loop): string {
  const paused = loop.standing === 'paused' ? ', or `holdpoint loop resume` goes on with it' : '';
  return [
    `${named(loop)} is ${loop.standing} already: ${progressOf(loop.state.envelope)}. Nothing was started.`,
    `  --force replaces it, --push starts this one inside of it, \`holdpoint loop cancel\` ends it${paused}.`,
  ].join('\n');
}

export function cannotPush(loop: Loop): string {
  const why =
    loop.standing === 'paused'
      ? 'it is paused; resume it first'
      : `${printable(loop.file)} holds one loop only`;
  return `Nothing can be put on top of that loop: ${why}, or replace it with --force.`;
}

export function startedLines(state: JsonObject, { id, rule, explicit }: MeantSession): string[] {
  const how = explicit ? '' : ` (${rule})`;
  const top = topOf(state);
  const mode = typeof top['mode'] === 'string' ? top['mode'] : '';
  return [
    `Loop started for session ${printable(id)}${printable(how)}: ${progressOf(state)}.`,
    `It ends ${endingOf(mode)}, at a bound, or by \`holdpoint loop cancel\`.`,
  ];
}

/** A session that has no such loop; what others have is named, since one of them may be meant. */
export function noLoopOf(session: string, verb: string, others: readonly Loop[]): string {
  const none = `Session ${printable(session)} has no loop to ${verb}.`;
  return others.length === 0 ? none : [none, 'Others have:', ...others.map(row), WHICH].join('\n');
}

export function noLoop(verb: string): string {
  return `There is no loop to ${verb} here.`;
}

export function severalLoops(verb: string, loops: readonly Loop[]): string {
  return [`There are ${loops.length} loops to ${verb}:`, ...loops.map(row), WHICH].join('\n');
}

export function severalToResume(loops: readonly Loop[]): string {
  return [`There are ${loops.length} loops to resume:`, ...loops.map(row), FROM].join('\n');
}

/** Loops that run, as far as their state says; their sessions may have ended all the same. */
export function onlyByName(loops: readonly Loop[]): string {
  return ['No loop rests here. Other sessions have:', ...loops.map(row), FROM].join('\n');
}

export function runsAlready(loop: Loop): string {
  return `${named(loop)} is active already: ${progressOf(loop.state.envelope)}.`;
}

export function pausedAlready(loop: Loop): string {
  return `${named(loop)} is paused already, at ${progressOf(loop.state.envelope)}. \`holdpoint loop resume\` goes on with it.`;
}

export function pausedLine(loop: Loop): string {
  return `${named(loop)} is paused at ${progressOf(loop.state.envelope)}. \`holdpoint loop resume\` goes on with it.`;
}

export function resumedLines(state: JsonObject, owner: string, before: string | undefined): string[] {
  const from =
    before === owner
      ? ''
      : `, taken over from ${before === undefined ? 'nobody' : `session ${printable(before)}`}`;
  return [`The loop of session ${printable(owner)} goes on${from}: ${progressOf(state)}.`];
}

export function cancelledLines(loops: readonly Loop[], changed: boolean): string[] {
  if (loops.length > 0) return loops.map((loop) => `${named(loop)} is cancelled.`);
  return [
    changed ? 'What was left of a loop is removed.' : 'No loop is live here; there was nothing to cancel.',
  ];
}

export function badLimit(text: string, most: number): string {
  return `holdpoint loop log: --limit takes a whole number from 1 to ${most}, not '${text}'.`;
}

export const NO_HISTORY = 'No loop was ever started here.';

const FROM = 'Name the one that shall go on in this session: --from SESSION, or --from RUN.';
const WHICH = 'Name the one that is meant: --session ID.';

function row(loop: Loop): string {
  const { envelope, sessionId } = loop.state;
  const run = typeof envelope['run_id'] === 'string' ? `, run ${envelope['run_id']}` : '';
  return printable(`  ${sessionId ?? 'any session'}: ${loop.standing}, ${progressOf(envelope)}${run}`);
}

function named({ state }: Loop): string {
  return state.sessionId === undefined
    ? 'The loop of any session'
    : `The loop of session ${printable(state.sessionId)}`;
}

function progressOf(envelope: JsonObject): string {
  const { iter = 0, max = 10, mode = 'loop' } = topOf(envelope);
  return printable(`iteration ${String(iter)}/${String(max)} in mode ${String(mode)}`);
}

/** The current frame, or the one that was when the run ended. */
function topOf({ stack, archived_stack: archived }: JsonObject): JsonObject {
  const frames = [archived, stack].flatMap((list) => (Array.isArray(list) ? list : []));
  const top: unknown = frames.at(-1);
  return isJsonObject(top) ? top : {};
}
