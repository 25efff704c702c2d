import { isPlainWord } from '../../../core/text';

/*
 * Every file of a run ends in its number; whatever else lies in the directory is somebody else's. No patterns, as
 * these names are looked at many times in a process that lasts milliseconds.
 */

const ENDINGS = ['.log', '.json'];
const MOST_DIGITS = 9;
const CONSOLE = 'console';
const LINE_BREAKS = ['\n', '\r', '\u2028', '\u2029'];

/** A job's log: its id with everything but plain characters replaced, then the slot, then the run. */
export function gateLogName(id: string, run: number, slot?: string): string {
  let stem = '';
  for (let at = 0; at < id.length; at++) stem += isPlainWord(id.charAt(at), '._-') ? id.charAt(at) : '_';
  return `${stem}${slot === undefined ? '' : `_${slot}`}.${run}.log`;
}

export function consoleLogName(run: number): string {
  return `${CONSOLE}.${run}.log`;
}

/** Whether a name ends as logs do; hidden files and names of several lines are none of ours. */
export function isLogName(name: string): boolean {
  if (name.startsWith('.') || !ENDINGS.some((ending) => name.endsWith(ending))) return false;
  return !LINE_BREAKS.some((sign) => name.includes(sign));
}

/** The run that a file belongs to; `undefined` for a file that is not of a run. */
export function runOf(name: string): number | undefined {
  if (!isLogName(name)) return undefined;
  const end = name.lastIndexOf('.');
  const from = name.lastIndexOf('.', end - 1) + 1;
  const digits = name.slice(from, end);
  return from > 1 && digits.length <= MOST_DIGITS && isNumber(digits) ? Number(digits) : undefined;
}

export function isConsoleLog(name: string): boolean {
  const [stem, digits = '', ending, ...rest] = name.split('.');
  return stem === CONSOLE && isNumber(digits) && ending === 'log' && rest.length === 0;
}

function isNumber(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charAt(at) < '0' || text.charAt(at) > '9') return false;
  return text !== '';
}
