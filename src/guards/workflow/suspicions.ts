import type { JsonObject } from '../../core/json';
import { numberAt, objectAt } from './json-path';
import { phaseRecords } from './state';

/** A claim in the state that nothing was done for. */
export interface Suspicion {
  readonly phase: string;
  readonly issue: string;
  readonly rule: string;
}

const CLAIMS = [
  { path: ['constitutional_validation'], count: 'iterations_used', rule: 'V1' },
  { path: ['iteration_requirements', 'interactive_elicitation'], count: 'menu_interactions', rule: 'V2' },
  { path: ['iteration_requirements', 'test_iteration'], count: 'current_iteration', rule: 'V3' },
] as const;

/** Everything that is said to be completed after not a single iteration. */
export function suspicionsIn(state: JsonObject): Suspicion[] {
  return phaseRecords(state).flatMap(([phase, record]) =>
    CLAIMS.flatMap(({ path, count, rule }) => {
      const claim = objectAt(record, path);
      const done = numberAt(claim, count) ?? 0;
      if (claim?.['completed'] !== true || done >= 1) return [];
      return [{ phase, issue: `${path.at(-1)}.completed is true but ${count} is ${done}`, rule }];
    }),
  );
}
