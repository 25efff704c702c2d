import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../../exec/attempt';
import { writeFileAtomic } from '../../state/files';
import type { OpenProject } from '../project';

/*
 * A recording grows with every event. Until it is complete git passes over it, so that an agent's `git add -A` does not
 * commit half of it, and gates and rules do not take it for a change of the agent's.
 */

function excludeFile({ git }: OpenProject): string | undefined {
  return git && join(git.commonDir, 'info', 'exclude');
}

const lineFor = (file: string): string => `/${file}`;

export function excludeFromGit(project: OpenProject, file: string): void {
  const exclude = excludeFile(project);
  if (exclude === undefined) return;
  const before = attempt(() => readFileSync(exclude, 'latin1')) ?? '';
  const end = before === '' || before.endsWith('\n') ? '' : '\n';
  mkdirSync(dirname(exclude), { recursive: true });
  writeFileAtomic(exclude, Buffer.from(`${before}${end}${lineFor(file)}\n`, 'latin1'), { mode: 0o644 });
}

/** Takes out the line again. */
export function includeAgain(project: OpenProject, file: string): void {
  const exclude = excludeFile(project);
  const before = exclude && attempt(() => readFileSync(exclude, 'latin1'));
  if (exclude === undefined || before === undefined) return;
  const after = before.split('\n').filter((line) => line !== lineFor(file));
  attempt(() => writeFileAtomic(exclude, Buffer.from(after.join('\n'), 'latin1'), { mode: 0o644 }));
}
