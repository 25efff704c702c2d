import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import type { EndReason } from './state';
import { parseTime } from './times';

/** An offset from which nothing counts and only the end is told. */
const BEHIND_THE_END = Number.MAX_SAFE_INTEGER;

/** A bound other than iterations that a frame has reached. */
export interface Spent {
  /** The frame's place in the stack: with an outer one all that is on top of it ends too. */
  readonly index: number;
  readonly reason: Extract<EndReason, 'MAX_MINUTES' | 'MAX_TOKENS'>;
}

/** The outermost frame that has used up its time or its tokens. */
export function spentIn(envelope: JsonObject, stack: readonly Json[], now: number): Spent | undefined {
  for (const [index, frame] of stack.entries()) {
    if (!hasBudget(frame)) continue;
    const { seconds, tokens } = budgetOf(frame);
    const begun = startOf(frame) ?? startOf(envelope);
    if (seconds !== undefined && begun !== undefined && now - begun >= seconds * 1000) {
      return { index, reason: 'MAX_MINUTES' };
    }
    if (tokens !== undefined && usedBy(frame).tokens >= tokens) return { index, reason: 'MAX_TOKENS' };
  }
  return undefined;
}

/** From which byte of the transcript tokens are to be counted; `undefined` when no frame asks. */
export function tokensWanted(stack: readonly Json[]): number | undefined {
  const bounded = stack.filter(hasBudget);
  const counting = bounded.filter((frame) => budgetOf(frame).tokens !== undefined);
  if (counting.length === 0) return undefined;
  const offsets = counting.flatMap((frame) => usedBy(frame).offset ?? []);
  return offsets.length === 0 ? BEHIND_THE_END : Math.min(...offsets);
}

/**
 * The frames with what was used since the last stop. A frame that is looked at for the first time only
 * learns where the transcript ends: what stands before it belongs to nobody's budget.
 */
export function charged(
  stack: readonly Json[],
  tokens: { readonly used: number; readonly until: number } | undefined,
): readonly Json[] {
  if (tokens === undefined || tokens.until === BEHIND_THE_END) return stack;
  return stack.map((frame) => {
    if (!isJsonObject(frame) || budgetOf(frame).tokens === undefined) return frame;
    const before = usedBy(frame);
    const spent = before.tokens + (before.offset === undefined ? 0 : tokens.used);
    const used = isJsonObject(frame['used']) ? frame['used'] : {};
    return { ...frame, used: { ...used, tokens: spent, transcript_offset: tokens.until } };
  });
}

function hasBudget(frame: Json): boolean {
  return isJsonObject(frame) && frame['budget'] !== undefined;
}

function budgetOf(frame: Json): { seconds: number | undefined; tokens: number | undefined } {
  const budget = isJsonObject(frame) ? frame['budget'] : undefined;
  const limit = (key: string): number | undefined => {
    const value = isJsonObject(budget) ? budget[key] : undefined;
    return typeof value === 'number' && value > 0 ? value : undefined;
  };
  return { seconds: limit('seconds'), tokens: limit('tokens') };
}

function usedBy(frame: Json): { tokens: number; offset: number | undefined } {
  const used = isJsonObject(frame) ? frame['used'] : undefined;
  if (!isJsonObject(used)) return { tokens: 0, offset: undefined };
  const { tokens, transcript_offset: offset } = used as Record<string, Json | undefined>;
  return {
    tokens: typeof tokens === 'number' ? tokens : 0,
    offset: typeof offset === 'number' ? offset : undefined,
  };
}

function startOf(holder: Json): number | undefined {
  const value = isJsonObject(holder) ? holder['started_at'] : undefined;
  return typeof value === 'string' ? parseTime(value) : undefined;
}
