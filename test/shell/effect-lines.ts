import { posix } from 'node:path';
import type { Effects, PossibleValues, RefWrite } from '../../src/core/command-effects';

/** Effects as lines that people can read; paths are shown from `root`. */
export function effectLines(effects: Effects, root: string): readonly string[] {
  const path = (possible: PossibleValues) => show(possible, (value) => posix.relative(root, value) || '.');
  const place = (dir: PossibleValues) => (path(dir) === '.' ? '' : ` in ${path(dir)}`);
  return [
    ...effects.git.map((effect) => {
      const refs = effect.refsWritten.map(ref).join(', ');
      const dry = effect.dryRun ? ' dry' : '';
      return `git ${effect.operation}${place(effect.dir)} on ${show(effect.branch)}${refs === '' ? '' : ` -> ${refs}`}${dry}`;
    }),
    ...effects.writes
      .filter((write) => !(write.how === 'git' && write.path.includes(undefined)))
      .map((write) => {
        const name = write.path.includes(undefined) ? `? ${write.text}` : path(write.path);
        return `write ${write.how} ${name}`;
      }),
    ...effects.tests.map(({ runner, idle, certain, places }) => {
      const outside = places.filter((one) => one === undefined || !`${one}/`.startsWith(`${root}/`));
      const where = outside.length === 0 ? '' : ` in ${outside.map((one) => one ?? '?').join(', ')}`;
      return `test ${runner}${idle === undefined ? '' : ` idle by ${idle}`}${where}${certain ? '' : ' (maybe)'}`;
    }),
    ...effects.forge.map((forge) => `forge ${forge.program} ${forge.operation}`),
    ...effects.unknown.map((unknown) => `unknown ${unknown.kind}: ${unknown.text.replaceAll('\n', '⏎')}`),
  ];
}

function ref(write: RefWrite): string {
  const remote = write.remote === undefined ? '' : `${show(write.remote)}/`;
  return `${write.follows ? '=' : ''}${remote}${show(write.ref)}${write.implied ? ' implied' : ''}`;
}

function show(possible: PossibleValues, one: (value: string) => string = (value) => value): string {
  return possible.map((value) => (value === undefined ? '?' : one(value))).join('|');
}
