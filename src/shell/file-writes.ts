import { posix } from 'node:path';
import type { WriteKind } from '../core/command-effects';
import { filesFoundBy, searchGlobs } from './find';
import type { Watched } from './scope';
import {
  Arguments,
  isBelow,
  knownWord,
  mapWord,
  nameTable,
  type PossibleValues,
  resolveFrom,
  unknownWord,
  type Word,
} from './words';

/** A file that a program writes: one of `candidates`. */
export interface Target {
  readonly how: WriteKind;
  readonly candidates: readonly Word[];
  /** Whether a watched file below a candidate, or matched by it, is written too. */
  readonly reaches?: (reach: ReachedFile) => boolean;
  /** The target of a link. */
  readonly leadsTo?: Word;
  /** See `FileWrite`. */
  readonly means?: 'change' | 'removal' | undefined;
}

/** A watched file that may be written because `place`, one of the candidates, was named. */
export interface ReachedFile {
  readonly file: string;
  readonly place: string;
  readonly cwd: PossibleValues;
  readonly watched: Watched;
}

type Writer = (args: readonly Word[]) => readonly Target[];

/** Makes a target of each word that is defined. */
export function targetsOf(
  how: WriteKind,
  words: readonly (Word | undefined)[],
  means?: Target['means'],
): readonly Target[] {
  return words.flatMap((word) =>
    word === undefined ? [] : [{ how, candidates: [word], ...(means && { means }) }],
  );
}

/** Programs that write their operands, all or from index `from` on. */
const operands =
  (how: WriteKind, withValue = '', from = 0): Writer =>
  (words) =>
    targetsOf(how, new Arguments(words, withValue).all.slice(from));

/** Programs that write a file that an option names, such as `sort -o`. */
const byOption =
  (options: string): Writer =>
  (words) =>
    targetsOf('output', [new Arguments(words, options).valueOf(options)]);

/** `cp`, `mv`, `ln`, `install`: the last operand is the target file or directory. */
const copying =
  (how: WriteKind): Writer =>
  (words) => {
    const args = new Arguments(words, '-t --target-directory -S --suffix -m --mode -o --owner -g --group');
    const { all } = args;
    if (how === 'install' && args.has('-d --directory')) return targetsOf('mkdir', all);
    const into = args.valueOf('-t --target-directory');
    const sources = into === undefined && all.length > 1 ? all.slice(0, -1) : all;
    const removed = targetsOf('mv', how === 'mv' ? sources : [], 'removal');
    // `ln -s path` alone creates the link in the current directory.
    const alone = how === 'ln' ? knownWord('.') : undefined;
    const target = into ?? (all.length > 1 ? all.at(-1) : alone);
    return target === undefined ? removed : [...removed, ...copies(how, args, sources, target)];
  };

function isDirectoryName({ value = '' }: Word): boolean {
  return /\/$|(?:^|\/)\.{1,2}$/.test(value);
}

function copies(how: WriteKind, args: Arguments, sources: readonly Word[], target: Word): readonly Target[] {
  const base = target.value;
  const isDirectory = args.has('-t --target-directory') || sources.length > 1 || isDirectoryName(target);
  const isFile = args.has('-T --no-target-directory');
  const isDeep = args.has('-r -R -a --recursive --archive');
  return sources.map((source) => {
    const { text, value: name } = source;
    const more = how === 'ln' ? { leadsTo: source } : isDeep ? { reaches: hasSource(source) } : {};
    if (isFile) return { how, candidates: [target], ...more };
    const isKnown = base !== undefined && name !== undefined;
    const inside = isKnown
      ? knownWord(`${base}/${posix.basename(name)}`)
      : unknownWord(`${target.text}/${text}`);
    return { how, candidates: isDirectory && isKnown ? [inside] : [target, inside], ...more };
  });
}

