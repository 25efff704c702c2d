import type { Json } from '../core/json';
import { sessionKey } from '../core/text';
import type { Layout } from './documents';
import { lineOf } from './journal';
import { appendToLog } from './rotated-log';

/** Which rules were asked at one event. */
export interface Asking {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly sessionId: string;
  /** The id of the tool call, where the event is about one. */
  readonly call?: string | undefined;
  readonly rules: readonly string[];
}

/** Notes that rules were asked, for the statistics. What cannot be written is not counted, and nobody is told. */
export function noteAsked(layout: Layout, { at, sessionId, call, rules }: Asking): void {
  if (rules.length === 0) return;
  const session = sessionKey(sessionId) ?? '';
  const line: Record<string, Json> = {
    at,
    session,
    ...(call !== undefined && { call }),
    rules: [...new Set(rules)],
  };
  appendToLog(layout, 'asked', () => lineOf(line));
}
