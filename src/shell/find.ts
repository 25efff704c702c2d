import { posix } from 'node:path';
import { expandBraces, isGlob, matchesName, matchesPath } from '../core/text';
import {
  Arguments,
  isBelow,
  isOneOf,
  knownWord,
  type PossibleValues,
  programOf,
  resolveFrom,
  type Word,
} from './words';

/* Which of the given files `find` or a shell glob matches, as far as the words tell. */

/** Stands for the index of an action word if `find` has no action and just prints. */
export const IMPLICIT_PRINT = -1;

/** Actions of `find` that run a command. */
export const EXEC_ACTIONS = ['-exec', '-execdir', '-ok', '-okdir'];
/** Words of an expression that take one argument. */
const takesOne = isOneOf(
  `-newer -anewer -cnewer -size -mtime -mmin -atime -amin -ctime -cmin -user -group -perm -links -inum -fstype -samefile
  -name -iname -path -ipath -wholename -iwholename -type -itype -lname -ilname -regextype -regex -iregex -used -uid -gid
  -xtype -printf -fprint -fprint0 -fls -maxdepth -mindepth`,
);

const HOLDS = /^-(?:print0?|printf|prune|delete|depth|maxdepth|mindepth|xdev|mount|true)$/;

/**
 * The files that `find` passes to its action at the word `action`, and the directories above them with a
 * trailing slash; `undefined` if it is unknown which directories it searches.
 */
export function filesFoundBy(
  words: readonly Word[],
  action: number,
  cwd: PossibleValues,
  files: readonly string[],
): readonly string[] | undefined {
  const { roots, start } = rootsOf(words);
  const found = new Set<string>();
  for (const root of roots) {
    for (const place of resolveFrom(cwd, root.value)) {
      if (place === undefined) return undefined;
      const met = files.filter((file) => file === place || isBelow(place, file) || isBelow(file, place));
      for (const file of met) visit(words, start, action, root.text, place, file, found);
    }
  }
  return [...found];
}