/** Copying a directory writes the files that exist in the source. */
function hasSource(source: Word): (reach: ReachedFile) => boolean {
  return ({ file, place, cwd, watched }) =>
    isBelow(place, file) &&
    resolveFrom(cwd, source.value).some(
      (from) =>
        from !== undefined && from !== place && watched.exists(posix.join(from, posix.relative(place, file))),
    );
}

/**
 * `sed -i`, `perl -i`: the files, and their backups if there is a suffix. The suffix is what follows `-i` in
 * its word, so `-i` may only come after the options in `before`. Without one of `scripts` the first operand
 * is code.
 */
const inPlace =
  (how: 'sed-i' | 'perl-i', before: RegExp, withValue: string, scripts: string): Writer =>
  (words) => {
    let suffix: string | undefined;
    const others = words.flatMap((word) => {
      const text = word.value ?? '';
      const [found, letters = ''] = before.exec(text) ?? /^--in?(?:-[place]*)?(?:=|$)/.exec(text) ?? [];
      if (found === undefined) return [word];
      suffix = text.slice(found.length);
      return letters === '' ? [] : [knownWord(`-${letters}`)];
    });
    if (suffix === undefined) return [];
    const ending = suffix;
    const args = new Arguments(others, withValue);
    const files = args.all.slice(args.has(scripts) ? 0 : 1);
    if (ending === '') return targetsOf(how, files);
    const backup = ({ text, value }: Word) =>
      value === undefined || ending.includes('*') ? unknownWord(text) : knownWord(value + ending);
    return targetsOf(
      how,
      files.flatMap((word) => [word, backup(word)]),
    );
  };

const SED_SCRIPTS = '-e -f --expression --file';
/** Files that curl writes besides the download. */
const CURL_FILES = '-c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --etag-save --libcurl';
const CURL_VALUES = `-o --output -H --header -d --data -X --request -u --user -A -e -b ${CURL_FILES} -w -T -F -m --output-dir`;
const WGET_VALUES = '-O --output-document -P --directory-prefix -o --output-file -a --header -U -t -T';
const MIRROR_VALUES = '-e --rsh --exclude --include --filter -P -i -F -o --exclude-from --files-from';

/** What a package manager writes itself, or a formatter that it runs or whose name has a version. */
export function packageWrites(program: string, words: readonly Word[]): readonly Target[] {
  if (/^p?npm pkg (?:set|delete)$/.test(`${program} ${words[0]?.value} ${words[1]?.value}`))
    return targetsOf('output', [knownWord('package.json')]);
  const isRunner = ['yarn', 'pnpm', 'bun'].includes(program);
  const name = isRunner ? (words[0]?.value ?? '') : program;
  const writer = writerOf(name.replace(/(?<=.)@.*$/, '')) ?? writerByOption;
  return writer(isRunner ? words.slice(1) : words).filter(({ how }) => how === 'format');
}

