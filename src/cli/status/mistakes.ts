import { switchedOffLine } from '../../config/diagnostics';

/** A part of the config that is without effect until a mistake in it is mended. */
export interface Mistake {
  readonly what: string;
  /** `file:line:column`. */
  readonly place: string;
}

const ENDING = switchedOffLine('');
const ERROR = ': error: ';

/** The mistakes among the problems of a config, which is compiled with their text alone. */
export function mistakesIn(problems: readonly string[]): Mistake[] {
  return problems.flatMap((problem) => {
    const last = problem.split('\n').at(-1) ?? '';
    const place = problem.split('\n', 1)[0]?.split(ERROR, 1)[0] ?? '';
    if (!problem.includes(ERROR) || !last.endsWith(ENDING)) return [];
    return [{ what: last.slice(0, -ENDING.length), place }];
  });
}
