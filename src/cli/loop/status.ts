import { listAt, objectAt, textAt, valueAt } from '../../config/pointer';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../core/json';
import { isSameSessionName, localTime, sessionKey } from '../../core/text';
import { type Ending, parseTime } from '../../guards/loop/state';
import type { TopicMessage } from '../../state/documents';
import { type Context, cannotRun, type ExitCode, type Options, Refusal, report } from '../context';
import { findSession, type UnknownSession } from '../req/find-session';
import { ago, print, printError, printJson, type Style, styled } from '../ui/output';
import {
  isOpen,
  type Loop,
  type LoopStatus,
  loopHistory,
  loopOf,
  readLoops,
  requireLoopPlace,
  unclearState,
} from './loops';

export function status(context: Context, values: Options<'all', 'session'>): ExitCode {
  const place = requireLoopPlace(context, 'status', values.session);
  const found = findSession(values.session, place);
  const now = Date.now();
  const loops = readLoops(place, now);
  for (const one of loops.unclear) printError(unclearState(one));
  const own = found.kind === 'found' ? loopOf(loops, found.id) : undefined;
  const meant = found.kind === 'found' ? own : (loops.known.find(isOpen) ?? loops.known[0]);
  const asked = loops.known.filter((loop) => values.session === undefined || loop === own);
  const value = { ...loopJson(meant), ...(values.all && { loops: loops.known.map(loopJson) }) };
  report(context, value, statusLines(asked, own, values.session, now));
  return loops.home === undefined ? 1 : 0;
}

/** The loops that have not ended; if there is none, how the last one ended. */
function statusLines(
  asked: readonly Loop[],
  own: Loop | undefined,
  session: string | undefined,
  now: number,
): string[] {
  const open = asked.filter(isOpen);
  if (open.length > 0) return open.flatMap((loop) => ['', ...loopLines(loop, loop === own, now)]).slice(1);
  const last = own ?? asked[0];
  return [`No loop is active ${whereOf(session)}.`, ...(last === undefined ? [] : [endedLine(last, now)])];
}

function whereOf(session: string | undefined): string {
  return session === undefined ? 'here' : `in session ${session}`;
}

const MAX_ENTRIES = 100_000;

export function log(context: Context, values: Options<never, 'session' | 'limit'>): ExitCode {
  const { limit: given = '', session } = values;
  const limit = /^\d+$/.test(given) ? Number(given) : 0;
  if (limit < 1 || limit > MAX_ENTRIES)
    throw cannotRun(
      `holdpoint loop log: --limit takes a whole number from 1 to ${MAX_ENTRIES}, not '${given}'.`,
    );
  const place = requireLoopPlace(context, 'log', session);
  const { trouble, newestFirst } = loopHistory(place, session === undefined ? limit : MAX_ENTRIES);
  if (trouble !== undefined) throw new Refusal(unclearState(trouble));
  const entries = newestFirst
    .map(entryOf)
    .filter(
      ({ state }) => session === undefined || isSameSessionName(textAt(state, 'session_id') ?? '', session),
    )
    .slice(0, limit)
    .reverse();
  const { json } = context;
  if (entries.length === 0 && !json) print(`No loop has been started ${whereOf(session)}.`);
  for (const entry of entries) if (!(json ? printJson(entry) : print(entryLine(entry)))) break;
  return 0;
}

/** A message: its time, and its state or, if it contains none, its text. */
function entryOf({ id, at, body }: TopicMessage) {
  const when = at === undefined || !(Math.abs(at) <= 8.64e15) ? null : new Date(at).toISOString();
  const state = jsonObjectIn(body);
  return { id: id ?? null, at: when, state, body: state === undefined ? body : undefined };
}

const STYLES: Readonly<Record<string, Style>> = { STATE: 'cyan', DONE: 'green', ABORT: 'yellow' };

function entryLine({ at, state, body = '' }: ReturnType<typeof entryOf>): string {
  const when = styled('dim', at === null ? 'at an unknown time' : localTime(Date.parse(at)));
  if (state === undefined)
    return `${when}  ${styled('yellow', `not a state: ${oneLine(body.slice(0, 60))}`)}`;
  const event = textIn(state, 'event') || 'STATE';
  const owner = textIn(state, 'session_id');
  const parts = [
    when,
    styled('dim', (owner === '' ? 'any' : (sessionKey(owner) ?? owner)).padEnd(8)),
    styled(STYLES[event] ?? 'bold', event.padEnd(5)),
    styled('bold', textIn(state, 'reason') || stackText(state)),
    styled('dim', textIn(state, 'run_id')),
  ];
  return parts.join('  ').trimEnd();
}

