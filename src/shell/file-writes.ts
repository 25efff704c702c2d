import { posix } from 'node:path';
import type { WriteKind } from '../core/command-effects';
import {
  type Arguments,
  allOperands,
  byName,
  constantOf,
  has,
  knownWord,
  mapWord,
  readArguments,
  textOf,
  unknownWord,
  valueOfOption,
  type Word,
} from './words';

/** A file that a program writes: one of the candidates. */
export interface Target {
  readonly how: WriteKind;
  readonly candidates: readonly Word[];
}

type Writer = (args: readonly Word[]) => readonly Target[];

/** Every word that is there as a file of its own. */
export function eachOf(how: WriteKind, words: readonly (Word | undefined)[]): readonly Target[] {
  return words.flatMap((word) => (word === undefined ? [] : [{ how, candidates: [word] }]));
}

/** Programs that write their operands, all or from the given one on. */
const operands =
  (how: WriteKind, withValue = '', from = 0): Writer =>
  (args) =>
    eachOf(how, allOperands(readArguments(args, withValue)).slice(from));

const COPY_VALUES = '-t --target-directory -S --suffix -m --mode -o --owner -g --group';

/** `cp`, `mv`, `ln`, `install`: the last operand is a file or a directory to put things in. */
const copying =
  (how: WriteKind): Writer =>
  (words) => {
    const args = readArguments(words, COPY_VALUES);
    const all = allOperands(args);
    if (how === 'install' && has(args, '-d --directory')) return eachOf('mkdir', all);
    const into = valueOfOption(args, '-t --target-directory');
    const sources = into === undefined && all.length > 1 ? all.slice(0, -1) : all;
    const removed = eachOf('mv', how === 'mv' ? sources : []);
    // `ln -s path` alone makes its link here.
    const alone = how === 'ln' ? knownWord('.') : undefined;
    const target = into ?? (all.length > 1 ? all.at(-1) : alone);
    return target === undefined ? removed : [...removed, ...copies(how, args, sources, target)];
  };

function copies(how: WriteKind, args: Arguments, sources: readonly Word[], target: Word): readonly Target[] {
  const base = constantOf(target);
  const isDirectory =
    has(args, '-t --target-directory') || sources.length > 1 || /\/$|(?:^|\/)\.{1,2}$/.test(base ?? '');
  const isFile = has(args, '-T --no-target-directory');
  return sources.map((source) => {
    const name = constantOf(source);
    const isKnown = base !== undefined && name !== undefined;
    const inside = isKnown
      ? knownWord(`${base}/${posix.basename(name)}`)
      : unknownWord(`${textOf(target)}/${textOf(source)}`);
    if (isFile) return { how, candidates: [target] };
    return { how, candidates: isDirectory ? [inside] : [target, inside] };
  });
}

/**
 * `sed -i`, `perl -i`: the files, and the copies that a suffix keeps of them. What follows `-i` in its word is the
 * suffix, so `-i` may only come after the options in `before`. Without one of `scripts` the first operand is code.
 */
const inPlace =
  (how: 'sed-i' | 'perl-i', before: RegExp, withValue: string, scripts: string): Writer =>
  (words) => {
    let suffix: string | undefined;
    const others = words.flatMap((word) => {
      const text = constantOf(word) ?? '';
      const [found, letters = ''] = before.exec(text) ?? /^--in-place(?:=|$)/.exec(text) ?? [];
      if (found === undefined) return [word];
      suffix = text.slice(found.length);
      return letters === '' ? [] : [knownWord(`-${letters}`)];
    });
    if (suffix === undefined) return [];
    const ending = suffix;
    const args = readArguments(others, withValue);
    const files = allOperands(args).slice(has(args, scripts) ? 0 : 1);
    if (ending === '') return eachOf(how, files);
    return eachOf(
      how,
      files.flatMap((word) => [
        word,
        word.kind === 'unknown' || ending.includes('*')
          ? unknownWord(textOf(word))
          : knownWord(word.value + ending),
      ]),
    );
  };

const awk: Writer = (words) => {
  const args = readArguments(words, '-i --include -v --assign -F --field-separator -f --file');
  if (constantOf(valueOfOption(args, '-i --include')) !== 'inplace') return [];
  return eachOf('sed-i', allOperands(args).slice(has(args, '-f --file') ? 0 : 1));
};

const yq: Writer = (words) => {
  const args = readArguments(words);
  return has(args, '-i --inplace') ? eachOf('sed-i', allOperands(args).slice(-1)) : [];
};

const dd: Writer = (words) =>
  words
    .filter((word) => textOf(word).startsWith('of='))
    .flatMap((word) => eachOf('dd', [mapWord(word, (text) => text.slice('of='.length))]));