/** By program name: the files that its arguments say it writes. */
export const writerOf = nameTable<Writer>(() => [
  ['tee', operands('tee', '--output-error')],
  ['sponge', operands('tee')],
  ['sed gsed', inPlace('sed-i', /^-([nrEsuz]*)i/, `${SED_SCRIPTS} -l --line-length`, SED_SCRIPTS)],
  ['prettier prettierd prettier_d', formatter('-w --write')],
  ['biome rome', formatter('--write --apply --apply-unsafe --fix', 'format check lint')],
  ['deno dprint', formatter('', 'fmt')],
  ['oxfmt', formatter('')],
  ['eslint eslint_d standard xo semistandard stylelint oxlint jsonlint-mod', formatter('--fix')],
  ['ruff', ruff],
  ['taplo', formatter('', 'fmt format')],
  ['dos2unix unix2dos mac2unix unix2mac', unless('-i --info', formatter(''))],
  ['black isort rustfmt sort-json sort-package-json', unless('-c --check-only', formatter(''))],
  ['ed ex vi vim nvim nano', editor],
  ['yapf autopep8 clang-format jsonlint', formatter('-i --in-place')],
  ['gofmt goimports shfmt fixjson codespell typos', formatter('-w --write --write-changes')],
  ['sd', unless('-p --preview', operands('sed-i', '-n -f', 2))],
  ['json', onlyWith('-I', operands('sed-i', '-e -c'))],
  ['python python3', jsonTool],
  ['ruby', inPlace('perl-i', /^-([pnlaw0-7]*)i/, '-e -E -r -I -F', '-e')],
  ['uniq', operands('output', '-f -s -w', 1)],
  ['rename prename', unless('-n --nono --no-act --dry-run', renamed)],
  ['perl', inPlace('perl-i', /^-([pnlaw0-7]*)i/, '-e -E -M -m -I', '-e -E')],
  ['awk gawk', awk],
  ['yq', onlyWith('-i --inplace --in-place', operands('sed-i', '', 1))],
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
  ['tar bsdtar gtar', tar],
  ['7z 7za 7zz', sevenZip],
  ['unzip', unzip],
  ['zip', zip],
  [
    'gzip gunzip bzip2 bunzip2 xz unxz zstd',
    unless(COMPRESSED_ELSEWHERE, operands('archive', '-S --suffix')),
  ],
  ['sort shuf iconv xmllint sdiff time gtime strace ltrace', byOption('-o --output')],
  ['script', script],
  [
    'openssl',
    (words) =>
      targetsOf(
        'output',
        words.filter((_, at) => /^-(?:out|keyout|writerand)$/.test(words[at - 1]?.value ?? '')),
      ),
  ],
  ['xxd', xxd],
  ['gh', ghDownload],
  ['tree', byOption('-o')],
  ['find', findDelete],
]);

/** The file that `script` records into, besides the command that it runs. */
function script(words: readonly Word[]): readonly Target[] {
  const args = new Arguments(words, `-c --command -m -E ${SCRIPT_LOGS} -o --output-limit`);
  return targetsOf('output', [...args.operands.slice(0, 1), ...args.valuesOf(SCRIPT_LOGS)]);
}

const SCRIPT_LOGS = '-I --log-in -O --log-out -B --log-io -T --log-timing';

/** Options for standard output, a listing or a test. */
const COMPRESSED_ELSEWHERE = '-c --stdout --to-stdout -l --list -t --test';

/** Writes nothing if one of the options is given. */
function unless(options: string, writer: Writer): Writer {
  return (words) => (new Arguments(words).has(options) ? [] : writer(words));
}

function onlyWith(options: string, writer: Writer): Writer {
  return (words) => (new Arguments(words).has(options) ? writer(words) : []);
}

/** `ruff check` changes nothing unless it is told to fix. */
function ruff(words: readonly Word[]): readonly Target[] {
  const isCheck = new Arguments(words, FORMATTER_VALUES).all[0]?.value === 'check';
  return formatter(isCheck ? '--fix --fix-only --unsafe-fixes' : '', 'format check')(words);
}

/**
 * Programs that rewrite their operands in place; with an empty `options`, always unless they only check. `verb`: the
 * subcommands that write, for programs with several. Those format the current directory if no file is named.
 */
function formatter(options: string, verb?: string): Writer {
  return (words) => {
    const args = new Arguments(words, FORMATTER_VALUES);
    const [first, ...others] = args.all;
    if (verb !== undefined && !verb.split(' ').includes(first?.value ?? '')) return [];
    if (options === '' ? args.has('--check --diff --dry-run') : !args.has(options)) return [];
    const named = verb === undefined ? args.all : others;
    const given = named.filter(({ text }) => !text.startsWith('!'));
    const all = given.length === 0 && verb !== undefined ? [knownWord('.')] : given;
    return all.map((word) => ({ how: 'format', candidates: [word] }));
  };
}

