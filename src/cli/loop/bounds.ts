import { fail, type Result, succeed } from '../../core/failure';
import * as say from './messages';

/** What ends a loop that does not end itself; what is absent is decided by the config. */
export interface Bounds {
  readonly max?: number;
  readonly seconds?: number;
  readonly tokens?: number;
}

interface Typed {
  readonly max: string | undefined;
  readonly minutes: string | undefined;
  readonly tokens: string | undefined;
}

const MOST_ITERATIONS = 1_000_000;
const MOST_MINUTES = 1_000_000;
const MOST_TOKENS = 1_000_000_000_000;

/** Reads bounds as they were typed. There is no unlimited loop, so zero is as wrong as a word. */
export function boundsOf({ max, minutes, tokens }: Typed): Result<Bounds, string> {
  const iterations = numberIn('--max', max, /^\d+$/, MOST_ITERATIONS);
  if (!iterations.ok) return iterations;
  const time = numberIn('--max-minutes', minutes, /^\d+(\.\d+)?$/, MOST_MINUTES);
  if (!time.ok) return time;
  const spent = numberIn('--max-tokens', tokens, /^\d+$/, MOST_TOKENS);
  if (!spent.ok) return spent;
  return succeed({
    ...(iterations.value !== undefined && { max: iterations.value }),
    ...(time.value !== undefined && { seconds: Math.max(1, Math.round(time.value * 60)) }),
    ...(spent.value !== undefined && { tokens: spent.value }),
  });
}

function numberIn(
  option: string,
  text: string | undefined,
  form: RegExp,
  most: number,
): Result<number | undefined, string> {
  if (text === undefined) return succeed(undefined);
  const value = form.test(text) ? Number(text) : Number.NaN;
  return value > 0 && value <= most ? succeed(value) : fail(say.badNumber(option, text, most));
}