const curl: Writer = (words) => {
  const args = readArguments(
    words,
    '-o --output -H --header -d --data -X --request -u --user -A -e -b -c --cookie-jar -w -T -F -m --output-dir',
  );
  const named = [...(args.values.get('-o') ?? []), ...(args.values.get('--output') ?? [])];
  const own = has(args, '-O --remote-name') ? unknownWord('-O') : undefined;
  return eachOf('download', [...named, own, valueOfOption(args, '-c --cookie-jar')]);
};

const wget: Writer = (words) => {
  const args = readArguments(
    words,
    '-O --output-document -P --directory-prefix -o --output-file -a --header -U -t -T',
  );
  if (has(args, '--spider')) return [];
  const target = valueOfOption(args, '-O --output-document -P --directory-prefix');
  const log = valueOfOption(args, '-o --output-file');
  return eachOf('download', [target ?? unknownWord('the name in the address'), log]);
};

/** Files that only an option names, such as `sort -o`. */
const byOption =
  (options: string): Writer =>
  (words) =>
    eachOf('output', [valueOfOption(readArguments(words, options), options)]);

const find: Writer = (words) =>
  words.some((word) => constantOf(word) === '-delete') ? eachOf('rm', [unknownWord('find -delete')]) : [];

const tar: Writer = (words) => {
  const [first, ...others] = words;
  const text = constantOf(first) ?? '';
  // The old style has its letters without a dash.
  const spelled = text === '' || text.startsWith('-') ? words : [knownWord(`-${text}`), ...others];
  const args = readArguments(spelled, '-f --file -C --directory -T --files-from --exclude -X');
  if (has(args, '-x --extract --get'))
    return eachOf('archive', [valueOfOption(args, '-C --directory') ?? knownWord('.')]);
  const writes = has(args, '-c --create -r --append -u --update -A');
  return writes ? eachOf('archive', [valueOfOption(args, '-f --file')]) : [];
};

const unzip: Writer = (words) => {
  const args = readArguments(words, '-d -x');
  return has(args, '-l -t -v -p -Z') ? [] : eachOf('archive', [valueOfOption(args, '-d') ?? knownWord('.')]);
};

const zip: Writer = (words) => eachOf('archive', allOperands(readArguments(words, '-x -i')).slice(0, 1));

const patch: Writer = (words) => {
  const args = readArguments(words, '-p -i --input -d --directory -o --output -B -r');
  return has(args, '--dry-run') ? [] : eachOf('patch', [args.operands[0] ?? unknownWord('patch')]);
};

/** `rsync`, `scp`: the last operand is where it goes; with a host before a colon that is another machine. */
const mirror: Writer = (words) => {
  const args = readArguments(
    words,
    '-e --rsh --exclude --include --filter -P -i -F -o --exclude-from --files-from',
  );
  const all = allOperands(args);
  const target = all.length > 1 ? all.at(-1) : undefined;
  if (target === undefined || has(args, '-n --dry-run') || /^[^/:]+:/.test(textOf(target))) return [];
  return eachOf('cp', [target]);
};

/** By the name of the program: which files its arguments say it writes. */
export const WRITERS = byName<Writer>([
  ['tee', operands('tee', '--output-error')],
  ['sponge', operands('tee')],
  [
    'sed gsed',
    inPlace(
      'sed-i',
      /^-([nrEsuz]*)i/,
      '-e -f -l --expression --file --line-length',
      '-e -f --expression --file',
    ),
  ],
  ['perl', inPlace('perl-i', /^-([pnlaw0-7]*)i/, '-e -E -M -m -I', '-e -E')],
  ['awk gawk', awk],
  ['yq', yq],
  ['cp', copying('cp')],
  ['mv', copying('mv')],
  ['ln', copying('ln')],
  ['install', copying('install')],
  ['rsync scp', mirror],
  ['rm rmdir unlink trash', operands('rm')],
  ['shred', operands('rm', '-n --iterations -s --size')],
  ['dd', dd],
  ['truncate', operands('truncate', '-s --size -r --reference')],
  ['fallocate', operands('truncate', '-l --length -o --offset')],
  ['touch', operands('touch', '-d --date -t -r --reference')],
  ['mkdir mkfifo', operands('mkdir', '-m --mode')],
  ['chmod chown chgrp chattr', operands('attributes', '', 1)],
  ['patch', patch],
  ['curl', curl],
  ['wget', wget],
  ['tar', tar],
  ['unzip', unzip],
  ['zip', zip],
  ['gzip gunzip', operands('archive', '-S --suffix')],
  ['sort', byOption('-o --output')],
  ['tree', byOption('-o')],
  ['find', find],
]);
