import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../../core/failure';
import type { RecordingMark } from '../../core/recording/mark';
import { writeFileAtomic } from '../../state/files';
import type { ProjectContext } from '../project';
import { type Output, plural } from '../ui/output';

/** How many events a recording has; `undefined` if its file cannot be read. */
export function countEvents({ root, file }: RecordingMark): number | undefined {
  const text = attempt(() => readFileSync(join(root, file), 'latin1'));
  return text === undefined ? undefined : Math.max(0, text.split('\n').length - 2);
}

export function recordingJson(mark: RecordingMark): object {
  const { file, session = null, began, stopped = null } = mark;
  return { file, session, began, events: countEvents(mark) ?? null, stopped };
}

export function recordingText(mark: RecordingMark, out: Output): string {
  const { file, session, stopped } = mark;
  if (stopped !== undefined) return out.style('yellow', `${file} has stopped: ${stopped}`);
  const events = countEvents(mark);
  if (events === undefined) return out.style('yellow', `${file} is gone`);
  return `${plural(events, 'event')} in ${file}${session === undefined ? '' : `, session ${session} only`}`;
}

/*
 * A recording grows with every event. Until it is complete git ignores it, so that an agent's `git add -A` does not
 * commit half of it, and gates and rules do not take it for a change made by the agent.
 */

function excludeFile({ git }: ProjectContext): string | undefined {
  return git && join(git.commonDir, 'info', 'exclude');
}

const lineFor = (file: string): string => `/${file}`;

export function excludeFromGit(project: ProjectContext, file: string): void {
  const exclude = excludeFile(project);
  if (exclude === undefined) return;
  const before = attempt(() => readFileSync(exclude, 'latin1')) ?? '';
  const end = before === '' || before.endsWith('\n') ? '' : '\n';
  mkdirSync(dirname(exclude), { recursive: true });
  writeFileAtomic(exclude, Buffer.from(`${before}${end}${lineFor(file)}\n`, 'latin1'), { mode: 0o644 });
}

/** Removes the line again. */
export function includeAgain(project: ProjectContext, file: string): void {
  const exclude = excludeFile(project);
  const before = exclude && attempt(() => readFileSync(exclude, 'latin1'));
  if (exclude === undefined || before === undefined) return;
  const after = before.split('\n').filter((line) => line !== lineFor(file));
  attempt(() => writeFileAtomic(exclude, Buffer.from(after.join('\n'), 'latin1'), { mode: 0o644 }));
}
