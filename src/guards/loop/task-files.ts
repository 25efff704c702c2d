import { dirname, isAbsolute, normalize, relative, resolve, sep } from 'node:path';
import type { Context } from '../../core/guard';
import { isJsonObject, type Json, type JsonObject, listIn, nameIn } from '../../core/json';
import { isBelow } from '../../core/project-paths';
import type { Change, DocumentRef } from '../../state/documents';
import { iterationText, worktreeText } from './messages';
import type { Frame } from './state';
import type { LoopPlace } from './store';
import { forgetCommands } from './verification';

/** The directories in which a loop keeps its files. */
export interface LoopDirs {
  readonly own: string;
  /** The directory of the message store, if the loop is kept in one. */
  readonly store?: string;
}

/** The path of a frame's task, and the loop's directory that contains it, if one does. */
export interface TaskFile {
  readonly path: string;
  readonly dir?: string;
}

/** The directory of task files, below a loop's directory. Each file is named by the id of its frame. */
export const TASKS = 'loop-prompts';

/** A state may name any path; only one in a directory of the loop gets a `dir`, and is read. */
function taskFileOf(frame: JsonObject, { own, store }: LoopDirs): TaskFile | undefined {
  const given = nameIn(frame, 'prompt_file');
  if (given === undefined) return undefined;
  const dirs = store === undefined ? [own] : [store, own];
  const path = isAbsolute(given) ? normalize(given) : resolve(dirs[0] ?? own, given);
  const dir = dirs.find((one) => isBelow(path, one) && path !== one);
  return dir === undefined ? { path: given } : { path, dir };
}

/** The document of a task that `loop start` wrote; `undefined` for any other file. */
export function taskDocument({ path, dir }: TaskFile, { own }: LoopDirs): DocumentRef | undefined {
  const name = dir === undefined ? '' : relative(dir, path).replaceAll(sep, '/');
  if (!/^loop-prompts\/[\w-]+\.txt$/.test(name)) return undefined;
  return { base: dir === own ? 'own' : 'messages', path: name, format: 'text', durability: 'bookkeeping' };
}

export const SWITCH = '.idle-disabled';

function loopDirs({ dir, ref }: LoopPlace, { git, projectRoot }: Context): LoopDirs {
  const own = git === undefined ? `${projectRoot}/.holdpoint/state` : `${git.commonDir}/holdpoint`;
  return dir !== undefined && ref.base === 'messages' ? { own, store: dir } : { own };
}

/** People switch loops off with a file beside the state or in the project's root. */
export function switchDirs(dir: string | undefined, root: string): string[] {
  return [...new Set([...(dir === undefined ? [] : [dir, dirname(dir)]), root])];
}

export function isSwitchedOff({ dir }: LoopPlace, { projectRoot, file }: Context): boolean {
  return switchDirs(dir, projectRoot).some((one) => file({ path: `${one}/${SWITCH}` }).kind !== 'missing');
}

/**
 * Removes what ended frames leave behind: their task files and their verify commands. Only frames of `loop start`
 * have these. A task in a message store is removed only if it is a plain file, because others may have put symlinks
 * there.
 */
export function removeLeftFiles(
  before: readonly Json[],
  next: JsonObject,
  dirs: LoopDirs,
  isPlain: (path: string) => boolean,
): Change[] {
  const goOn = [...listIn(next, 'stack'), ...listIn(next, 'archived_stack')].map(idOf);
  const gone = before.filter(isJsonObject).filter((frame) => {
    return frame['origin'] === 'holdpoint' && idOf(frame) !== undefined && !goOn.includes(idOf(frame));
  });
  const tasks = gone.flatMap((frame) => {
    const file = taskFileOf(frame, dirs);
    const document = file && taskDocument(file, dirs);
    if (file === undefined || document === undefined) return [];
    if (document.base !== 'own' && !isPlain(file.path)) return [];
    return [{ document, what: 'removed a task', apply: () => undefined }];
  });
  const ids = gone.filter((frame) => frame['verify'] !== undefined).flatMap((frame) => idOf(frame) ?? []);
  return ids.length === 0 ? tasks : [...tasks, forgetCommands(ids)];
}

/** `removeLeftFiles` for the guard. */
export function removeLeftFilesOf(
  before: readonly Json[],
  next: JsonObject,
  place: LoopPlace,
  ctx: Context,
): Change[] {
  const dirs = loopDirs(place, ctx);
  const isPlain = (path: string): boolean =>
    dirs.store !== undefined && ctx.file({ path, within: dirs.store }).kind === 'file';
  return removeLeftFiles(before, next, dirs, isPlain);
}

export function idOf(frame: Json): string | undefined {
  return nameIn(frame, 'id');
}

const LONGEST_PROMPT = 4096;

/**
 * The text that the agent continues with: the exact sentence first, anything else in paragraphs of its own.
 * `warnings` tells what is missing from it.
 */
export function continuationOf(
  { raw, iter, max }: Frame,
  place: LoopPlace,
  ctx: Context,
  remarks: readonly string[],
): { readonly reason: string; readonly warnings: readonly string[] } {
  const said = [iterationText(iter, max), ...remarks];
  const warnings: string[] = [];
  const path = nameIn(raw, 'worktree_path');
  if (path !== undefined) {
    if (ctx.file({ path }).kind === 'directory') {
      said.push(worktreeText(path, nameIn(raw, 'branch'), nameIn(raw, 'issue_id')));
    } else warnings.push(`its worktree ${path} does not exist`);
  }
  const task = raw['include_prompt'] === true ? taskFileOf(raw, loopDirs(place, ctx)) : undefined;
  if (task !== undefined) {
    const text = taskText(task, ctx);
    if (text) said.push(`The task:\n${text}`);
    else {
      const { path: file } = task;
      warnings.push(
        `its task cannot be repeated: ${file} is not a readable file in the loop's own directory`,
      );
    }
  }
  return { reason: said.join('\n\n'), warnings };
}

/** A symlink that leads out of the loop's directory is not followed. */
function taskText({ path, dir }: TaskFile, ctx: Context): string | undefined {
  if (dir === undefined) return undefined;
  const fact = ctx.file({ path, within: dir, maxTextBytes: LONGEST_PROMPT });
  return fact.kind === 'file' ? fact.text?.replace(/\uFFFD+$/, '').trim() : undefined;
}
