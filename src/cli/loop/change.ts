import { lstatSync } from 'node:fs';
import type { Change, DocumentRef } from '../../core/document';
import { fail, type Result, succeed } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { topicIn } from '../../guards/loop/documents';
import { clearedAway } from '../../guards/loop/leftovers';
import { nextDecisionId } from '../../state/decision-id';
import { appendJournal } from '../../state/journal';
import { isKept } from '../../state/layout';
import type { Lock } from '../../state/lock';
import { lockProject } from '../../state/update';
import { applyChanges } from '../../state/write';
import { refuse } from '../req/refuse';
import type { Context, ExitCode } from '../verb';
import { type Loop, type LoopPlace, type Loops, readLoops } from './loops';
import { unclearState } from './text';

/** What a command does to the loops, and what it tells about it. */
export interface Plan {
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

/** The loops, with a place for a new state. */
export type ReadableLoops = Loops & { readonly home: DocumentRef };

type Planner = (loops: ReadableLoops, now: number) => Result<Plan, string>;

interface Call {
  readonly command: string;
  readonly json: boolean;
}

/** A person waits longer than a hook may. */
const WAIT_MS = 10_000;

/** Changes the loops under the lock and prints what was done. The planner's refusal is a sentence; then nothing changes. */
export function changeLoops(
  { command, json }: Call,
  place: LoopPlace,
  context: Context,
  plan: Planner,
): ExitCode {
  const lock = lockProject(place.layout, WAIT_MS);
  if (!lock.ok) return refuse(context, notChanged(sentenceOf(lock.failure)), 1);
  let done: ReturnType<typeof carryOut>;
  try {
    done = carryOut(plan, place, lock.value);
  } finally {
    lock.value.release();
  }
  if (!done.ok) return refuse(context, done.failure, 1);
  const { plan: made, written } = done.value;
  if (written.length > 0) noteChange(place, command, made.session, written);
  if (json) context.out.json(made.json);
  else for (const line of made.lines) context.out.line(line);
  return 0;
}

function carryOut(
  planner: Planner,
  place: LoopPlace,
  lock: Lock,
): Result<{ readonly plan: Plan; readonly written: readonly string[] }, string> {
  const { layout } = place;
  const now = Date.now();
  const { home, ...loops } = readLoops(place, now);
  if (home === undefined) return fail(notChanged(loops.unclear.map(unclearState).join('\n')));
  const planned = planner({ ...loops, home }, now);
  if (!planned.ok) return planned;
  const plan = planned.value;
  const kept = (changes: readonly Change[]): Change[] =>
    changes.filter(({ document }) => isKept(layout, document.base));
  const written: string[] = [];
  for (const change of kept(plan.changes)) {
    const report = applyChanges(layout, lock, [change]);
    const [failed] = report.failures;
    if (failed !== undefined) {
      applyChanges(layout, lock, kept(plan.undo ?? []));
      const isPartly = written.length > 0 && plan.undo === undefined;
      return fail(notChanged(sentenceOf(failed.failure), isPartly));
    }
    written.push(...report.written);
  }
  written.push(...applyChanges(layout, lock, kept(plan.also)).written);
  return succeed({ plan, written });
}

function notChanged(sentence: string, isPartly = false): string {
  return `${isPartly ? 'Not everything could be done' : 'Nothing was changed'}: ${sentence}`;
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

/** Removes what an ended loop leaves behind, once `next` is its session's state. */
export function removeLeftovers({ state, ref }: Loop, { layout }: LoopPlace, next: JsonObject): Change[] {
  const { own, messages } = layout;
  const dirs = { own, ...(ref.base === 'messages' && messages !== undefined && { store: messages }) };
  return clearedAway(state.stack, next, dirs, isPlainFile);
}

export function isPlainFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
