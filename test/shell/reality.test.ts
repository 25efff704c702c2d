import { expect, test } from 'vitest';
import type { Effects, FileWrite, GitEffect } from '../../src/core/command-effects';
import { effectsOf } from '../../src/shell';
import { times } from '../stress';
import { commandLine } from './generated-commands';
import { isKeptByGit, makePlayground, type Playground, type Reality } from './playground';

/*
 * Generated lines are run by the real bash and git, and what happened is held against what was
 * foretold: nothing may happen that was not.
 */

const LINES = times(60, 400);
const AT_ONCE = 6;

test('generated lines do what was foretold, and nothing else', async () => {
  const seen = { complaints: [] as string[], succeeded: 0, refs: 0, paths: 0 };
  let nextLine = 1;
  const playgrounds = Array.from({ length: AT_ONCE }, makePlayground);
  const work = async (playground: Playground) => {
    for (let seed = nextLine++; seed <= LINES; seed = nextLine++) {
      const line = commandLine(seed);
      const { cwd, repositoryAt } = playground;
      const effects = effectsOf(line, { cwd, repositoryAt });
      const reality = await playground.run(line);
      const wrong = unforetold(effects, reality, playground);
      if (wrong.length > 0) seen.complaints.push(`${seed}: ${line}\n  ${wrong.join('\n  ')}`);
      seen.succeeded += reality.status === 0 ? 1 : 0;
      seen.refs += reality.refs.length;
      seen.paths += reality.paths.length;
    }
  };
  try {
    await Promise.all(playgrounds.map(work));
  } finally {
    for (const playground of playgrounds) playground.remove();
  }
  expect(seen.complaints.join('\n')).toBe('');
  // The generator has to make things happen, or the comparison says nothing.
  expect(seen.succeeded).toBeGreaterThan(LINES / 3);
  expect(seen.refs).toBeGreaterThan(LINES / 3);
  expect(seen.paths).toBeGreaterThan(LINES / 3);
});

function unforetold(effects: Effects, reality: Reality, playground: Playground): readonly string[] {
  if (effects.unknown.some((unknown) => unknown.kind === 'code')) return [];
  return [
    ...reality.refs
      .filter((ref) => !effects.git.some((effect) => coversRef(effect, ref, playground)))
      .map((ref) => `unforetold ref ${ref.root} ${ref.ref}`),
    ...reality.paths
      .filter((path) => !effects.writes.some((write) => coversPath(write, path)))
      .map((path) => `unforetold path ${path}`),
  ];
}

function coversRef(effect: GitEffect, ref: Reality['refs'][number], playground: Playground): boolean {
  const roots = effect.dir.map((dir) => dir && playground.repositoryAt(dir)?.root);
  const isThere = effect.dir.includes(undefined) || roots.includes(ref.root);
  const names = effect.refsWritten.map((write) => write.ref);
  return isThere && names.some((name) => name.includes(undefined) || name.includes(ref.ref));
}

/** A path covers what is below it, and the directories above that had to be made. */
function coversPath(write: FileWrite, path: string): boolean {
  if (write.path.includes(undefined)) return write.how === 'git' ? isKeptByGit(path) : true;
  return write.path.some(
    (each = '?') =>
      each === path || path.startsWith(`${each}/`) || (write.how === 'mkdir' && each.startsWith(`${path}/`)),
  );
}
