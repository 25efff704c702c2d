import type { FoundCheck, Kind, Purpose } from './kind';

const PURPOSES: readonly Purpose[] = ['test', 'lint', 'typecheck', 'check', 'build'];

/** Runners of named targets, and how a line that begins one looks. */
const RUNNERS = [
  {
    files: ['GNUmakefile', 'makefile', 'Makefile'],
    program: 'make',
    target: /^([\w.\- \t]+?)[ \t]*::?(?!=)/gm,
  },
  {
    files: ['justfile', 'Justfile', '.justfile'],
    program: 'just',
    target: /^@?([\w-]+)(?:[ \t][^:\n]*)?:(?!=)/gm,
  },
] as const;

/** Targets of a Makefile or a justfile: for projects of every kind, and for those of none that we know. */
export const makeKind: Kind = {
  name: 'make',
  recognise(files) {
    const used = RUNNERS.flatMap(({ files: names, program, target }) => {
      const file = names.find(files.has);
      if (file === undefined) return [];
      const targets = [...files.text(file).matchAll(target)].flatMap(([, line = '']) => line.split(/\s+/));
      return [{ file, program, targets }];
    });
    if (used.length === 0) return undefined;
    const checks = used.flatMap(({ file, program, targets }) =>
      PURPOSES.filter((purpose) => targets.includes(purpose)).map(
        (purpose): FoundCheck => ({ purpose, command: `${program} ${purpose}`, source: file }),
      ),
    );
    const both = checks.some(({ purpose }) => purpose === 'test' || purpose === 'lint');
    return { checks: checks.filter(({ purpose }) => purpose !== 'check' || !both) };
  },
};
