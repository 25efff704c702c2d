import { posix } from 'node:path';
import type { WriteKind } from '../core/command-effects';
import { Arguments, byName, knownWord, mapWord, unknownWord, type Word } from './words';

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
  (words) =>
    eachOf(how, new Arguments(words, withValue).all.slice(from));

/** Files that only an option names, such as `sort -o`. */
const byOption =
  (options: string): Writer =>
  (words) =>
    eachOf('output', [new Arguments(words, options).valueOf(options)]);

/** `cp`, `mv`, `ln`, `install`: the last operand is a file or a directory to put things in. */
const copying =
  (how: WriteKind): Writer =>
  (words) => {
    const args = new Arguments(words, '-t --target-directory -S --suffix -m --mode -o --owner -g --group');
    const { all } = args;
    if (how === 'install' && args.has('-d --directory')) return eachOf('mkdir', all);
    const into = args.valueOf('-t --target-directory');
    const sources = into === undefined && all.length > 1 ? all.slice(0, -1) : all;
    const removed = eachOf('mv', how === 'mv' ? sources : []);
    // `ln -s path` alone makes its link here.
    const alone = how === 'ln' ? knownWord('.') : undefined;
    const target = into ?? (all.length > 1 ? all.at(-1) : alone);
    return target === undefined ? removed : [...removed, ...copies(how, args, sources, target)];
  };

function copies(how: WriteKind, args: Arguments, sources: readonly Word[], target: Word): readonly Target[] {
  const base = target.value;
  const isDirectory =
    args.has('-t --target-directory') || sources.length > 1 || /\/$|(?:^|\/)\.{1,2}$/.test(base ?? '');
  const isFile = args.has('-T --no-target-directory');
  return sources.map(({ text, value: name }) => {
    if (isFile) return { how, candidates: [target] };
    const isKnown = base !== undefined && name !== undefined;
    const inside = isKnown
      ? knownWord(`${base}/${posix.basename(name)}`)
      : unknownWord(`${target.text}/${text}`);
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
      const text = word.value ?? '';
      const [found, letters = ''] = before.exec(text) ?? /^--in-place(?:=|$)/.exec(text) ?? [];
      if (found === undefined) return [word];
      suffix = text.slice(found.length);
      return letters === '' ? [] : [knownWord(`-${letters}`)];
    });
    if (suffix === undefined) return [];
    const ending = suffix;
    const args = new Arguments(others, withValue);
    const files = args.all.slice(args.has(scripts) ? 0 : 1);
    if (ending === '') return eachOf(how, files);
    const backup = ({ text, value }: Word) =>
      value === undefined || ending.includes('*') ? unknownWord(text) : knownWord(value + ending);
    return eachOf(
      how,
      files.flatMap((word) => [word, backup(word)]),
    );
  };

const SED_SCRIPTS = '-e -f --expression --file';
const CURL_VALUES =
  '-o --output -H --header -d --data -X --request -u --user -A -e -b -c --cookie-jar -w -T -F -m --output-dir';
const WGET_VALUES = '-O --output-document -P --directory-prefix -o --output-file -a --header -U -t -T';
const MIRROR_VALUES = '-e --rsh --exclude --include --filter -P -i -F -o --exclude-from --files-from';

/** By the name of the program: which files its arguments say it writes. */
export const writerOf = byName<Writer>(() => [
  ['tee', operands('tee', '--output-error')],
  ['sponge', operands('tee')],
  ['sed gsed', inPlace('sed-i', /^-([nrEsuz]*)i/, `${SED_SCRIPTS} -l --line-length`, SED_SCRIPTS)],
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
  ['zip', (words) => eachOf('archive', new Arguments(words, '-x -i').all.slice(0, 1))],
  ['gzip gunzip', operands('archive', '-S --suffix')],
  ['sort', byOption('-o --output')],
  ['tree', byOption('-o')],
  [
    'find',
    (words) =>
      eachOf('rm', words.some(({ value }) => value === '-delete') ? [unknownWord('find -delete')] : []),
  ],
]);

const awk: Writer = (words) => {
  const args = new Arguments(words, '-i --include -v --assign -F --field-separator -f --file');
  if (args.valueOf('-i --include')?.value !== 'inplace') return [];
  return eachOf('sed-i', args.all.slice(args.has('-f --file') ? 0 : 1));
};

const yq: Writer = (words) => {
  const args = new Arguments(words);
  return args.has('-i --inplace') ? eachOf('sed-i', args.all.slice(-1)) : [];
};

/** `rsync`, `scp`: the last operand is where it goes; with a host before a colon that is another machine. */
const mirror: Writer = (words) => {
  const args = new Arguments(words, MIRROR_VALUES);
  const target = args.all.length > 1 ? args.all.at(-1) : undefined;
  if (target === undefined || args.has('-n --dry-run') || /^[^/:]+:/.test(target.text)) return [];
  return eachOf('cp', [target]);
};

const dd: Writer = (words) => {
  const named = words.filter(({ text }) => text.startsWith('of='));
  return eachOf(
    'dd',
    named.map((word) => mapWord(word, (text) => text.slice('of='.length))),
  );
};

const patch: Writer = (words) => {
  const args = new Arguments(words, '-p -i --input -d --directory -o --output -B -r');
  return args.has('--dry-run') ? [] : eachOf('patch', [args.operands[0] ?? unknownWord('patch')]);
};

const curl: Writer = (words) => {
  const args = new Arguments(words, CURL_VALUES);
  const own = args.has('-O --remote-name') ? unknownWord('-O') : undefined;
  const named = [...args.valuesOf('-o'), ...args.valuesOf('--output')];
  return eachOf('download', [...named, own, args.valueOf('-c --cookie-jar')]);
};

const wget: Writer = (words) => {
  const args = new Arguments(words, WGET_VALUES);
  if (args.has('--spider')) return [];
  const target = args.valueOf('-O --output-document -P --directory-prefix');
  const log = args.valueOf('-o --output-file');
  return eachOf('download', [target ?? unknownWord('the name in the address'), log]);
};

const tar: Writer = (words) => {
  const [first, ...others] = words;
  const text = first?.value ?? '';
  // The old style has its letters without a dash.
  const spelled = text === '' || text.startsWith('-') ? words : [knownWord(`-${text}`), ...others];
  const args = new Arguments(spelled, '-f --file -C --directory -T --files-from --exclude -X');
  if (args.has('-x --extract --get'))
    return eachOf('archive', [args.valueOf('-C --directory') ?? knownWord('.')]);
  return args.has('-c --create -r --append -u --update -A')
    ? eachOf('archive', [args.valueOf('-f --file')])
    : [];
};

const unzip: Writer = (words) => {
  const args = new Arguments(words, '-d -x');
  return args.has('-l -t -v -p -Z') ? [] : eachOf('archive', [args.valueOf('-d') ?? knownWord('.')]);
};
