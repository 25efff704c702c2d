import { detailOf, errorCode } from '../../core/failure';
import { writeAll } from '../../exec/processes';

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Style = keyof typeof CODES;

let lost: string | undefined;

function write(text: string): boolean {
  return writeAll(1, `${text}\n`, (error) => {
    if (errorCode(error) !== 'EPIPE') lost ??= detailOf(error);
  });
}

/** Why standard output could not be written since the last call; not that its reader has seen enough. */
export function lostOutput(): string | undefined {
  const why = lost;
  lost = undefined;
  return why;
}

/** Control characters are escaped, except our own colours. Returns false once the reader has closed the stream. */
export function print(text = ''): boolean {
  return write(printableLine(text));
}

export function printAll(lines: readonly string[]): void {
  for (const line of lines) print(line);
}

export function printError(text: string): void {
  writeAll(2, `${printable(text)}\n`);
}

/** One JSON document on its own line; returns like `print`. */
export function printJson(value: unknown): boolean {
  return write(printableJson(value));
}

/** Escapes control characters, then adds colour. */
export function styled(style: Style, text: string, isTerminal = process.stdout.isTTY === true): string {
  const safe = printable(text);
  return wantsColour(process.env, isTerminal) ? `\x1b[${CODES[style]}m${safe}\x1b[0m` : safe;
}

function wantsColour(env: NodeJS.Dict<string>, isTerminal: boolean): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  if (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0') return true;
  return isTerminal && env['TERM'] !== 'dumb';
}

/**
 * Makes text from outside (branch names, tools, prompts) safe for a terminal by escaping control characters, except
 * line ends and tabs.
 */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (char) => {
    const code = char.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
}

/** Our own colours. Others are escaped: they could hide text that an agent has written. */
const COLOUR = new RegExp(`(\\x1b\\[(?:0|${Object.values(CODES).join('|')})m)`);

/** `printable` for text that may contain our own colours. */
export function printableLine(text: string): string {
  return inColour(text, printable);
}

/** Changes the text between colours. */
function inColour(text: string, change: (part: string) => string): string {
  const parts = text.split(COLOUR);
  return parts.map((part, index) => (index % 2 === 1 ? part : change(part))).join('');
}

/** One line of JSON that is safe for a terminal: the same characters become JSON escapes. */
function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** `undefined` if stdout is not a terminal. */
export function terminalColumns(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns || undefined : undefined;
}

/** Wraps text between words; an empty text has no lines. */
export function foldText(text: string, width: number): string[] {
  const most = Math.max(20, width) - 1;
  if (text.length <= most) return text === '' ? [] : [text];
  return text.match(new RegExp(`\\S.{0,${most - 1}}(?=\\s|$)|\\S+`, 'g')) ?? [text];
}

/**
 * Wraps a line to the terminal's width minus `beside`, with continuation lines below its last column. An indented
 * line without columns, such as a command, is not wrapped.
 */
export function folded(line: string, beside = 0): string[] {
  const columns = (terminalColumns() ?? Number.POSITIVE_INFINITY) - beside;
  const [start = ''] = /^\s*(?:.*\s{2,}(?=\S))?/.exec(line) ?? [];
  if (line.length <= columns || /^\s+$/.test(start)) return [line];
  const [first = '', ...rest] = foldText(line.slice(start.length), columns - start.length + 1);
  return [start + first, ...rest.map((one) => ' '.repeat(start.length) + one)];
}

/** Aligns rows in columns; the last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const safe = rows.map((row) => row.map(printable));
  const widthOf = (column: number): number => Math.max(...safe.map((row) => row[column]?.length ?? 0));
  return safe.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widthOf(column))))
      .join('  ')
      .trimEnd(),
  );
}

/** `1 event`, `2 events`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function ago(seconds: number): string {
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h ago` : `${Math.floor(seconds / 86_400)}d ago`;
}

const HIDE_CURSOR = '\x1b[?25l';
export const SHOW_CURSOR = '\x1b[?25h';

/** Lines that are redrawn in place on a terminal, overwritten one by one so that nothing flickers. */
export function openLiveLines(columns: number, write: (text: string) => void) {
  let shown: readonly string[] = [];
  const up = (): string => (shown.length > 0 ? `\x1b[${shown.length}A` : HIDE_CURSOR);
  const drawn = (lines: readonly string[]): string =>
    lines.map((line) => `\x1b[2K${fitted(line, columns)}\n`).join('');
  return {
    show: (lines: readonly string[]): void => {
      write(`${up()}\r${drawn(lines)}\x1b[0J`);
      shown = lines;
    },
    /** Prints permanent lines above the live ones. They may wrap, so everything below is erased first. */
    above: (lines: readonly string[]): void => {
      const kept = lines.map((line) => `${fitted(line, Number.POSITIVE_INFINITY)}\n`).join('');
      write(`${up()}\r\x1b[0J${kept}${drawn(shown)}`);
    },
    /** Leaves the last lines on the screen. */
    end: (): void => write(SHOW_CURSOR),
  };
}

/** Cuts a line, since a wrapped one would break the line count. Colour codes are kept and take no room. */
export function fitted(line: string, columns: number): string {
  let room = columns;
  return inColour(line, (part) => {
    const text = printable(part).slice(0, room);
    room -= text.length;
    return text;
  });
}