function stackText(state: JsonObject): string {
  const stack = listAt(state, ['stack']).filter(isJsonObject);
  const frames = stack.map((one) => {
    return `${textIn(one, 'mode') || 'loop'} ${oneLine(one['iter'] ?? 0)}/${oneLine(one['max'] ?? 10)}`;
  });
  const paused = state['paused'] === undefined || state['paused'] === false ? '' : ' (paused)';
  return `${frames.join(' > ') || 'nothing left'}${paused}`;
}

function textIn(state: JsonObject, key: string): string {
  return typeof state[key] === 'string' ? oneLine(state[key]) : '';
}

/** Text written by others must not be able to fake another line. */
function oneLine(value: unknown): string {
  return String(value).replace(/[\r\n\t]+/g, ' ');
}

const STATE_KEYS = ['event', 'reason', 'run_id', 'session_id', 'updated_at'];

/** A loop's state as JSON; absent values are null. */
export function stateJson(envelope: JsonObject, loopStatus: LoopStatus): JsonObject {
  return {
    active: loopStatus === 'active',
    ...Object.fromEntries(STATE_KEYS.map((key) => [key, envelope[key] ?? null])),
    stack: envelope['stack'] ?? [],
    ...(loopStatus === 'paused' && { paused: envelope['paused'] ?? true }),
    ...(loopStatus === 'stale' && { stale: true }),
  };
}

/** A loop as JSON; no loop looks like an ended one. */
export function loopJson(loop: Loop | undefined): JsonObject {
  if (loop === undefined) return stateJson({}, 'ended');
  const json = stateJson(loop.state.envelope, loop.status);
  return loop.off === undefined ? json : { ...json, active: false, switched_off: loop.off };
}

const DONE = '<loop-done>COMPLETE</loop-done>';
const ENDINGS = new Map([
  ['loop', DONE],
  ['task', DONE],
  ['issue', '<issue-complete>DONE</issue-complete>'],
  ['grind', '<grind-done>NO_MORE_ISSUES</grind-done>'],
]);

/** How an agent ends the current loop of a state. */
export function endingOf(envelope: JsonObject): string {
  const ending = ENDINGS.get(textAt(topFrame(envelope), 'mode') ?? 'loop');
  return ending ? `with ${ending} on a line of its own` : 'without a signal, because its mode is unknown';
}

/** The progress of the current loop of a state. */
export function progressOf(envelope: JsonObject): string {
  const top = topFrame(envelope);
  const [iteration, max] = [numberText(top, 'iter', '0'), numberText(top, 'max', '10')];
  return `iteration ${iteration}/${max} in mode ${textAt(top, 'mode') ?? 'loop'}`;
}

/** The current frame, or the one that was current when the run ended. */
function topFrame(envelope: JsonObject): JsonObject {
  const top = [...listAt(envelope, ['archived_stack']), ...listAt(envelope, ['stack'])].at(-1);
  return isJsonObject(top) ? top : {};
}

function numberText(frame: JsonObject, key: string, absent: string): string {
  const value = frame[key];
  return typeof value === 'number' || typeof value === 'string' ? String(value) : absent;
}

/** A loop as the subject of a sentence. */
export function loopName({ state: { sessionId } }: Loop): string {
  return `The loop of ${sessionId === undefined ? 'any session' : `session ${sessionId}`}`;
}

/** Loops as lines of a list. */
export function loopList(loops: readonly Loop[]): string[] {
  return loops.map(({ state: { envelope, sessionId }, status: loopStatus }) => {
    const run = typeof envelope['run_id'] === 'string' ? `, run ${envelope['run_id']}` : '';
    return `  ${sessionId ?? 'any session'}: ${loopStatus}, ${progressOf(envelope)}${run}`;
  });
}

/** Why no session was found, and how to name one. */
export function noSession({ live }: UnknownSession, root: string): string {
  const here = live.filter(({ projectDir }) => projectDir === root);
  return [
    here.length > 1
      ? `This project has ${here.length} live sessions. Choose one:`
      : 'Which session? None was given, and none could be found.',
    ...here.map((one) => `  ${one.id} (${one.branch})`),
    'There are three ways:',
    '  1. give it with --session ID',
    "  2. run this in the agent's own shell, which sets CLAUDE_CODE_SESSION_ID or a similar variable",
    '  3. have exactly one live session in this project (see `req sessions`), which has to have a config',
  ].join('\n');
}

const STATUS_STYLES = { active: 'green', paused: 'yellow', stale: 'yellow', ended: 'dim' } as const;