/** The directories that `find` searches, and where its expression starts. */
function rootsOf(words: readonly Word[]): { roots: readonly Word[]; start: number } {
  let first = 1;
  while (/^-(?:[HLP]|O\d*)$/.test(words[first]?.value ?? '')) first++;
  let start = first;
  while (start < words.length && !/^(?:-.|[(!])/.test(words[start]?.text ?? '')) start++;
  return { roots: start > first ? words.slice(first, start) : [knownWord('.')], start };
}

/** What `find` may pass to its action at the word `action`, as globs such as `src/**\/*.js`. */
export function searchGlobs(words: readonly Word[], action: number): readonly Word[] {
  const { roots, start } = rootsOf(words);
  const prints = words.findIndex(({ value }) => /^-print0?$/.test(value ?? ''));
  const end = action !== IMPLICIT_PRINT ? action : prints < 0 ? words.length : prints;
  const tests = words.slice(start, end);
  const branch = tests.slice(
    tests.findLastIndex(({ value }, at) => value === '-o' && isOutside(tests, at)) + 1,
  );
  const given = (option: RegExp): string[] =>
    branch.flatMap(({ text }, at) => {
      const isMeant =
        option.test(branch[at - 1]?.text ?? '') && !/^(?:!|-not)$/.test(branch[at - 2]?.text ?? '');
      return isMeant ? [text] : [];
    });
  const [names, paths] = [given(/^-i?name$/), given(/^-i?(?:path|wholename)$/)];
  const places = paths.length > 0 ? paths : roots.map(({ text }) => `${text.replace(/(?<=.)\/+$/, '')}/**`);
  const globs = places.flatMap((place) =>
    (names.length > 0 ? names : ['*']).map((name) => `${place}/${name}`),
  );
  return globs.map((text) => ({ text, value: undefined, isSearch: true }));
}

/** Whether a word is outside of all parentheses. */
function isOutside(words: readonly Word[], at: number): boolean {
  const count = (sign: string): number => words.slice(0, at).filter(({ value }) => value === sign).length;
  return count('(') === count(')');
}

/** Walks down to a file from a start directory: `root` as it was written, `place` as an absolute path. */
function visit(
  words: readonly Word[],
  start: number,
  action: number,
  root: string,
  place: string,
  file: string,
  found: Set<string>,
): void {
  // A watched directory counts as found even if only a part of it is searched.
  if (isBelow(file, place)) return void found.add(file);
  const names = posix.relative(place, file).split('/').filter(Boolean);
  const depthOf = (option: string, otherwise: number): number => {
    const at = words.findIndex(({ value }) => value === option);
    return at < 0 ? otherwise : Number(words[at + 1]?.value ?? otherwise);
  };
  const [least, most] = [depthOf('-mindepth', 0), depthOf('-maxdepth', Number.POSITIVE_INFINITY)];
  for (let depth = 0; depth <= Math.min(names.length, most); depth++) {
    const path = [root.replace(/(?<=.)\/+$/, ''), ...names.slice(0, depth)].join('/');
    const isFile = depth === names.length;
    const { isReached, isPruned } = evaluated(words, start, action, path, isFile);
    if (depth >= least && isReached)
      found.add(posix.join(place, ...names.slice(0, depth), isFile ? '' : '/'));
    if (isPruned) break;
  }
}

/** `undefined` if it depends on the machine. */
type Truth = boolean | undefined;

/** Evaluates the expression of `find` for one path. */
function evaluated(words: readonly Word[], start: number, action: number, path: string, isFile: boolean) {
  let at = start;
  let [isReached, isPruned] = [false, false];
  const next = (): string => words[at]?.value ?? '';
  const either = (isLive: boolean): Truth => {
    let value = both(isLive);
    while (['-o', '-or', ','].includes(next())) {
      at++;
      const right = both(isLive && value !== true);
      value = value === true || right === true ? true : value === false ? right : undefined;
    }
    return value;
  };
  const both = (isLive: boolean): Truth => {
    let value = not(isLive);
    while (at < words.length && !['-o', '-or', ',', ')'].includes(next())) {
      if (['-a', '-and'].includes(next())) at++;
      const right = not(isLive && value !== false);
      value = value === false || right === false ? false : value === true ? right : undefined;
    }
    return value;
  };
  const not = (isLive: boolean): Truth => {
    const word = next();
    if (!['(', '!', '-not'].includes(word)) return test(isLive);
    at++;
    const value = word === '(' ? either(isLive) : not(isLive);
    if (word === '(') at++;
    return word === '(' || value === undefined ? value : !value;
  };
  const test = (isLive: boolean): Truth => {
    const word = next();
    if (isLive && at === action) isReached = true;
    if (isLive && word === '-prune') isPruned = true;
    const value = truthOf(word, words[at + 1]?.value, path, isFile);
    at = afterTest(words, at);
    return value;
  };
  const value = either(true);
  return { isReached: action === IMPLICIT_PRINT ? value !== false : isReached, isPruned };
}

function truthOf(word: string, pattern: string | undefined, path: string, isFile: boolean): Truth {
  const [, ignoresCase, kind] = /^-(i?)(name|path|wholename|type)$/.exec(word) ?? [];
  if (kind === undefined) return word === '-false' ? false : HOLDS.test(word) || undefined;
  if (pattern === undefined) return undefined;
  if (kind === 'type') return pattern.split(',').includes(isFile ? 'f' : 'd');
  const text = kind === 'name' ? posix.basename(path) : path;
  return ignoresCase ? matchesName(pattern.toLowerCase(), text.toLowerCase()) : matchesName(pattern, text);
}

/** The index of the word after a test and its arguments. */
function afterTest(words: readonly Word[], at: number): number {
  const word = words[at]?.value ?? '';
  if (word === '-fprintf') return at + 3;
  if (!EXEC_ACTIONS.includes(word)) return takesOne(word) || word.startsWith('-newer') ? at + 2 : at + 1;
  const end = words.findIndex(({ value = '' }, index) => index > at && [';', '+'].includes(value));
  return end < 0 ? words.length : end + 1;
}

/** The files that the shell expands a glob to: `*` matches neither a slash nor a leading dot. */
export function globExpansion(
  { text, value, isSearch }: Word,
  cwd: PossibleValues,
  files: readonly string[],
): readonly string[] {
  if (value !== undefined || isSearch || !isGlob(text) || /["'$`\\]/.test(text)) return [];
  const globs = expandBraces([text]).flatMap((glob) => resolveFrom(cwd, glob));
  return files.filter((file) =>
    globs.some((glob = '') => {
      const parts = glob.split('/');
      const isShown = file
        .split('/')
        .every((name, at) => !name.startsWith('.') || parts[at]?.startsWith('.'));
      return isShown && matchesPath(glob, file);
    }),
  );
}

/** Like `globExpansion`, with the directories above the files too; these end with a slash. */
export function globExpansionWithParents(
  word: Word,
  cwd: PossibleValues,
  files: readonly string[],
): readonly string[] {
  const others = files.filter((file) => !file.includes('/node_modules/'));
  const above = new Set(others.flatMap((file) => pathsTo(file).slice(0, -1)));
  return [
    ...globExpansion(word, cwd, [...above]).map((path) => `${path}/`),
    ...globExpansion(word, cwd, files),
  ];
}

/** The directories above a file, from the top, and the file itself. */
export function pathsTo(file: string): readonly string[] {
  const names = file.split('/');
  return names.map((_, at) => names.slice(0, at + 1).join('/')).slice(1);
}

/** Programs that print what the shell's globs match, or the names in a directory. */
const isLister = isOneOf('echo ls printf');

/** The watched files that `find` or a lister prints, and the directories above them, with a slash. */
export function filesPrintedBy(
  words: readonly Word[],
  cwd: PossibleValues,
  files: readonly string[],
): readonly string[] | undefined {
  const program = programOf(words[0]);
  if (program === 'find') return filesFoundBy(words, IMPLICIT_PRINT, cwd, files);
  return isLister(program) ? filesListedBy(words, cwd, files) : undefined;
}

/**
 * The watched files, and directories above them, that a lister prints. `ls` shows dot names only with `-a`, and
 * without `-d` the names in a directory that it is given, which mean nothing here.
 */
function filesListedBy(
  [program, ...words]: readonly Word[],
  cwd: PossibleValues,
  files: readonly string[],
): readonly string[] | undefined {
  const args = new Arguments(words);
  if (program?.value !== 'ls' || args.has('-d --directory')) {
    const found = words.flatMap((word) => globExpansionWithParents(word, cwd, files));
    return found.length === 0 ? undefined : found;
  }
  if (!args.has('-a -A --all --almost-all') || args.operands.length > 0) return undefined;
  return cwd.flatMap((directory) => {
    const below = files.filter((file) => directory !== undefined && file.startsWith(`${directory}/`));
    return below.map(
      (file) => `${directory}/${file.slice((directory ?? '').length + 1).replace(/\/.*/s, '/')}`,
    );
  });
}
