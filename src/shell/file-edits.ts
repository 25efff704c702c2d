import { allOperands, has, readArguments, valueOfOption } from './arguments';
import { constantOf, knownWord, textOf, type Word } from './command';
import { eachOf, type Target, type Writer } from './file-targets';

/** Programs that write only with certain options. */

interface InPlace {
  readonly isInPlace: boolean;
  readonly suffix: string;
  /** The words without the switch. */
  readonly plain: readonly Word[];
}

/** `-i` takes an attached suffix, so what follows it in a cluster is no option. */
function inPlace(args: readonly Word[], before: RegExp): InPlace {
  let isInPlace = false;
  let suffix = '';
  const plain = args.flatMap((word) => {
    const text = constantOf(word) ?? '';
    const found = before.exec(text) ?? /^(--in-place)(?:=|$)/.exec(text);
    if (found === null) return [word];
    isInPlace = true;
    suffix = text.slice(found[0].length);
    const others = found[1] ?? '';
    return others === '' || others === '--in-place' ? [] : [knownWord(`-${others}`)];
  });
  return { isInPlace, suffix, plain };
}

/** The files, and the copies that a suffix keeps of them. */
function edited(how: 'sed-i' | 'perl-i', files: readonly Word[], suffix: string): readonly Target[] {
  const copy = (word: Word): Word => {
    const text = constantOf(word);
    return text === undefined || suffix.includes('*')
      ? { kind: 'unknown', text: textOf(word) }
      : knownWord(text + suffix);
  };
  return eachOf(how, suffix === '' ? files : files.flatMap((word) => [word, copy(word)]));
}

export const sed: Writer = (words) => {
  const { isInPlace, suffix, plain } = inPlace(words, /^-([nrEsuz]*)i/);
  if (!isInPlace) return [];
  const args = readArguments(plain, '-e -f -l --expression --file --line-length');
  const operands = allOperands(args);
  const isScripted = has(args, '-e', '-f', '--expression', '--file');
  return edited('sed-i', isScripted ? operands : operands.slice(1), suffix);
};

export const perl: Writer = (words) => {
  const { isInPlace, suffix, plain } = inPlace(words, /^-([pnlaw0-7]*)i/);
  if (!isInPlace) return [];
  const args = readArguments(plain, '-e -E -M -m -I');
  const operands = allOperands(args);
  return edited('perl-i', has(args, '-e', '-E') ? operands : operands.slice(1), suffix);
};

export const awk: Writer = (words) => {
  const args = readArguments(words, '-i --include -v --assign -F --field-separator -f --file');
  if (constantOf(valueOfOption(args, '-i', '--include')) !== 'inplace') return [];
  const operands = allOperands(args);
  return eachOf('sed-i', has(args, '-f', '--file') ? operands : operands.slice(1));
};

export const dd: Writer = (words) =>
  words.flatMap((word): readonly Target[] => {
    if (!textOf(word).startsWith('of=')) return [];
    const text = textOf(word).slice('of='.length);
    return eachOf('dd', [word.kind === 'known' ? knownWord(text) : { kind: 'unknown', text }]);
  });

export const curl: Writer = (words) => {
  const args = readArguments(
    words,
    '-o --output -H --header -d --data -X --request -u --user -A -e -b -c --cookie-jar -w -T -F -m --output-dir',
  );
  const named = [...(args.values.get('-o') ?? []), ...(args.values.get('--output') ?? [])];
  const jar = valueOfOption(args, '-c', '--cookie-jar');
  const own: readonly Word[] = has(args, '-O', '--remote-name') ? [{ kind: 'unknown', text: '-O' }] : [];
  return eachOf('download', [...named, ...own, ...(jar === undefined ? [] : [jar])]);
};

export const wget: Writer = (words) => {
  const args = readArguments(
    words,
    '-O --output-document -P --directory-prefix -o --output-file -a --header -U -t -T',
  );
  if (has(args, '--spider')) return [];
  const log = valueOfOption(args, '-o', '--output-file');
  const target =
    valueOfOption(args, '-O', '--output-document') ?? valueOfOption(args, '-P', '--directory-prefix');
  const file: Word = target ?? { kind: 'unknown', text: 'the name in the address' };
  return eachOf('download', [file, ...(log === undefined ? [] : [log])]);
};

/** Files that only an option names, such as `sort -o`. */
export const byOption =
  (...options: readonly string[]): Writer =>
  (words) => {
    const value = valueOfOption(readArguments(words, options.join(' ')), ...options);
    return value === undefined ? [] : eachOf('output', [value]);
  };

export const find: Writer = (words) =>
  words.some((word) => constantOf(word) === '-delete')
    ? eachOf('rm', [{ kind: 'unknown', text: 'find -delete' }])
    : [];

export const yq: Writer = (words) => {
  const args = readArguments(words);
  return has(args, '-i', '--inplace') ? eachOf('sed-i', allOperands(args).slice(-1)) : [];
};
