import { constantOf, knownWord, type Word } from './command';

/** A program's words, told apart by the options that are known to take a value. */
export interface Arguments {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, readonly Word[]>;
  readonly operands: readonly Word[];
  /** What follows `--`; absent without it. */
  readonly rest: readonly Word[] | undefined;
}

/** `withValue` lists options such as `-m` and `--message`, separated by spaces. */
export function readArguments(words: readonly Word[], withValue = ''): Arguments {
  const taking = new Set(withValue.split(' '));
  const flags = new Set<string>();
  const values = new Map<string, Word[]>();
  const operands: Word[] = [];
  const keep = (option: string, value: Word | undefined) => {
    if (value !== undefined) values.set(option, [...(values.get(option) ?? []), value]);
  };
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (word === undefined) continue;
    const text = constantOf(word);
    if (text === '--') return { flags, values, operands, rest: words.slice(index + 1) };
    if (text === undefined || !text.startsWith('-') || text === '-') operands.push(word);
    else if (text.startsWith('--')) index += readLong(text, words[index + 1]);
    else index += readCluster(text, words[index + 1]);
  }
  return { flags, values, operands, rest: undefined };

  /** Both answer how many further words they have used. */
  function readLong(text: string, next: Word | undefined): 0 | 1 {
    const equals = text.indexOf('=');
    const option = equals < 0 ? text : text.slice(0, equals);
    flags.add(option);
    if (equals >= 0) keep(option, knownWord(text.slice(equals + 1)));
    if (equals >= 0 || !taking.has(option)) return 0;
    keep(option, next);
    return 1;
  }

  function readCluster(text: string, next: Word | undefined): 0 | 1 {
    for (let at = 1; at < text.length; at++) {
      const option = `-${text[at]}`;
      flags.add(option);
      if (!taking.has(option)) continue;
      const attached = text.slice(at + 1);
      keep(option, attached === '' ? next : knownWord(attached));
      return attached === '' ? 1 : 0;
    }
    return 0;
  }
}

export function has(args: Arguments, ...options: readonly string[]): boolean {
  return options.some((option) => args.flags.has(option));
}

export function valueOfOption(args: Arguments, ...options: readonly string[]): Word | undefined {
  for (const option of options) {
    const value = args.values.get(option)?.at(-1);
    if (value !== undefined) return value;
  }
  return undefined;
}

export function allOperands(args: Arguments): readonly Word[] {
  return [...args.operands, ...(args.rest ?? [])];
}
