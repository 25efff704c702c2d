import * as v from 'valibot';
import { GUARD_NAMES, type GuardName } from '../domain/guard-name';
import type { JsonObject } from '../domain/json';

export type OnError = 'allow' | 'hold';

const guard = v.optional(v.strictObject({ on_error: v.optional(v.picklist(['allow', 'hold'])) }));

/** The top-level keys that belong to no discipline. */
export const OWN_KEYS = {
  version: v.custom<1 | '1' | '1.0'>(
    (value) => value === 1 || value === '1' || value === '1.0',
    'must be 1, the only version there is',
  ),
  inherit: v.boolean(),
  guards: v.strictObject(v.entriesFromList(GUARD_NAMES, guard)),
} as const;

/** What shall happen when a guard breaks, as far as the valid config says. */
export function onErrorOf(valid: JsonObject, name: GuardName): OnError {
  const guards = (valid['guards'] ?? {}) as v.InferOutput<typeof OWN_KEYS.guards>;
  return guards[name]?.on_error ?? 'allow';
}
