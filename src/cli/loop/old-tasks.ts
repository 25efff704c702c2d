import { lstatSync, readdirSync } from 'node:fs';
import type { Change } from '../../core/document';
import type { JsonObject } from '../../core/json';
import { clearedAway, idOf, TASKS, taskDocument } from '../../guards/loop/task-files';
import { isKept } from '../../state/layout';
import { remove } from './change-loops';
import type { Loop, Loops } from './loops';
import type { LoopPlace } from './place';

const KEPT_MS = 30 * 24 * 3_600_000;

/** What a loop leaves behind that is over for good, once `next` is its session's state. */
export function leftoversOf({ state, ref }: Loop, { layout }: LoopPlace, next: JsonObject): Change[] {
  const { own, messages } = layout;
  const dirs = { own, ...(ref.base === 'messages' && messages !== undefined && { store: messages }) };
  return clearedAway(state.stack, next, dirs, isPlain);
}

/** The tasks that nobody has needed for a month: their loops went stale, or made no progress, or crashed. */
export function oldTasks({ layout }: LoopPlace, loops: Loops, now: number): Change[] {
  const dir = isKept(layout, 'own') ? layout.own : layout.messages;
  if (dir === undefined) return [];
  const live = new Set(liveIds(loops).map((id) => `${id}.txt`));
  return namesIn(`${dir}/${TASKS}`).flatMap((name) => {
    const path = `${dir}/${TASKS}/${name}`;
    const document = live.has(name) ? undefined : taskDocument({ path, dir }, layout);
    return document !== undefined && isOld(path, now) ? [remove(document, 'removed an old task')] : [];
  });
}

/** The frames of the loops that go on, or wait for somebody. */
export function liveIds({ known }: Loops): string[] {
  const live = known.filter(({ standing }) => standing === 'active' || standing === 'paused');
  return live.flatMap(({ state }) => state.stack.flatMap((frame) => idOf(frame) ?? []));
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function isOld(path: string, now: number): boolean {
  return isPlain(path) && now - lstatSync(path).mtimeMs > KEPT_MS;
}

function isPlain(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
