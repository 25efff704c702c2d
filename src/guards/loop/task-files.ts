import { dirname, isAbsolute, normalize, relative, resolve, sep } from 'node:path';
import type { Change, DocumentRef } from '../../core/document';
import type { Context } from '../../core/guard';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import type { FileFact } from '../../core/snapshot';
import { absentPrompt, absentWorktree, iterationText, promptText, worktreeText } from './messages';
import { type Frame, textField } from './state';
import type { Place } from './store';
import { unvouch } from './verification';

/** The directories in which a loop keeps its things. */
export interface LoopDirs {
  readonly own: string;
  /** That of the message store, where the loop is kept in one. */
  readonly store?: string;
}

/** Where the task of a frame is said to lie, and in which directory of the loop's own that is, if in one. */
export interface TaskFile {
  readonly path: string;
  readonly dir?: string;
}

/** Below the directory of a loop. Their names are the ids of frames. */
export const TASKS = 'loop-prompts';

/** A state may name any path; only what lies in a directory of the loop's own counts. */
export function taskFileOf(frame: JsonObject, { own, store }: LoopDirs): TaskFile | undefined {
  const given = frame['prompt_file'];
  if (typeof given !== 'string' || given === '') return undefined;
  const dirs = store === undefined ? [own] : [store, own];
  const path = isAbsolute(given) ? normalize(given) : resolve(dirs[0] ?? own, given);
  const dir = dirs.find((one) => isBelow(one, path));
  return dir === undefined ? { path: given } : { path, dir };
}

/** What is known of a task's file. A link that leads out of the loop's directory is not followed. */
function taskFact({ path, dir }: TaskFile, ctx: Context, maxTextBytes?: number): FileFact | undefined {
  if (dir === undefined) return undefined;
  return ctx.file({ path, within: dir, ...(maxTextBytes !== undefined && { maxTextBytes }) });
}

/** A task that `loop start` has written, as a document; `undefined` for a file that is somebody else's. */
export function taskDocument({ path, dir }: TaskFile, { own }: LoopDirs): DocumentRef | undefined {
  const name = dir === undefined ? '' : relative(dir, path).replaceAll(sep, '/');
  if (!/^loop-prompts\/[\w-]+\.txt$/.test(name)) return undefined;
  return { base: dir === own ? 'own' : 'messages', path: name, format: 'text', keeping: 'bookkeeping' };
}

function isBelow(dir: string, path: string): boolean {
  for (let at = dirname(path); ; at = dirname(at)) {
    if (at === dir) return true;
    if (dirname(at) === at) return false;
  }
}

const SWITCH = '.idle-disabled';

/** The directories in which the loop of a place keeps its things. */
export function loopDirs({ dir, ref }: Place, { git, projectRoot }: Context): LoopDirs {
  const own = git === undefined ? `${projectRoot}/.holdpoint/state` : `${git.commonDir}/holdpoint`;
  return dir !== undefined && ref.base === 'messages' ? { own, store: dir } : { own };
}

/** People switch loops off by a file beside the state, or in the project's root. */
export function isSwitchedOff({ dir }: Place, { projectRoot, file }: Context): boolean {
  const dirs = new Set([...(dir === undefined ? [] : [dir, dirname(dir)]), projectRoot]);
  return [...dirs].some((one) => file({ path: `${one}/${SWITCH}` }).kind !== 'missing');
}

/**
 * What frames leave behind that are over for good: their tasks, and the commands that were set for them. Only
 * frames of `loop start` have such things. A task in a message store goes only if it is a plain file, since others may
 * have put links there.
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

/** The same for the guard. Without git a message store is the only place for tasks. */
export function leftBehind(before: readonly Json[], next: JsonObject, place: Place, ctx: Context): Change[] {
  const dirs = loopDirs(place, ctx);
  const isPlain = (path: string): boolean =>
    ctx.git === undefined &&
    dirs.store !== undefined &&
    ctx.file({ path, within: dirs.store }).kind === 'file';
  return clearedAway(before, next, dirs, isPlain);
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

const LONGEST_PROMPT = 4096;

/** The text that the agent goes on with, and what could not be said in it. */
export interface Continuation {
  readonly reason: string;
  readonly warnings: readonly string[];
}

/** The exact sentence first; whatever else there is to say follows in paragraphs of its own. */
export function continuationOf(
  frame: Frame,
  place: Place,
  ctx: Context,
  remarks: readonly string[],
): Continuation {
  const said = [iterationText(frame.iter, frame.max), ...remarks];
  const warnings: string[] = [];
  for (const part of [worktreePart(frame, ctx), promptPart(frame, place, ctx)]) {
    if (part === undefined) continue;
    if ('text' in part) said.push(part.text);
    else warnings.push(part.warning);
  }
  return { reason: said.join('\n\n'), warnings };
}

type Part = { readonly text: string } | { readonly warning: string };

function worktreePart(frame: Frame, { file }: Context): Part | undefined {
  const path = textField(frame, 'worktree_path');
  if (path === undefined) return undefined;
  if (file({ path }).kind !== 'directory') return { warning: absentWorktree(path) };
  const [branch, issue] = [textField(frame, 'branch'), textField(frame, 'issue_id')];
  return { text: worktreeText({ path, branch, issue }) };
}

function promptPart({ raw }: Frame, place: Place, ctx: Context): Part | undefined {
  const task = raw['include_prompt'] === true ? taskFileOf(raw, loopDirs(place, ctx)) : undefined;
  if (task === undefined) return undefined;
  const fact = taskFact(task, ctx, LONGEST_PROMPT);
  const text = fact?.kind === 'file' ? fact.text?.replace(/\uFFFD+$/, '').trim() : undefined;
  return text ? { text: promptText(text) } : { warning: absentPrompt(task.path) };
}
