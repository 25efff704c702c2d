import { posix } from 'node:path';
import type { Possible } from '../core/command-effects';

/** One word after expansion. What depends on the machine (a variable, a glob) keeps only its text. */
export type Word =
  | { readonly kind: 'known'; readonly value: string }
  | { readonly kind: 'unknown'; readonly text: string };

/** The values something may have; `undefined` stands for one that is unknown. */
export type Options = readonly (string | undefined)[];

const MOST_OPTIONS = 8;

/** A word with this value. */
export function knownWord(value: string): Word {
  return { kind: 'known', value };
}

/** A word whose value is unknown. */
export function unknownWord(text: string): Word {
  return { kind: 'unknown', text };
}

/** The value of a word, or its text where the value is unknown. */
export function textOf(word: Word): string {
  return word.kind === 'known' ? word.value : word.text;
}

/** The value of a word that is known. */
export function constantOf(word: Word | undefined): string | undefined {
  return word?.kind === 'known' ? word.value : undefined;
}

/** The same word with another text, as known as before. */
export function mapWord(word: Word, change: (text: string) => string): Word {
  return word.kind === 'known' ? knownWord(change(word.value)) : unknownWord(change(word.text));
}

/** The name of the program that a command word names; empty where it is unknown. */
export function programOf(word: Word | undefined): string {
  return posix.basename(constantOf(word) ?? '');
}

/** Options as the effects show them; too many are unknown. */
export function possibleOf(options: Options): Possible<string> {
  const values = [...new Set(options)].filter((value) => value !== undefined);
  const [first] = values;
  if (first === undefined || options.includes(undefined) || values.length > MOST_OPTIONS)
    return { kind: 'unknown' };
  return values.length === 1 ? { kind: 'known', value: first } : { kind: 'oneOf', values };
}

/** The items without repetitions, such as the second round of a loop brings. */
export function distinct<T>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** A map in which several names, separated by spaces, may have the same value. */
export function byName<T>(rows: readonly (readonly [names: string, value: T])[]): ReadonlyMap<string, T> {
  return new Map(rows.flatMap(([names, value]) => names.split(' ').map((name) => [name, value] as const)));
}

/** A path as seen from each of the directories. An absolute one does not need them. */
export function resolveFrom(directories: Options, path: string | undefined): Options {
  if (path === undefined) return [undefined];
  if (posix.isAbsolute(path)) return [posix.resolve(path)];
  return directories.map((directory) =>
    directory === undefined ? undefined : posix.resolve('/', directory, path),
  );
}

/** The arguments of a program, split into options and operands. */
export interface Arguments {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, readonly Word[]>;
  readonly operands: readonly Word[];
  /** What follows `--`; absent without it. */
  readonly rest: readonly Word[] | undefined;
}

/** Reads arguments. `withValue` lists the options that take a value, separated by spaces. */
export function readArguments(words: readonly Word[], withValue = ''): Arguments {
  const taking = new Set(withValue.split(' '));
  const values = new Map<string, Word[]>();
  const operands: Word[] = [];
  const flags = new Set<string>();
  const queue = [...words];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (constantOf(word) === '--') return { flags, values, operands, rest: queue };
    const options = optionsIn(constantOf(word), taking);
    if (options.length === 0) operands.push(word);
    for (const { option, attached } of options) {
      flags.add(option);
      const value = taking.has(option) && attached === undefined ? queue.shift() : attached;
      values.set(option, [...(values.get(option) ?? []), ...(value === undefined ? [] : [value])]);
    }
  }
  return { flags, values, operands, rest: undefined };
}

/** The options in one word: `--name`, `--name=value`, or a cluster such as `-am`. */
function optionsIn(
  text: string | undefined,
  taking: ReadonlySet<string>,
): readonly { readonly option: string; readonly attached: Word | undefined }[] {
  if (text === undefined || !/^-./.test(text)) return [];
  const [, long, value] = /^(--[^=]+)(?:=(.*))?$/s.exec(text) ?? [];
  if (long !== undefined)
    return [{ option: long, attached: value === undefined ? undefined : knownWord(value) }];
  const letters = [...text.slice(1)];
  // The first option of a cluster that takes a value has the rest of it, or the next word.
  const valued = letters.findIndex((letter) => taking.has(`-${letter}`));
  const rest = valued < 0 ? '' : letters.splice(valued + 1).join('');
  return letters.map((letter, at) => ({
    option: `-${letter}`,
    attached: at === valued && rest !== '' ? knownWord(rest) : undefined,
  }));
}

/** Whether one of the options is given. `options` are separated by spaces. */
export function has(args: Arguments, options: string): boolean {
  return options.split(' ').some((option) => args.flags.has(option));
}

/** The last value of the first of the options that has one. `options` are separated by spaces. */
export function valueOfOption(args: Arguments, options: string): Word | undefined {
  return options
    .split(' ')
    .map((option) => args.values.get(option)?.at(-1))
    .find((value) => value !== undefined);
}

/** All operands, those after `--` included. */
export function allOperands(args: Arguments): readonly Word[] {
  return [...args.operands, ...(args.rest ?? [])];
}

/** Git's global options whose value is the next word. */
export const GIT_OPTIONS_WITH_VALUE =
  '-C -c --git-dir --work-tree --namespace --super-prefix --config-env --exec-path'.split(' ');
