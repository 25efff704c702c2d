import { fail, type Result, succeed } from '../../core/failure';
import { isJsonObject, type JsonObject } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { type Standing, standingOf } from '../../guards/workflow/gate';
import { lockProject } from '../../state/update';
import { applyChanges } from '../../state/write';
import * as say from './messages';
import { type FlowPlace, readState } from './place';

/** What a command makes of the state. */
export interface Move {
  /** A few words for the journal. */
  readonly what: string;
  apply(state: JsonObject): JsonObject;
  /** What whoever called it reads. */
  readonly lines: readonly string[];
}

/** The state under the lock, and how the workflow stands in it. */
export interface Here {
  readonly state: JsonObject;
  readonly standing: Standing | undefined;
}

export interface Moved {
  readonly lines: readonly string[];
  readonly state: JsonObject;
  readonly written: readonly string[];
}

/** A person waits longer than a hook may. */
const WAIT_MS = 10_000;

/**
 * Looks at the state and changes it while nobody else may. The plan's refusal is a sentence, like every
 * failure, and nothing was changed then. A state that cannot be read is left where it is.
 */
export function changeFlow(
  place: FlowPlace,
  plan: (here: Here) => Result<Move, string>,
  tree?: string,
): Result<Moved, string> {
  const lock = lockProject(place.layout, WAIT_MS);
  if (!lock.ok) return fail(say.notChanged(sentenceOf(lock.failure)));
  try {
    const state = readState(place);
    if (!state.ok) return state;
    const planned = plan({ state: state.value, standing: standingOf(place.model, state.value, tree) });
    if (!planned.ok) return planned;
    const { what, lines, apply } = planned.value;
    const change = (current: JsonObject): JsonObject => versioned(current, apply(current));
    const { written, failures } = applyChanges(place.layout, lock.value, [
      {
        document: place.document,
        what,
        apply: (current) => change(isJsonObject(current) ? current : {}),
      },
    ]);
    const [failed] = failures;
    if (failed !== undefined) return fail(say.notChanged(sentenceOf(failed.failure)));
    return succeed({ lines, state: change(state.value), written });
  } finally {
    lock.value.release();
  }
}

/** Writers of the older program count their writes, so that a stale one is noticed. */
function versioned(before: JsonObject, after: JsonObject): JsonObject {
  const { state_version: version } = before;
  return after === before || typeof version !== 'number' ? after : { ...after, state_version: version + 1 };
}
