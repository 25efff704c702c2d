import type { Change } from '../../core/document';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { type LoopDirs, taskDocument, taskFileOf } from './task-file';
import { unvouch } from './vouched';

/**
 * What frames leave behind that are over for good: their tasks, and the commands that were set for them. Only
 * frames of `loop start` have such things. `isPlain` tells of a file in a message store, where others may have
 * put links, whether it is one that may go.
 */
export function clearedAway(
  before: readonly Json[],
  next: JsonObject,
  dirs: LoopDirs,
  isPlain: (path: string) => boolean,
): Change[] {
  const goOn = new Set([...listIn(next['stack']), ...listIn(next['archived_stack'])].map(idOf));
  const gone = before.filter(isJsonObject).filter((frame) => isOver(frame, goOn));
  const tasks = gone.flatMap((frame) => {
    const file = taskFileOf(frame, dirs);
    const document = file && taskDocument(file, dirs);
    if (file === undefined || document === undefined) return [];
    return document.base === 'own' || isPlain(file.path) ? [removed(document)] : [];
  });
  const ids = gone.filter((frame) => frame['verify'] !== undefined).flatMap((frame) => idOf(frame) ?? []);
  return ids.length === 0 ? tasks : [...tasks, unvouch(ids)];
}

function isOver(frame: JsonObject, goOn: ReadonlySet<string | undefined>): boolean {
  const id = idOf(frame);
  return frame['origin'] === 'holdpoint' && id !== undefined && !goOn.has(id);
}

function removed(document: Change['document']): Change {
  return { document, what: 'removed a task', apply: () => undefined };
}

export function idOf(frame: Json): string | undefined {
  const id = isJsonObject(frame) ? frame['id'] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function listIn(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
