import type { WriteKind } from '../core/command-effects';
import { type Arguments, allOperands, has, readArguments, valueOfOption } from './arguments';
import { constantOf, knownWord, textOf, type Word } from './command';
import { baseName } from './paths';

/** A file that a program writes: any one of the candidates. */
export interface Target {
  readonly how: WriteKind;
  readonly candidates: readonly Word[];
}

export type Writer = (args: readonly Word[]) => readonly Target[];

export function eachOf(how: WriteKind, words: readonly Word[]): readonly Target[] {
  return words.map((word) => ({ how, candidates: [word] }));
}

/** Programs whose operands are all written. */
export const allWritten =
  (how: WriteKind, withValue = ''): Writer =>
  (args) =>
    eachOf(how, allOperands(readArguments(args, withValue)));

/** `chmod` and its like: the first operand is not a file. */
export const allButFirst =
  (how: WriteKind): Writer =>
  (args) =>
    eachOf(how, allOperands(readArguments(args)).slice(1));

const COPY_VALUES = '-t --target-directory -S --suffix -m --mode -o --owner -g --group';

/** `cp`, `mv`, `ln`, `install`: the last operand is a file or a directory to put things in. */
export const copying =
  (how: WriteKind): Writer =>
  (words) => {
    const args = readArguments(words, COPY_VALUES);
    const operands = allOperands(args);
    if (how === 'install' && has(args, '-d', '--directory')) return eachOf('mkdir', operands);
    const into = valueOfOption(args, '-t', '--target-directory');
    const sources = into === undefined && operands.length > 1 ? operands.slice(0, -1) : operands;
    const removed = eachOf('mv', how === 'mv' ? sources : []);
    const target = into ?? (operands.length > 1 ? operands.at(-1) : alone(how));
    return target === undefined ? removed : [...removed, ...copies(how, args, sources, target)];
  };

/** `ln -s path` alone makes its link here. */
function alone(how: WriteKind): Word | undefined {
  return how === 'ln' ? knownWord('.') : undefined;
}

function copies(how: WriteKind, args: Arguments, sources: readonly Word[], target: Word): readonly Target[] {
  const isDirectory = has(args, '-t', '--target-directory') || sources.length > 1 || endsAsDirectory(target);
  const isFile = has(args, '-T', '--no-target-directory');
  return sources.map((source) => {
    const inside = within(target, source);
    if (isFile) return { how, candidates: [target] };
    return { how, candidates: isDirectory ? [inside] : [target, inside] };
  });
}

function endsAsDirectory(word: Word): boolean {
  const text = constantOf(word) ?? '';
  return text.endsWith('/') || text === '.' || text === '..' || text.endsWith('/.') || text.endsWith('/..');
}

function within(directory: Word, source: Word): Word {
  const [base, name] = [constantOf(directory), constantOf(source)];
  if (base === undefined || name === undefined)
    return { kind: 'unknown', text: `${textOf(directory)}/${textOf(source)}` };
  return knownWord(`${base}/${baseName(name)}`);
}
