import { afterAll, expect, test } from 'vitest';
import { type Effects, effectsOf, type FileWrite, type Possible } from '../../src/shell';
import { commandLine } from './generated-commands';
import { makePlayground, type Playground, type Reality } from './playground';

/*
 * Generated lines are run by the real bash and git, and what happened is held against what was
 * foretold: nothing may happen that was not, and what was foretold as certain must have happened
 * wherever the line came to a good end.
 */

const LINES = 320;
const BATCHES = 8;
const playgrounds: Playground[] = [];

afterAll(() => {
  for (const playground of playgrounds) playground.remove();
});

test.concurrent.each(Array.from({ length: BATCHES }, (_, index) => index))(
  'batch %i does what was foretold',
  async (batch) => {
    const playground = makePlayground();
    playgrounds.push(playground);
    for (let index = batch; index < LINES; index += BATCHES) {
      const line = commandLine(index + 1);
      const effects = effectsOf(line, {
        cwd: playground.cwd,
        branch: 'main',
        repositoryAt: playground.repositoryAt,
      });
      const reality = playground.run(line);
      const complaints = [
        ...unforetold(effects, reality, playground),
        ...missing(effects, reality, playground),
      ];
      expect(complaints, `line ${index + 1}: ${line}`).toEqual([]);
    }
  },
);

function unforetold(effects: Effects, reality: Reality, playground: Playground): readonly string[] {
  if (effects.unknown.some((unknown) => unknown.kind !== 'program')) return [];
  return [
    ...reality.refs
      .filter((ref) => !effects.git.some((effect) => coversRef(effect, ref, playground)))
      .map((ref) => `unforetold ref ${ref.root} ${ref.ref}`),
    ...reality.paths
      .filter((path) => !effects.writes.some((write) => coversPath(write, path)))
      .map((path) => `unforetold path ${path}`),
  ];
}

function coversRef(
  effect: Effects['git'][number],
  ref: Reality['refs'][number],
  playground: Playground,
): boolean {
  const isThere =
    effect.dir.kind === 'unknown' ||
    valuesOf(effect.dir).some((dir) => playground.repositoryAt(dir)?.root === ref.root);
  return (
    isThere &&
    effect.refsWritten.some((write) => write.ref.kind === 'unknown' || valuesOf(write.ref).includes(ref.ref))
  );
}

/** A path covers what is below it, and the directories above that had to be made. */
function coversPath(write: FileWrite, path: string): boolean {
  if (write.path.kind === 'unknown') return true;
  return valuesOf(write.path).some(
    (each) => each === path || path.startsWith(`${each}/`) || each.startsWith(`${path}/`),
  );
}

function missing(effects: Effects, reality: Reality, playground: Playground): readonly string[] {
  if (reality.status !== 0) return [];
  const commits = effects.git.filter(
    (effect) => effect.certain && effect.createsCommit === true && !effect.dryRun,
  );
  return commits.flatMap((effect) => {
    const [dir, branch] = [effect.dir, effect.branch];
    if (dir.kind !== 'known' || branch.kind !== 'known' || branch.value === 'HEAD') return [];
    const root = playground.repositoryAt(dir.value)?.root;
    return reality.refs.some((ref) => ref.root === root && ref.ref === branch.value) || isUndone(effects)
      ? []
      : [`no commit on ${branch.value} in ${root}`];
  });
}

/** A reset, a rename or a forced branch may take back what a commit did. */
function isUndone(effects: Effects): boolean {
  return effects.git.some((effect) => effect.operation === 'reset' || effect.operation === 'branch');
}

function valuesOf(possible: Possible<string>): readonly string[] {
  return possible.kind === 'known' ? [possible.value] : possible.kind === 'oneOf' ? possible.values : [];
}
