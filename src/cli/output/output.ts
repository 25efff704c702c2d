import { writeAll } from '../../exec/standard-io';
import { printable, printableJson } from './printable';

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Style = keyof typeof CODES;

/** The one way in which the command line speaks. Everything passes `printable` before it is coloured. */
export interface Output {
  /** Tells whether anybody still reads. */
  line(text?: string): boolean;
  error(text: string): void;
  /** One JSON document on a line of its own; tells whether anybody still reads. */
  json(value: unknown): boolean;
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
