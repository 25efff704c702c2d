import { isJsonObject } from '../core/json';

/** What a server tells of itself. */
export interface ServerStatus {
  readonly pid: number;
  readonly version: string;
  readonly build: string;
  /** Where its files are. */
  readonly dist: string;
  readonly startedAt: number;
  readonly answered: number;
  /** How many events were left to a process of their own, by reason. */
  readonly left: Readonly<Record<string, number>>;
  /** Half of the last thousand answers took less, in milliseconds. */
  readonly medianMs: number;
  /** In bytes. */
  readonly rss: number;
  /** The port of 127.0.0.1 that it answers on as well. */
  readonly http?: number;
}

/** `undefined` for anything that no server of ours says. */
export function statusFrom(text: string): ServerStatus | undefined {
  try {
    const said: unknown = JSON.parse(text);
    const whole = isJsonObject(said) && Number.isSafeInteger(said['pid']) && typeof said['dist'] === 'string';
    return whole ? (said as unknown as ServerStatus) : undefined;
  } catch {
    return undefined;
  }
}