const FORMATTER_VALUES =
  '--config --config-path --ignore-path --parser --plugin --log-level --loglevel --stdin-filepath -c --ext --style';

/** The files get other names, so a directory takes all that is in it along. */
function renamed(words: readonly Word[]): readonly Target[] {
  return targetsOf('mv', new Arguments(words, '-e').all.slice(1), 'change');
}

/** `python -m json.tool IN OUT` */
const jsonTool: Writer = (words) => {
  const { all } = new Arguments(words, '-m --indent');
  const isTool = words.some(({ value }, at) => value === '-m' && words[at + 1]?.value === 'json.tool');
  return isTool ? targetsOf('output', all.slice(1, 2)) : [];
};

/** An unknown program writes its operands if it has an option that says so. */
const writerByOption = formatter('--write --fix --in-place --inplace --overwrite');

/** An editor that is given commands but no file may open any. */
function editor(words: readonly Word[]): readonly Target[] {
  const args = new Arguments(words, '-c --cmd -S -p -u -i -w');
  const commands = args.valuesOf('-c --cmd -S').map(({ text }) => unknownWord(`with ${text}`));
  return targetsOf('sed-i', args.all.length > 0 ? args.all : commands);
}

/** `xxd IN OUT`; its options have long names with one dash. */
function xxd(words: readonly Word[]): readonly Target[] {
  const short = (text: string): string =>
    text.replace(/^-(?:ps|plain|postscript)$/, '-p').replace(/^(-[cglnos])[a-z]+$/, '$1');
  return operands('output', '-l -o -s -c -g -n', 1)(words.map((word) => mapWord(word, short)));
}

/** `gh release download` and `gh run download`. */
function ghDownload(words: readonly Word[]): readonly Target[] {
  const args = new Arguments(words, '-R --repo -p --pattern -n --name -D --dir -O --output');
  const [topic, verb] = args.operands.map(({ value }) => value);
  if ((topic !== 'release' && topic !== 'run') || verb !== 'download') return [];
  return targetsOf('download', [
    args.valueOf('-D --dir -O --output') ?? unknownWord('the name of the asset'),
  ]);
}

/** The watched files that `find` deletes, and globs for the others. */
const findDelete: Writer = (words) => {
  const at = words.findIndex(({ value }) => value === '-delete');
  if (at < 0) return [];
  const all = [knownWord('find'), ...words];
  const reaches = ({ file, cwd }: ReachedFile): boolean =>
    filesFoundBy(all, at + 1, cwd, [file])?.includes(file) === true;
  return searchGlobs(all, at + 1).map((word) => ({ how: 'rm', candidates: [word], reaches }));
};

const awk: Writer = (words) => {
  const args = new Arguments(words, '-i --include -v --assign -F --field-separator -f --file');
  if (args.valueOf('-i --include')?.value !== 'inplace') return [];
  return targetsOf('sed-i', args.all.slice(args.has('-f --file') ? 0 : 1));
};

/** `rsync`, `scp`: the last operand is the target; with a host before a colon it is on another machine. */
const mirror: Writer = (words) => {
  const args = new Arguments(words, MIRROR_VALUES);
  const target = args.all.length > 1 ? args.all.at(-1) : undefined;
  if (target === undefined || args.has('-n --dry-run') || /^[^/:]+:/.test(target.text)) return [];
  const excluded = args.valuesOf('--exclude').map(({ text }) => text.replace(/^\/|\/\**$/g, ''));
  const deletes = words.some(({ text }) => /^--del(?:ete.*)?$/.test(text));
  return args.all.slice(0, -1).map((source) => {
    const isWhole = source.value === undefined || /(?:^|\/)\.?$/.test(source.value);
    const inside = mapWord(target, (text) => `${text}/${posix.basename(source.text)}`);
    const candidates = isWhole ? [target] : isDirectoryName(target) ? [inside] : [target, inside];
    const reaches = (reach: ReachedFile): boolean =>
      isBelow(reach.place, reach.file) &&
      !posix
        .relative(reach.place, reach.file)
        .split('/')
        .some((name) => excluded.includes(name)) &&
      (deletes || hasSource(source)(reach));
    return { how: 'cp', candidates, reaches };
  });
};

