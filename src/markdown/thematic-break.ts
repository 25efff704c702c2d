import { matchAt } from './match-at';

/** From where on a line holds nothing but spaces and its last mark, if that is one of which rules are drawn. */
export function ruleStart(wide: string): number {
  let end = wide.length;
  while (wide[end - 1] === ' ') end -= 1;
  const mark = wide[end - 1];
  if (mark !== '-' && mark !== '*' && mark !== '_') return wide.length;
  while (wide[end - 1] === mark || wide[end - 1] === ' ') end -= 1;
  return end;
}

/** Whether the line is a thematic break from `first` on; `rule` is its `ruleStart`, found once for all markers. */
export function isThematicBreak(wide: string, first: number, rule: number): boolean {
  return first >= rule && matchAt(/([-*_]) *\1 *\1/y, wide, first) > 0;
}
