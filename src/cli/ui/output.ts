import { writeAll } from '../../exec/standard-io';

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Style = keyof typeof CODES;

/** Everything the command line prints goes through this. */
export interface Output {
  /** Returns whether anybody still reads. */
  line(text?: string): boolean;
  error(text: string): void;
  /** One JSON document on a line of its own; returns whether anybody still reads. */
  json(value: unknown): boolean;
  /** Colours a text after making it printable. */
  style(style: Style, text: string): string;
}

interface Streams {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

export function openOutput({ env, isTerminal }: Streams): Output {
  const colour = wantsColour(env, isTerminal);
  return {
    line: (text = '') => writeAll(1, `${text}\n`),
    error: (text) => void writeAll(2, `${printable(text)}\n`),
    json: (value) => writeAll(1, `${printableJson(value)}\n`),
    style: (style, text) => (colour ? `\x1b[${CODES[style]}m${printable(text)}\x1b[0m` : printable(text)),
  };
}

function wantsColour(env: Streams['env'], isTerminal: boolean): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  if (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0') return true;
  return isTerminal && env['TERM'] !== 'dumb';
}

/**
 * Makes text from a branch name, a tool or a prompt safe for a terminal: control characters are shown, never
 * sent. Line ends and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (char) => {
    const code = char.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
}

/** A value as one line of JSON that is safe for a terminal: the same characters are escaped the JSON way. */
function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Rows as aligned columns; the last column is not padded. */
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

/** How long ago, in the largest unit that fits. */
export function ago(seconds: number): string {
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h ago` : `${Math.floor(seconds / 86_400)}d ago`;
}
