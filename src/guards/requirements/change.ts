import type { Change } from '../../core/document';
import type { Json, JsonObject } from '../../core/json';
import { withBrought } from './findings';
import { openMetrics } from './metrics';
import { metricsFile, VALUES_FILE } from './session-files';
import type { View } from './view';

/** A change to the state of the view's branch. */
export function stateChange(
  view: View,
  what: string,
  apply: (state: Json | undefined) => Json | undefined,
): Change {
  return { document: view.file, what, apply };
}

/** A change to the session's counts; nothing is told of it. */
export function metricsChange({ metricsOwner }: View, change: (metrics: JsonObject) => JsonObject): Change {
  return {
    document: metricsFile(metricsOwner.session),
    what: 'session counts',
    apply: (current) => change(openMetrics(current, metricsOwner)),
  };
}

/** Keeps what the effect has found out. */
export function valuesChange(brought: Json | undefined, now: number): Change[] {
  if (brought === undefined) return [];
  return [
    { document: VALUES_FILE, what: 'computed values', apply: (kept) => withBrought(kept, brought, now) },
  ];
}
