import { isJsonObject, type JsonObject } from '../../core/json';
import type { Verdict } from '../../core/verdict';
import type { DynamicRequirement } from './config';
import { keyOf } from './findings';
import { nearText } from './messages';
import { numberIn, objectIn } from './metrics';
import type { Standing } from './obstacles';
import type { View } from './view';

/** A value that holds nobody yet, but will if it goes on growing. */
export interface NearLimit {
  readonly requirement: DynamicRequirement;
  readonly fact: string;
}

/** The warnings that are due: each is said once for as long as an approval would have lasted. */
export function dueWarnings(judged: readonly Standing[], { metrics, branch, owner }: View): NearLimit[] {
  if (judged.length === 0) return [];
  const warned = isJsonObject(metrics) ? objectIn(metrics, 'warned') : {};
  return judged.flatMap((standing) => {
    if (standing.kind !== 'near') return [];
    const { requirement, fact } = standing;
    const last = numberIn(warned, keyOf(branch, requirement.name));
    const isDue = last === 0 || owner.now < last || owner.now - last >= requirement.approvalTtl;
    return isDue ? [{ requirement, fact }] : [];
  });
}

export function warning(near: readonly NearLimit[]): Verdict {
  const grounds = near.map(({ requirement: { name, place }, fact }) => ({ rule: name, place, fact }));
  return { kind: 'advise', toAgent: nearText(near.map(({ fact }) => fact)), grounds };
}

/** The counts of a session that was warned just now. */
export function noteWarned(
  metrics: JsonObject,
  near: readonly NearLimit[],
  { branch, owner }: View,
): JsonObject {
  const told = near.map(({ requirement }) => [keyOf(branch, requirement.name), owner.now] as const);
  return { ...metrics, warned: { ...objectIn(metrics, 'warned'), ...Object.fromEntries(told) } };
}
