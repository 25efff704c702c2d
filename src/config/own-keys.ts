import * as v from 'valibot';
import { GUARD_NAMES, type GuardName } from '../core/guard-name';
import type { JsonObject } from '../core/json';
import { described, flag } from './schema-parts';

export type OnError = 'allow' | 'hold';

const common = described(
  { on_error: v.optional(v.picklist(['allow', 'hold'])) },
  { on_error: 'What happens when the discipline itself fails: let the agent go on, or hold it.' },
);
const guard = v.optional(v.strictObject(common));

/** The only discipline that people switch off as a whole, which the file of the older program could say. */
const switchable = v.optional(
  v.strictObject({
    ...common,
    ...described({ enabled: flag }, { enabled: 'False: no requirement counts, whatever it says itself.' }),
  }),
);

const guardKeys = { ...v.entriesFromList(GUARD_NAMES, guard), requirements: switchable };
const GUARD_SENTENCE = 'How this discipline is run.';

/** The top-level keys that belong to no discipline. */
export const OWN_KEYS = described(
  {
    version: v.custom<1 | '1' | '1.0'>(
      (value) => value === 1 || value === '1' || value === '1.0',
      'must be 1, the only version there is',
    ),
    inherit: v.boolean(),
    guards: v.strictObject(
      described(guardKeys, {
        requirements: GUARD_SENTENCE,
        workflow: GUARD_SENTENCE,
        gates: GUARD_SENTENCE,
        loop: GUARD_SENTENCE,
      }),
    ),
  },
  {
    version: 'The version of this file; 1 is the only one there is.',
    inherit: 'False: the files in the home directory do not count here.',
    guards: 'How each discipline is run, whatever it enforces.',
  },
);

/** Whether the requirements are switched on as a whole, as far as our own files say. */
export function isSwitchedOn(valid: JsonObject): boolean {
  const guards = (valid['guards'] ?? {}) as v.InferOutput<typeof OWN_KEYS.guards>;
  return guards.requirements?.enabled ?? true;
}

/** What shall happen when a guard breaks, as far as the valid config says. */
export function onErrorOf(valid: JsonObject, name: GuardName): OnError {
  const guards = (valid['guards'] ?? {}) as v.InferOutput<typeof OWN_KEYS.guards>;
  return guards[name]?.on_error ?? 'allow';
}
