import { parseArgs } from 'node:util';
import type { TopicMessage } from '../../core/document';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../core/json';
import { listAt, textAt } from '../../guards/workflow/json-path';
import { refuse } from '../req/refuse';
import { type Output, printable, type Style } from '../ui/output';
import type { Verb } from '../verb';
import {
  isNamed,
  type Loop,
  loopHistory,
  loopOf,
  readLoops,
  requireLoopPlace,
  SESSION_OPTIONS,
  sessionFor,
} from './loops';
import { endedLine, loopJson, loopLines, shortId, unclearState } from './text';

/** `holdpoint loop status`. */
export const status: Verb = {
  usage: 'holdpoint loop status [--session ID] [--all] [--json]',
  run(args, context) {
    const options = { ...SESSION_OPTIONS, all: { type: 'boolean', default: false } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const place = requireLoopPlace(context, 'status', values.session);
    if (place === undefined) return 2;
    const found = sessionFor(values.session, place, context.env);
    const now = Date.now();
    const loops = readLoops(place, now);
    const { out } = context;
    for (const one of loops.unclear) out.error(unclearState(one));
    const own = found.kind === 'found' ? loopOf(loops, found.id) : undefined;
    if (values.json) {
      const meant = found.kind === 'found' ? own : (loops.known.find(isOpen) ?? loops.known[0]);
      out.json({ ...loopJson(meant), ...(values.all && { loops: loops.known.map(loopJson) }) });
      return loops.home === undefined ? 1 : 0;
    }
    const asked = values.session === undefined ? loops.known : [own].filter((loop) => loop !== undefined);
    for (const line of statusLines(asked, own, now, out)) out.line(line);
    return loops.home === undefined ? 1 : 0;
  },
};

function isOpen({ standing }: Loop): boolean {
  return standing !== 'ended';
}

/** The loops that have not ended; where there is none, how the last one ended. */
function statusLines(asked: readonly Loop[], own: Loop | undefined, now: number, out: Output): string[] {
  const open = asked.filter(isOpen);
  if (open.length > 0)
    return open.flatMap((loop, index) => [
      ...(index === 0 ? [] : ['']),
      ...loopLines(loop, loop === own, now, out),
    ]);
  const last = own ?? asked[0];
  return ['No loop is live here.', ...(last === undefined ? [] : [endedLine(last, now, out)])];
}

const MAX_ENTRIES = 100_000;

/** `holdpoint loop log`. */
export const log: Verb = {
  usage: 'holdpoint loop log [--limit N] [--session ID] [--json]',
  run(args, context) {
    const options = { ...SESSION_OPTIONS, limit: { type: 'string', short: 'n', default: '20' } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const limit = /^\d+$/.test(values.limit) ? Number(values.limit) : 0;
    if (limit < 1 || limit > MAX_ENTRIES)
      return refuse(
        context,
        `holdpoint loop log: --limit takes a whole number from 1 to ${MAX_ENTRIES}, not '${printable(values.limit)}'.`,
        2,
      );
    const { session, json } = values;
    const place = requireLoopPlace(context, 'log', session);
    if (place === undefined) return 2;
    const history = loopHistory(place, session === undefined ? limit : MAX_ENTRIES);
    if (history.kind === 'unreadable') return refuse(context, unclearState(history), 1);
    const entries = (history.kind === 'read' ? history.newestFirst : [])
      .map(entryOf)
      .filter(({ state }) => session === undefined || isNamed(textAt(state, 'session_id') ?? '', session))
      .slice(0, limit)
      .reverse();
    const { out } = context;
    if (entries.length === 0 && !json) out.line('No loop was ever started here.');
    for (const entry of entries) if (!(json ? out.json(entry) : out.line(entryLine(entry, out)))) break;
    return 0;
  },
};

/** One message: when, and the state in it, or the text where it is none. */
interface Entry {
  readonly id: string | null;
  readonly at: string | null;
  readonly state?: JsonObject;
  readonly body?: string;
}

function entryOf({ id, at, body }: TopicMessage): Entry {
  const when = at === undefined || !(Math.abs(at) <= 8.64e15) ? null : new Date(at).toISOString();
  const state = jsonObjectIn(body);
  return { id: id ?? null, at: when, ...(state === undefined ? { body } : { state }) };
}

const STYLES: Readonly<Record<string, Style>> = { STATE: 'cyan', DONE: 'green', ABORT: 'yellow' };

function entryLine({ at, state, body = '' }: Entry, out: Output): string {
  const when = out.style('dim', (at ?? 'at an unknown time').replace(/\.\d+Z$/, 'Z'));
  if (state === undefined)
    return `${when}  ${out.style('yellow', `no state: ${oneLine(body.slice(0, 60))}`)}`;
  const event = textIn(state, 'event') || 'STATE';
  const owner = textIn(state, 'session_id');
  return [
    when,
    out.style('dim', (owner === '' ? 'any' : shortId(owner)).padEnd(8)),
    out.style(STYLES[event] ?? 'bold', event.padEnd(5)),
    out.style('bold', textIn(state, 'reason') || stackText(state)),
    out.style('dim', textIn(state, 'run_id')),
  ]
    .join('  ')
    .trimEnd();
}

function stackText(state: JsonObject): string {
  const frames = listAt(state, ['stack'])
    .filter(isJsonObject)
    .map(
      (one) => `${textIn(one, 'mode') || 'loop'} ${oneLine(one['iter'] ?? 0)}/${oneLine(one['max'] ?? 10)}`,
    );
  const paused = state['paused'] === undefined || state['paused'] === false ? '' : ' (paused)';
  return `${frames.join(' > ') || 'nothing left'}${paused}`;
}

function textIn(state: JsonObject, key: string): string {
  return typeof state[key] === 'string' ? oneLine(state[key]) : '';
}

/** Text written by others must not pass for another line. */
function oneLine(value: unknown): string {
  return String(value).replace(/[\r\n\t]+/g, ' ');
}
