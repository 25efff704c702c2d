import { posix } from 'node:path';
import { expandBraces, isGlob, matchesName, matchesPath } from '../core/text';
import { isIn, type Options, resolveFrom, type Word } from './words';

/* Which of some files `find`, or a pattern of the shell, comes upon, as far as the words tell. */

/** The word at which `find` does something with what it has found; without one it prints it. */
export const PRINTS = -1;

const RUNS = ['-exec', '-execdir', '-ok', '-okdir'];
/** Tests that the words alone do not answer, and other words with one or two values. */
const takesOne = isIn(
  `-newer -anewer -cnewer -size -mtime -mmin -atime -amin -ctime -cmin -user -group -perm -links -inum -fstype -samefile
  -lname -ilname -regextype -regex -iregex -used -uid -gid -xtype -printf -fprint -fprint0 -fls -maxdepth -mindepth`,
);

interface Search {
  readonly roots: readonly Word[];
  /** Where the expression begins. */
  readonly start: number;
}

function searchIn(words: readonly Word[]): Search {
  let at = 1;
  while (/^-(?:[HLP]|O\d*)$/.test(words[at]?.value ?? '')) at++;
  const first = at;
  while (at < words.length && !/^(?:-.|[(!])/.test(words[at]?.text ?? '')) at++;
  return { roots: at > first ? words.slice(first, at) : [{ text: '.', value: '.' }], start: at };
}

/**
 * The files that `find` hands to its action at the word `action`, and with a slash at the end the directories above;
 * `undefined` where it is unknown in which directories it looks.
 */
export function foundBy(
  words: readonly Word[],
  action: number,
  cwd: Options,
  files: readonly string[],
): readonly string[] | undefined {
  const { roots, start } = searchIn(words);
  const found: string[] = [];
  for (const root of roots) {
    for (const place of resolveFrom(cwd, root.value)) {
      if (place === undefined) return undefined;
      for (const file of files)
        found.push(...visited(words, start, action, { root: root.text, place, file }));
    }
  }
  return [...new Set(found)];
}

/** A file, and the directory that it is looked for from: as it was written, and its absolute path. */
interface Way {
  readonly root: string;
  readonly place: string;
  readonly file: string;
}

function visited(
  words: readonly Word[],
  start: number,
  action: number,
  { root, place, file }: Way,
): string[] {
  if (file !== place && !file.startsWith(place === '/' ? '/' : `${place}/`)) return [];
  const names = posix.relative(place, file).split('/').filter(Boolean);
  const depthOf = (option: string, otherwise: number): number => {
    const at = words.findIndex(({ value }) => value === option);
    return at < 0 ? otherwise : Number(words[at + 1]?.value ?? otherwise);
  };
  const [least, most] = [depthOf('-mindepth', 0), depthOf('-maxdepth', Number.POSITIVE_INFINITY)];
  const found: string[] = [];
  for (let depth = 0; depth <= Math.min(names.length, most); depth++) {
    const path = [root.replace(/(?<=.)\/+$/, ''), ...names.slice(0, depth)].join('/');
    const expression = new Expression(words, start, action, path, depth === names.length);
    if (depth >= least && expression.reaches())
      found.push(posix.join(place, ...names.slice(0, depth), depth < names.length ? '/' : ''));
    if (expression.isPruned) break;
  }
  return found;
}

/** True, false, or `undefined` where only the machine knows. */
type Truth = boolean | undefined;

/** The expression of `find`, read for one path. */
class Expression {
  isPruned = false;
  #isReached = false;
  #at: number;
  readonly #words: readonly Word[];
  readonly #action: number;
  readonly #path: string;
  readonly #isFile: boolean;

  constructor(words: readonly Word[], start: number, action: number, path: string, isFile: boolean) {
    this.#words = words;
    this.#at = start;
    this.#action = action;
    this.#path = path;
    this.#isFile = isFile;
  }

  reaches(): boolean {
    const value = this.#either(true);
    return this.#action === PRINTS ? value !== false : this.#isReached;
  }

  #next(): string {
    return this.#words[this.#at]?.value ?? '';
  }

  #either(isLive: boolean): Truth {
    let value = this.#both(isLive);
    while (['-o', '-or', ','].includes(this.#next())) {
      this.#at++;
      const right = this.#both(isLive && value !== true);
      value = value === true || right === true ? true : value === false ? right : undefined;
    }
    return value;
  }

  #both(isLive: boolean): Truth {
    let value = this.#not(isLive);
    while (this.#at < this.#words.length && !['-o', '-or', ',', ')'].includes(this.#next())) {
      if (['-a', '-and'].includes(this.#next())) this.#at++;
      const right = this.#not(isLive && value !== false);
      value = value === false || right === false ? false : value === true ? right : undefined;
    }
    return value;
  }

  #not(isLive: boolean): Truth {
    const word = this.#next();
    if (word === '(') {
      this.#at++;
      const value = this.#either(isLive);
      this.#at++;
      return value;
    }
    if (word !== '!' && word !== '-not') return this.#test(isLive);
    this.#at++;
    const value = this.#not(isLive);
    return value === undefined ? undefined : !value;
  }

  #test(isLive: boolean): Truth {
    const at = this.#at++;
    const word = this.#words[at]?.value ?? '';
    if (isLive && at === this.#action) this.#isReached = true;
    if (isLive && word === '-prune') this.isPruned = true;
    const [, ignoresCase = '', test] = /^-(i?)(name|path|wholename|type)$/.exec(word) ?? [];
    if (test !== undefined) return this.#matches(test, ignoresCase !== '');
    if (RUNS.includes(word)) {
      const end = this.#words.findIndex(({ value = '' }, index) => index > at && [';', '+'].includes(value));
      this.#at = end < 0 ? this.#words.length : end + 1;
    } else if (word === '-fprintf') this.#at += 2;
    else if (takesOne(word) || word.startsWith('-newer')) this.#at++;
    if (word === '-false') return false;
    return (
      /^-(?:print0?|printf|prune|delete|depth|maxdepth|mindepth|xdev|mount|true)$/.test(word) || undefined
    );
  }

  #matches(test: string, ignoresCase: boolean): Truth {
    const pattern = this.#words[this.#at++]?.value;
    if (pattern === undefined) return undefined;
    if (test === 'type') return pattern.split(',').includes(this.#isFile ? 'f' : 'd');
    const text = test === 'name' ? posix.basename(this.#path) : this.#path;
    return ignoresCase ? matchesName(pattern.toLowerCase(), text.toLowerCase()) : matchesName(pattern, text);
  }
}

/** The files that the shell expands a pattern to: a star matches neither a slash nor a dot at the beginning. */
export function expandedTo({ text, value }: Word, cwd: Options, files: readonly string[]): readonly string[] {
  if (value !== undefined || !isGlob(text) || /["'$`\\]/.test(text)) return [];
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
