import type { Change, DocumentRef } from '../../core/document';
import { fail, type Result, succeed } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { topicIn } from '../../guards/loop/store';
import { isKept } from '../../state/layout';
import { applyChanges, lockProject, type WriteReport } from '../../state/update';
import { type ReadableLoops, readLoops } from './loops';
import * as say from './messages';
import type { LoopPlace } from './place';

/** What is to be done about the loops, and what to take back if that does not work. */
export interface Plan<T> {
  /** Done one after the other; the first that fails is the last. */
  readonly changes: readonly Change[];
  readonly undo?: readonly Change[];
  /** Done at last, and not missed where it fails. */
  readonly also?: readonly Change[];
  /** What the caller wants to tell of. */
  readonly result: T;
}

export interface Changed<T> {
  readonly result: T;
  readonly written: readonly string[];
}

/** A person waits longer than a hook may. */
const WAIT_MS = 10_000;

/**
 * Looks at the loops and changes them while nobody else may. The plan sees what is there under the lock;
 * its refusal, like a failure, is a sentence, and nothing was changed then.
 */
export function changeLoops<T>(
  place: LoopPlace,
  now: number,
  plan: (loops: ReadableLoops) => Result<Plan<T>, string>,
): Result<Changed<T>, string> {
  const { layout } = place;
  const lock = lockProject(layout, WAIT_MS);
  if (!lock.ok) return fail(say.notChanged(sentenceOf(lock.failure)));
  try {
    const { home, ...loops } = readLoops(place, now);
    if (home === undefined) return fail(say.notChanged(loops.unclear.map(say.unclearState).join('\n')));
    const planned = plan({ ...loops, home });
    if (!planned.ok) return planned;
    const kept = (changes: readonly Change[] = []): Change[] =>
      changes.filter(({ document }) => isKept(layout, document.base));
    const apply = (changes: readonly Change[]): WriteReport => applyChanges(layout, lock.value, changes);
    const { changes, undo, also, result } = planned.value;
    const written: string[] = [];
    for (const change of kept(changes)) {
      const report = apply([change]);
      const [failed] = report.failures;
      if (failed !== undefined) {
        apply(kept(undo));
        return fail(say.notChanged(sentenceOf(failed.failure), written.length > 0 && undo === undefined));
      }
      written.push(...report.written);
    }
    return succeed({ result, written: [...written, ...apply(kept(also)).written] });
  } finally {
    lock.value.release();
  }
}

/** Adds states to a topic by one write, so that nobody ever sees only some of them. */
export function addStates(ref: DocumentRef, states: readonly JsonObject[], what: string): Change {
  return {
    document: ref,
    what,
    apply: (current) => {
      const topic = topicIn(current) ?? { dir: '', known: false, messages: [] };
      const added = states.map((state) => ({ body: JSON.stringify(state) }));
      return { ...topic, messages: [...topic.messages, ...added] };
    },
  };
}

/** Removes a file of text. */
export function remove(ref: DocumentRef, what: string): Change {
  return { document: ref, what, apply: () => undefined };
}
