import { expect, test } from 'vitest';
import type { Effects, FileWrite, GitEffect, Possible } from '../../src/core/command-effects';
import { effectsOf } from '../../src/shell';
import { times } from '../stress';
import { commandLine } from './generated-commands';
import { isKeptByGit, makePlayground, type Playground, type Reality } from './playground';

/*
 * Generated lines are run by the real bash and git, and what happened is held against what was
 * foretold: nothing may happen that was not, and what was foretold as certain must have happened
 * wherever the line came to a good end.
 */

const LINES = times(60, 400);
const AT_ONCE = 6;

test('generated lines do what was foretold, and nothing else', async () => {
  const seen = { complaints: [] as string[], succeeded: 0, refs: 0, paths: 0, certain: 0 };
  let nextLine = 1;
  const playgrounds = Array.from({ length: AT_ONCE }, makePlayground);
  const work = async (playground: Playground) => {
    for (let seed = nextLine++; seed <= LINES; seed = nextLine++) {
      const line = commandLine(seed);
      const { cwd, repositoryAt } = playground;
      const effects = effectsOf(line, { cwd, repositoryAt });
      const reality = await playground.run(line);
      const due = certainties(effects, reality, playground);
      const unmet = due.filter((each) => !each.isMet).map((each) => each.what);
      const wrong = [...unforetold(effects, reality, playground), ...unmet];
      if (wrong.length > 0) seen.complaints.push(`${seed}: ${line}\n  ${wrong.join('\n  ')}`);
      seen.succeeded += reality.status === 0 ? 1 : 0;
      seen.refs += reality.refs.length;
      seen.paths += reality.paths.length;
      seen.certain += due.length;
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
  expect(seen.certain).toBeGreaterThan(LINES / 6);
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
  const roots = valuesOf(effect.dir).map((dir) => playground.repositoryAt(dir)?.root);
  const isThere = effect.dir.kind === 'unknown' || roots.includes(ref.root);
  const names = effect.refsWritten.map((write) => write.ref);
  return isThere && names.some((name) => name.kind === 'unknown' || valuesOf(name).includes(ref.ref));
}

/** A path covers what is below it, and the directories above that had to be made. */
function coversPath(write: FileWrite, path: string): boolean {
  if (write.path.kind === 'unknown') return write.how === 'git' ? isKeptByGit(path) : true;
  return valuesOf(write.path).some(
    (each) =>
      each === path || path.startsWith(`${each}/`) || (write.how === 'mkdir' && each.startsWith(`${path}/`)),
  );
}

interface Certainty {
  readonly what: string;
  readonly isMet: boolean;
}

/** What must be true after a line with a good end, unless something else in it may have undone it. */
function certainties(effects: Effects, reality: Reality, playground: Playground): readonly Certainty[] {
  if (reality.status !== 0) return [];
  return [
    ...effects.git.flatMap((effect) => commitOf(effect, effects, reality, playground)),
    ...effects.writes.flatMap((write) => fileOf(write, effects, reality)),
  ];
}

function commitOf(
  effect: GitEffect,
  effects: Effects,
  reality: Reality,
  playground: Playground,
): readonly Certainty[] {
  const { dir, branch } = effect;
  const isUndone = effects.git.some(({ operation }) => operation === 'reset' || operation === 'branch');
  if (!effect.certain || effect.operation !== 'commit' || effect.dryRun || isUndone) return [];
  if (dir.kind !== 'known' || branch.kind !== 'known' || branch.value === 'HEAD') return [];
  const root = playground.repositoryAt(dir.value)?.root;
  const isMet = reality.refs.some((ref) => ref.root === root && ref.ref === branch.value);
  return [{ what: `no commit on ${branch.value} in ${root}`, isMet }];
}

const MAKERS = ['redirect', 'append', 'tee', 'touch', 'mkdir', 'sed-i'];
const UNMAKERS = ['rm', 'mv', 'git'];

function fileOf(write: FileWrite, effects: Effects, reality: Reality): readonly Certainty[] {
  const isUndone = effects.writes.some((other) => UNMAKERS.includes(other.how));
  if (!write.certain || write.path.kind !== 'known' || !MAKERS.includes(write.how) || isUndone) return [];
  const { value } = write.path;
  return [{ what: `no file ${value}`, isMet: reality.present.has(value) }];
}

function valuesOf(possible: Possible<string>): readonly string[] {
  return possible.kind === 'known' ? [possible.value] : possible.kind === 'oneOf' ? possible.values : [];
}
