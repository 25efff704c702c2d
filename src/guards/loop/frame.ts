import { isJsonObject, type Json, type JsonObject } from '../../core/json';

export type Mode = 'loop' | 'issue' | 'grind' | 'unknown';

/** One loop of the stack, with what was written in `raw`. */
export interface Frame {
  readonly raw: JsonObject;
  readonly mode: Mode;
  readonly iter: number;
  readonly max: number;
}

const MODES: Readonly<Record<string, Mode>> = { loop: 'loop', task: 'loop', issue: 'issue', grind: 'grind' };

/** A frame, or `undefined` for one whose counts are no counts: it must not be continued. */
export function frameOf(value: Json | undefined, defaultMax: number): Frame | undefined {
  if (!isJsonObject(value)) return undefined;
  const iter = countIn(value['iter'], 0);
  const max = countIn(value['max'], defaultMax);
  if (iter === undefined || max === undefined) return undefined;
  return { raw: value, mode: modeIn(value['mode']), iter, max };
}

/** Whether `loop start` wrote it: only such a frame is ended for making no progress. */
export function isOurs({ raw }: Frame): boolean {
  return raw['origin'] === 'holdpoint';
}

/** A whole number that is not negative. Digits in quotes count too, in base ten whatever they begin with. */
function countIn(value: Json | undefined, absent: number): number | undefined {
  if (value === undefined || value === null) return absent;
  if (typeof value === 'string') return /^[0-9]+$/.test(value) ? Number(value) : undefined;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}

export function textField({ raw }: Frame, key: string): string | undefined {
  const value = raw[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function modeIn(value: Json | undefined): Mode {
  if (value === undefined || value === null) return 'loop';
  return (typeof value === 'string' && Object.hasOwn(MODES, value) && MODES[value]) || 'unknown';
}
