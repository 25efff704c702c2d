import type { FileAsk, Snapshot } from '../../core/snapshot';
import { type Frame, textField } from './frame';
import { absentPrompt, absentWorktree, iterationText, promptText, worktreeText } from './messages';
import { type LoopDirs, type TaskFile, taskAsk, taskFileOf } from './task-file';

const LONGEST_PROMPT = 4096;

/** The text that the agent goes on with, and what could not be said in it. */
export interface Continuation {
  readonly reason: string;
  readonly warnings: readonly string[];
}

/** What has to be read to say where and at what the agent works. */
export function continuationFiles(frame: Frame, dirs: LoopDirs): FileAsk[] {
  const worktree = textField(frame, 'worktree_path');
  const task = taskOf(frame, dirs);
  return [
    ...(worktree === undefined ? [] : [{ path: worktree }]),
    ...(task === undefined ? [] : taskAsk(task, LONGEST_PROMPT)),
  ];
}

/** The exact sentence first; whatever else there is to say follows in paragraphs of its own. */
export function continuationOf(
  frame: Frame,
  snapshot: Snapshot,
  dirs: LoopDirs,
  remarks: readonly string[],
): Continuation {
  const said = [iterationText(frame.iter, frame.max), ...remarks];
  const warnings: string[] = [];
  for (const part of [worktreePart(frame, snapshot), promptPart(frame, snapshot, dirs)]) {
    if (part === undefined) continue;
    if ('text' in part) said.push(part.text);
    else warnings.push(part.warning);
  }
  return { reason: said.join('\n\n'), warnings };
}

type Part = { readonly text: string } | { readonly warning: string };

function worktreePart(frame: Frame, { files }: Snapshot): Part | undefined {
  const path = textField(frame, 'worktree_path');
  if (path === undefined) return undefined;
  if (files.get(path)?.kind !== 'directory') return { warning: absentWorktree(path) };
  const [branch, issue] = [textField(frame, 'branch'), textField(frame, 'issue_id')];
  return { text: worktreeText({ path, branch, issue }) };
}

function promptPart(frame: Frame, { files }: Snapshot, dirs: LoopDirs): Part | undefined {
  const task = taskOf(frame, dirs);
  if (task === undefined) return undefined;
  const fact = task.dir === undefined ? undefined : files.get(task.path);
  const text = fact?.kind === 'file' ? fact.text?.replace(/\uFFFD+$/, '').trim() : undefined;
  return text ? { text: promptText(text) } : { warning: absentPrompt(task.path) };
}

function taskOf({ raw }: Frame, dirs: LoopDirs): TaskFile | undefined {
  return raw['include_prompt'] === true ? taskFileOf(raw, dirs) : undefined;
}
