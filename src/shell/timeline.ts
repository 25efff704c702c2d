import { effectIn, type Worlds } from './worlds';

/**
 * Something that commands change (the directory, a variable, the branch of a repository).
 * Every change belongs to the command that makes it, and counts only where that command had success.
 */
export interface Timeline<T> {
  readonly initial: readonly T[];
  readonly changes: readonly { readonly step: number; readonly to: readonly T[] }[];
}

export function timeline<T>(...initial: readonly T[]): Timeline<T> {
  return { initial, changes: [] };
}

export function changed<T>(line: Timeline<T>, step: number, to: readonly T[]): Timeline<T> {
  return { initial: line.initial, changes: [...line.changes, { step, to }] };
}

/** Every value it may have at a point. */
export function valuesAt<T>(line: Timeline<T>, worlds: Worlds): readonly T[] {
  const values = new Set<T>();
  for (const facts of worlds) for (const value of valuesIn(line, facts)) values.add(value);
  return [...values];
}

function valuesIn<T>(line: Timeline<T>, facts: string): readonly T[] {
  const values: T[] = [];
  for (let index = line.changes.length - 1; index >= 0; index--) {
    const change = line.changes[index];
    if (change === undefined) continue;
    const effect = effectIn(facts, change.step);
    if (effect !== 'had none') values.push(...change.to);
    if (effect === 'took effect') return values;
  }
  return [...values, ...line.initial];
}
