import type { JsonObject } from '../../core/json';
import type { StateNote } from './finding';
import { listAt, numberAt, objectAt, textsAt, withValueAt } from './json-path';
import { elicitationPath } from './phase-evidence';

/** One exchange with a person. */
export interface Seen {
  readonly selection?: string;
  readonly callId?: string;
}

const SELECTIONS_KEPT = 50;
const CALLS_KEPT = 20;

/** The choices that end the exchange. */
const FINAL = ['save', 'exit'];

/** Counts an exchange, once for each call. */
export function interaction(phase: string, { selection, callId }: Seen, time: string): StateNote {
  const path = elicitationPath(phase);
  return {
    what: 'a person was asked',
    apply: (state) => {
      const record = objectAt(state, path) ?? { required: true, completed: false, started_at: time };
      const calls = textsAt(record, 'counted_calls');
      if (callId !== undefined && calls.includes(callId)) return state;
      return withValueAt(state, path, {
        ...record,
        menu_interactions: (numberAt(record, 'menu_interactions') ?? 0) + 1,
        last_menu_at: time,
        ...(callId !== undefined && { counted_calls: [...calls, callId].slice(-CALLS_KEPT) }),
        ...(selection !== undefined && chosen(record, selection, time)),
      });
    },
  };
}

function chosen(record: JsonObject, selection: string, time: string): JsonObject {
  const selections = [...listAt(record, ['selections']), { selection, timestamp: time }];
  return {
    selections: selections.slice(-SELECTIONS_KEPT),
    last_selection: selection,
    last_selection_at: time,
    ...(FINAL.includes(selection) && { completed: true, final_selection: selection, completed_at: time }),
  };
}
