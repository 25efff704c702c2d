import { lstatSync } from 'node:fs';
import type { Change, DocumentRef } from '../../core/document';
import type { JsonObject } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { topicIn } from '../../guards/loop/store';
import { clearedAway } from '../../guards/loop/task-files';
import { appendJournal, nextDecisionId } from '../../state/journal';
import { isKept } from '../../state/layout';
import type { Lock } from '../../state/lock';
import { applyChanges, lockProject } from '../../state/update';
import type { Context, ExitCode } from '../context';
import { Refusal } from '../ui/refusal';
import { type Loop, type LoopPlace, type Loops, readLoops, unclearState } from './loops';

/** What a command does to the loops, and what it tells about it. */
interface Plan {
  /** Made one after the other, until one fails. */
  readonly changes: readonly Change[];
  /** Made where one of the changes fails. */
  readonly undo?: readonly Change[];
  /** Made last; a failure is ignored. */
  readonly also: readonly Change[];
  /** For the journal. */
  readonly session: string;
  readonly json: JsonObject;
  readonly lines: readonly string[];
}

/** Makes a plan of what was read under the lock, or throws a refusal; then nothing is changed. */
type Planner = (loops: Loops & { readonly home: DocumentRef }, now: number) => Plan;

/** A person waits longer than a hook may. */
const WAIT_MS = 10_000;

/** Changes the loops under the lock and prints what was done. */
export function changeLoops(
  command: string,
  json: boolean,
  place: LoopPlace,
  { out }: Context,
  planner: Planner,
): ExitCode {
  const lock = lockProject(place.layout, WAIT_MS);
  if (!lock.ok) throw new Refusal(`Nothing was changed: ${sentenceOf(lock.failure)}`);
  let done: ReturnType<typeof carryOut>;
  try {
    done = carryOut(planner, place, lock.value);
  } finally {
    lock.value.release();
  }
  const { plan, written } = done;
  if (written.length > 0) noteChange(place, command, plan.session, written);
  if (json) out.json(plan.json);
  else for (const line of plan.lines) out.line(line);
  return 0;
}

function carryOut(planner: Planner, place: LoopPlace, lock: Lock): { plan: Plan; written: string[] } {
  const { layout } = place;
  const now = Date.now();
  const { home, ...loops } = readLoops(place, now);
  if (home === undefined)
    throw new Refusal(`Nothing was changed: ${loops.unclear.map(unclearState).join('\n')}`);
  const plan = planner({ ...loops, home }, now);
  const apply = (changes: readonly Change[]): ReturnType<typeof applyChanges> =>
    applyChanges(
      layout,
      lock,
      changes.filter(({ document }) => isKept(layout, document.base)),
    );
  const written: string[] = [];
  for (const change of plan.changes) {
    const report = apply([change]);
    const [failed] = report.failures;
    if (failed !== undefined) {
      apply(plan.undo ?? []);
      const isPartly = written.length > 0 && plan.undo === undefined;
      const what = isPartly ? 'Not everything could be done' : 'Nothing was changed';
      throw new Refusal(`${what}: ${sentenceOf(failed.failure)}`);
    }
    written.push(...report.written);
  }
  return { plan, written: [...written, ...apply(plan.also).written] };
}

/** The task itself is not in the journal. */
function noteChange(
  { layout }: LoopPlace,
  command: string,
  session: string,
  written: readonly string[],
): void {
  const now = Date.now();
  appendJournal(layout, {
    id: nextDecisionId(now, process.pid),
    at: new Date(now).toISOString(),
    host: 'command line',
    session,
    event: `loop ${command}`,
    decision: 'nothing',
    verdicts: [],
    written: [...written],
  });
}

/** Adds states to a topic in one write, so that nobody ever sees only some of them. */
export function addStates(document: DocumentRef, states: readonly JsonObject[], what: string): Change {
  return {
    document,
    what,
    apply: (current) => {
      const topic = topicIn(current) ?? { dir: '', known: false, messages: [] };
      const added = states.map((state) => ({ body: JSON.stringify(state) }));
      return { ...topic, messages: [...topic.messages, ...added] };
    },
  };
}

/** Removes a file of text. */
export function remove(document: DocumentRef, what: string): Change {
  return { document, what, apply: () => undefined };
}

/** Removes what an ended loop leaves behind, once `next` is its session's state. */
export function removeLeftovers({ state, ref }: Loop, { layout }: LoopPlace, next: JsonObject): Change[] {
  const { own, messages } = layout;
  const dirs = { own, ...(ref.base === 'messages' && messages !== undefined && { store: messages }) };
  return clearedAway(state.stack, next, dirs, isPlainFile);
}

/** Whether a path is a file and no link. */
export function isPlainFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
