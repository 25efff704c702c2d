import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import type { Evidence, Requirement } from './config';

/** A computed value, or why there is none. */
export type Computed =
  | { readonly kind: 'value'; readonly value: number; readonly summary: string; readonly base: string }
  /** There is nothing to measure here, such as the size of the main branch. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly why: string };

/** Whether what a requirement asks to be shown is there. */
export type Shown = { readonly kind: 'shown' } | { readonly kind: 'lacking'; readonly why: string };

/** What is to be found out by the effect, which may start processes. */
export type Inquiry = {
  readonly branch: string;
  readonly values: readonly { readonly name: string; readonly calculator: string }[];
  readonly evidence: readonly { readonly name: string; readonly evidence: Evidence }[];
};

/** What was found out, some of it a while ago. */
export interface Findings {
  value(name: string): Computed | undefined;
  evidence(name: string): Shown | undefined;
}

const EVIDENCE_SECONDS = 30;

/** What is known already: fresh enough in the kept values, or just brought by the effect. */
export function findingsOf(
  kept: Json | undefined,
  brought: Json | undefined,
  requirements: readonly Requirement[],
  branch: string,
  now: number,
): Findings {
  const ttlOf = (name: string): number => {
    const requirement = requirements.find((one) => one.name === name);
    return requirement?.type === 'dynamic' ? requirement.cacheTtl : EVIDENCE_SECONDS;
  };
  const find = (name: string): JsonObject | undefined => {
    const fresh = memberOf(brought, keyOf(branch, name));
    if (fresh !== undefined) return fresh;
    const known = memberOf(kept, keyOf(branch, name));
    const age = typeof known?.['at'] === 'number' ? now - known['at'] : Number.POSITIVE_INFINITY;
    // What was lacking may be there by now: whoever was told of it tries again at once.
    if (known?.['kind'] === 'lacking') return undefined;
    return age >= 0 && age < ttlOf(name) ? known : undefined;
  };
  return { value: (name) => computedFrom(find(name)), evidence: (name) => shownFrom(find(name)) };
}

/** The kept values with what the effect brought; what other branches had stays for a day. */
export function withBrought(
  kept: Json | undefined,
  brought: Json | undefined,
  now: number,
): Json | undefined {
  if (!isJsonObject(brought)) return kept;
  const known = isJsonObject(kept) ? Object.entries(kept) : [];
  const young = known.filter(([, one]) => isJsonObject(one) && now - Number(one['at'] ?? 0) < 86_400);
  const stamped = Object.entries(brought).map(([key, one]) => [
    key,
    { ...(isJsonObject(one) ? one : {}), at: now },
  ]);
  return Object.fromEntries([...young, ...stamped]);
}

export function keyOf(branch: string, name: string): string {
  return `${branch} ${name}`;
}

function memberOf(holder: Json | undefined, key: string): JsonObject | undefined {
  const one = isJsonObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
  return isJsonObject(one) ? one : undefined;
}

function computedFrom(one: JsonObject | undefined): Computed | undefined {
  if (one?.['kind'] === 'value' && typeof one['value'] === 'number') {
    return {
      kind: 'value',
      value: one['value'],
      summary: String(one['summary'] ?? ''),
      base: String(one['base'] ?? ''),
    };
  }
  if (one?.['kind'] === 'none') return { kind: 'none' };
  return one?.['kind'] === 'failed' ? { kind: 'failed', why: String(one['why'] ?? '') } : undefined;
}

function shownFrom(one: JsonObject | undefined): Shown | undefined {
  if (one?.['kind'] === 'shown') return { kind: 'shown' };
  return one?.['kind'] === 'lacking' ? { kind: 'lacking', why: String(one['why'] ?? '') } : undefined;
}
