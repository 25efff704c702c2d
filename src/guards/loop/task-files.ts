import { dirname, isAbsolute, normalize, resolve } from 'node:path';
import type { Context } from '../../core/guard';
import { isJsonObject, type Json, type JsonObject, listIn, nameIn } from '../../core/json';
import { isBelow } from '../../core/project-paths';
import type { Change } from '../../state/documents';
import { iterationText, worktreeText } from './messages';
import type { Frame } from './state';
import type { LoopPlace } from './store';
import { forgetCommands } from './verification';

/** The directory of task files, below a loop's directory. Each file is named by the id of its frame. */
export const TASKS = 'loop-prompts';

/** The path of a frame's task, and the loop's directory that contains it. A state may name any other path, too. */
function taskFileOf(frame: JsonObject, { dir, ref }: LoopPlace, ctx: Context) {
  const given = nameIn(frame, 'prompt_file');
  const [first, ...others] = ref.base === 'messages' && dir ? [dir, ownDir(ctx)] : [ownDir(ctx)];
  if (given === undefined || first === undefined) return undefined;
  const path = isAbsolute(given) ? normalize(given) : resolve(first, given);
  return { path, dir: [first, ...others].find((one) => isBelow(path, one) && path !== one) };
}

export const SWITCH = '.idle-disabled';

/** Our own directory of a project. */
export function ownDir({ git, projectRoot }: Context): string {
  return git === undefined ? `${projectRoot}/.holdpoint/state` : `${git.commonDir}/holdpoint`;
}

/** People switch loops off with a file beside the state or in the project's root. */
export function switchDirs(dir: string | undefined, root: string): string[] {
  return [...new Set([...(dir === undefined ? [] : [dir, dirname(dir)]), root])];
}

export function isSwitchedOff({ dir }: LoopPlace, { projectRoot, file }: Context): boolean {
  return switchDirs(dir, projectRoot).some((one) => file({ path: `${one}/${SWITCH}` }).kind !== 'missing');
}

/**
 * Removes what ended frames of `loop start` leave behind: their task files in our own directory, and their verify
 * commands.
 */
export function removeLeftFiles(before: readonly Json[], next: JsonObject, own: string): Change[] {
  const goOn = [...listIn(next, 'stack'), ...listIn(next, 'archived_stack')].map((one) => nameIn(one, 'id'));
  const gone = before.flatMap((frame) => {
    const id = nameIn(frame, 'origin') === 'holdpoint' ? nameIn(frame, 'id') : undefined;
    return id === undefined || goOn.includes(id) || !isJsonObject(frame) ? [] : [{ frame, id }];
  });
  const tasks = gone.flatMap(({ frame, id }) => {
    const path = `${TASKS}/${id}.txt`;
    if (frame['prompt_file'] !== `${own}/${path}` || !/^[\w-]+$/.test(id)) return [];
    const document = { base: 'own', path, format: 'text', durability: 'bookkeeping' } as const;
    return [{ document, what: 'removed a task', apply: () => undefined }];
  });
  const ids = gone.filter(({ frame }) => frame['verify'] !== undefined).map(({ id }) => id);
  return ids.length === 0 ? tasks : [...tasks, forgetCommands(ids)];
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
  const task = raw['include_prompt'] === true ? taskFileOf(raw, place, ctx) : undefined;
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
function taskText(
  { path, dir }: NonNullable<ReturnType<typeof taskFileOf>>,
  ctx: Context,
): string | undefined {
  if (dir === undefined) return undefined;
  const fact = ctx.file({ path, within: dir, maxTextBytes: LONGEST_PROMPT });
  return fact.kind === 'file' ? fact.text?.replace(/\uFFFD+$/, '').trim() : undefined;
}
