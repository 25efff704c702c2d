import { toCommonJs } from '../../tools/to-commonjs.mjs';

interface Built {
  readonly code: string;
  /** All that the program has logged, returned and thrown, in order. */
  readonly said: readonly unknown[];
}

/** The program runs three times, by its function `run`, and says what it does by `log`, which gives back what it is given. */
function built(
  program: string,
  seldom: readonly string[],
  nameFor: (name: string) => string | undefined,
  names = 'run as way',
): Built {
  const code = toCommonJs(`${program};export{${names}};`, {
    originOf: ({ declares: [name = ''] }) => ({ file: 'some.ts', name }),
    foldOf: ({ name }) => (seldom.includes(name) ? 'fold' : undefined),
    nameFor: ({ name }) => nameFor(name),
  });
  const said: unknown[] = [];
  const log = (word: unknown): unknown => {
    said.push(word);
    return word;
  };
  const exports: { way?: (turn: number) => unknown } = {};
  new Function('exports', 'log', code)(exports, log);
  for (const turn of [0, 1, 2]) said.push(outcomeOf(() => exports.way?.(turn)));
  return { code, said: said.map((one) => JSON.stringify(one) ?? 'undefined') };
}

function outcomeOf(run: () => unknown): unknown {
  try {
    return { returned: run() };
  } catch (error) {
    return { threw: error instanceof TypeError ? 'a TypeError' : String(error) };
  }
}

/** A function that is given a name is left alone, so that all of them are there. */
export function asItWas(program: string, names?: string): Built {
  return built(program, [], (name) => name, names);
}

/** With functions inlined, and those that are seldom run in a fold. */
export function changed(program: string, seldom: readonly string[] = [], names?: string): Built {
  return built(program, seldom, () => undefined, names);
}

/** The names of the functions that are left. */
export function left(code: string): string[] {
  return [...code.matchAll(/function (\w+)\(/g)].map(([, name]) => name ?? '').sort();
}
