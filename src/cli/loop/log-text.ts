import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import type { Output, Style } from '../ui/output';
import type { HistoryEntry } from './log';
import { shortId } from './status-text';

const STYLES: Readonly<Record<string, Style>> = { STATE: 'cyan', DONE: 'green', ABORT: 'yellow' };
const LONGEST_BODY = 60;

/** One message on one line: when, whose, what became of which run. */
export function historyLine({ at, state, body }: HistoryEntry, out: Output): string {
  const when = out.style('dim', (at ?? 'at an unknown time').replace(/\.\d+Z$/, 'Z'));
  if (state === undefined)
    return `${when}  ${out.style('yellow', `no state: ${oneLine((body ?? '').slice(0, LONGEST_BODY))}`)}`;
  const event = textIn(state, 'event') || 'STATE';
  const owner = textIn(state, 'session_id');
  return [
    when,
    out.style('dim', (owner === '' ? 'any' : shortId(owner)).padEnd(8)),
    out.style(STYLES[event] ?? 'bold', event.padEnd(5)),
    out.style('bold', whatIn(state)),
    out.style('dim', textIn(state, 'run_id')),
  ]
    .join('  ')
    .trimEnd();
}

function whatIn(state: JsonObject): string {
  const reason = textIn(state, 'reason');
  if (reason !== '') return reason;
  const stack = Array.isArray(state['stack']) ? state['stack'] : [];
  const frames = stack.filter(isJsonObject).map(frameText).join(' > ');
  const paused = state['paused'] === undefined || state['paused'] === false ? '' : ' (paused)';
  return `${frames || 'nothing left'}${paused}`;
}

function frameText(frame: JsonObject): string {
  return `${textIn(frame, 'mode') || 'loop'} ${oneLine(frame['iter'] ?? 0)}/${oneLine(frame['max'] ?? 10)}`;
}

function textIn(state: JsonObject, key: string): string {
  return typeof state[key] === 'string' ? oneLine(state[key]) : '';
}

/** What was written by others must not pass for another line. */
function oneLine(value: Json | undefined): string {
  return String(value).replace(/[\r\n\t]+/g, ' ');
}