/** A loop in a few lines: session, progress, limits, and what ends it. */
function loopLines(loop: Loop, isOwn: boolean, now: number): string[] {
  const { state, status: loopStatus } = loop;
  const top = topFrame(state.envelope);
  const rows: readonly (readonly [label: string, text: string | undefined])[] = [
    ['age', ageText(loop, now)],
    ['limits', boundsText(state.envelope, now)],
    ['verify', textAt(top, 'verify')],
    ['issue', textAt(top, 'issue_id')],
    ['worktree', textAt(top, 'worktree_path')],
    ...state.stack.slice(0, -1).map((frame) => ['inside', progressOf({ stack: [frame] })] as const),
    ['ends', endText(loop)],
    ['run', `${textAt(state.envelope, 'run_id') ?? 'unnamed'} in ${loop.file}`],
  ];
  const owner = `${styled('bold', ownerText(loop))}${isOwn && state.sessionId !== undefined ? ' (this one)' : ''}`;
  return [
    `${owner}: ${styled(STATUS_STYLES[loopStatus], statusText(loop))}, ${styled('bold', progressOf(state.envelope))}`,
    ...rows.flatMap(([label, text]) =>
      text === undefined ? [] : [`  ${styled('dim', label.padEnd(10))}${styled('bold', text)}`],
    ),
  ];
}

function statusText({ status: loopStatus, off }: Loop): string {
  return off === undefined ? loopStatus : `switched off by ${off}`;
}

/** A loop on one line, for `holdpoint status`. */
export function loopRow(loop: Loop, now: number): string[] {
  return [ownerText(loop), statusText(loop), progressOf(loop.state.envelope), ageText(loop, now)];
}

function endedLine(loop: Loop, now: number): string {
  const { envelope } = loop.state;
  const at = parseTime(textAt(envelope, 'updated_at') ?? '');
  const how = howEnded(envelope);
  const when = at === undefined ? '' : `, ${ago((now - at) / 1000)}`;
  return styled('dim', `The last loop of ${ownerText(loop)} ended: ${how || 'reason unknown'}${when}.`);
}

const WHY_ENDED: Readonly<Record<Ending, string>> = {
  COMPLETE: 'the task is complete',
  STUCK: 'the agent is stuck',
  NO_MORE_ISSUES: 'there are no more issues',
  MAX_ISSUES: 'it reached its limit of issues',
  MAX_ITERATIONS: 'it reached its limit of iterations',
  MAX_MINUTES: 'its time is used up',
  MAX_TOKENS: 'its tokens are used up',
  NO_PROGRESS: 'it made no progress',
  STALE: 'it was inactive for too long',
  USER_CANCELLED: 'cancelled',
  CORRUPT: 'its state was invalid',
};

/** Other programs write states too, with reasons of their own. */
function howEnded(envelope: JsonObject): string {
  const reason = textAt(envelope, 'reason');
  if (reason !== undefined && Object.hasOwn(WHY_ENDED, reason))
    return `${WHY_ENDED[reason as Ending]} (${reason})`;
  return [textAt(envelope, 'event'), reason].filter(Boolean).join(' ');
}

function ownerText({ state: { sessionId: id } }: Loop): string {
  return id === undefined ? 'any session' : `session ${sessionKey(id) ?? id}`;
}

function ageText({ state: { envelope }, heartbeat }: Loop, now: number): string {
  const started = startOf(envelope);
  const sign = Math.max(parseTime(textAt(envelope, 'updated_at') ?? '') ?? 0, heartbeat ?? 0);
  const parts = [
    ...(started === undefined ? [] : [`started ${ago((now - started) / 1000)}`]),
    ...(sign === 0 ? [] : [`last active ${ago((now - sign) / 1000)}`]),
  ];
  return parts.join(', ') || 'unknown';
}

function boundsText(envelope: JsonObject, now: number): string {
  const top = topFrame(envelope);
  const { seconds, tokens } = objectAt(top, ['budget']) ?? {};
  const used = Number(valueAt(top, ['used', 'tokens'])) || 0;
  const left = Number(numberText(top, 'max', '10')) - Number(numberText(top, 'iter', '0'));
  const spent = (now - (startOf(envelope) ?? now)) / 1000;
  const minutes = (length: number): number => Math.max(0, Math.round(length / 6) / 10);
  const parts = [`${Math.max(0, left)} more ${left === 1 ? 'iteration' : 'iterations'}`];
  if (Number(seconds) > 0)
    parts.push(`${minutes(Number(seconds) - spent)} of ${minutes(Number(seconds))} minutes`);
  if (Number(tokens) > 0) parts.push(`${Math.max(0, Number(tokens) - used)} of ${Number(tokens)} tokens`);
  return parts.join(', ');
}

function startOf(envelope: JsonObject): number | undefined {
  return parseTime(textAt(topFrame(envelope), 'started_at') ?? textAt(envelope, 'started_at') ?? '');
}

function endText({ state, status: loopStatus }: Loop): string {
  const why = state.paused ? ` (${state.paused})` : '';
  return {
    active: `${endingOf(state.envelope)}, at a limit, or when a person runs \`holdpoint loop cancel\``,
    paused: `not while it is paused${why}; use \`holdpoint loop resume\` or \`holdpoint loop cancel\``,
    stale: 'at the next stop, as stale; `holdpoint loop resume` continues it',
    ended: 'it has ended',
  }[loopStatus];
}