const dd: Writer = (words) => {
  const named = words.filter(({ text }) => text.startsWith('of='));
  return targetsOf(
    'dd',
    named.map((word) => mapWord(word, (text) => text.slice('of='.length))),
  );
};

const patch: Writer = (words) => {
  const args = new Arguments(words, '-p -i --input -d --directory -o --output -B -r');
  if (args.has('--dry-run')) return [];
  const elsewhere = args.valueOf('-o --output');
  return targetsOf('patch', [elsewhere ?? args.operands[0] ?? unknownWord('patch')]);
};

const curl: Writer = (words) => {
  const args = new Arguments(words, CURL_VALUES);
  const own = args.has('-O --remote-name') ? unknownWord('-O') : undefined;
  const named = args.valuesOf('-o --output --output-dir');
  return targetsOf('download', [...named, own, ...args.valuesOf(CURL_FILES)]);
};

const wget: Writer = (words) => {
  const args = new Arguments(words, WGET_VALUES);
  if (args.has('--spider')) return [];
  const target = args.valueOf('-O --output-document -P --directory-prefix');
  const log = args.valueOf('-o --output-file');
  return targetsOf('download', [target ?? unknownWord('the name in the address'), log]);
};

const tar: Writer = (words) => {
  const [first, ...others] = words;
  const text = first?.value ?? '';
  // Old-style tar takes its option letters without a dash.
  const spelled = text === '' || text.startsWith('-') ? words : [knownWord(`-${text}`), ...others];
  const args = new Arguments(
    spelled,
    '-f --file -C --directory -T --files-from --exclude -X --strip-components',
  );
  const archive = args.valueOf('-f --file');
  if (args.has('-x --extract --get'))
    return unpacked(
      archive,
      args.valueOf('-C --directory'),
      args.has('-O --to-stdout') ? undefined : args.all,
    );
  const moved = args.has('--remove-files') ? args.all : [];
  return args.has('-c --create -r --append -u --update -A')
    ? [...targetsOf('archive', [archive]), ...targetsOf('rm', moved)]
    : [];
};

const zip: Writer = (words) => {
  const args = new Arguments(words, '-x -i');
  const [archive, ...moved] = args.all;
  return [...targetsOf('archive', [archive]), ...targetsOf('rm', args.has('-m --move') ? moved : [])];
};

const unzip: Writer = (words) => {
  const args = new Arguments(words, '-d -x');
  const [archive, ...members] = args.all;
  return unpacked(archive, args.valueOf('-d'), args.has('-l -t -v -p -Z') ? undefined : members);
};

const sevenZip: Writer = (words) => {
  const [verb, archive, ...members] = new Arguments(words, '-o').all;
  if (verb?.value !== 'x' && verb?.value !== 'e') return [];
  return unpacked(archive, new Arguments(words, '-o').valueOf('-o'), members);
};

/** Writes the named members of an archive into a directory; if none are named, all of them. */
function unpacked(
  archive: Word | undefined,
  into = knownWord('.'),
  members: readonly Word[] | undefined,
): readonly Target[] {
  if (members === undefined) return [];
  const place = (member: Word) => mapWord(member, (text) => `${into.value ?? into.text}/${text}`);
  if (members.length > 0) return targetsOf('archive', members.map(place));
  const reaches = ({ file, place, cwd, watched }: ReachedFile): boolean =>
    isBelow(place, file) &&
    resolveFrom(cwd, archive?.value).some((path) => path && watched.names(path, posix.relative(place, file)));
  return [{ how: 'archive', candidates: [into], reaches }];
}
