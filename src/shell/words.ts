import { posix } from 'node:path';
import type { PossibleValues } from '../core/command-effects';

export type { PossibleValues };

/** A word after expansion. `value` is undefined if it depends on the machine (a variable, a glob). */
export interface Word {
  readonly text: string;
  readonly value: string | undefined;
  /** A glob for what a search may find; which watched files that includes is known from the search itself. */
  readonly isSearch?: true;
}

const MAX_POSSIBLE_VALUES = 8;

export function knownWord(value: string): Word {
  return { text: value, value };
}

export function unknownWord(text: string): Word {
  return { text, value: undefined };
}

/** Changes the text; an unknown word stays unknown. */
export function mapWord({ text, value }: Word, change: (text: string) => string): Word {
  return { text: change(text), value: value === undefined ? undefined : change(value) };
}

/** The text of a word without its double quotes, in which variables may be unknown. */
export function saidIn({ text, value }: Word): string {
  return value ?? text.replace(/^((?:[\w.-]+=)*)"(.*)"$/s, '$1$2');
}

/** The base name of the program, without the ending that it has on Windows; empty if it is unknown. */
export function programOf(word: Word | undefined): string {
  return posix.basename(word?.value ?? '', '.exe');
}

/** Each once. With an unknown one among them, or too many, they are unknown. */
export function limited(options: PossibleValues): PossibleValues {
  const values = [...new Set(options)];
  const isUnknown = values.length === 0 || values.length > MAX_POSSIBLE_VALUES || values.includes(undefined);
  return isUnknown ? [undefined] : values;
}

/** Removes duplicates, such as those of a loop body that was walked twice. */
export function distinct<T>(items: readonly T[]): readonly T[] {
  if (items.length < 2) return items;
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

const MOST_LOOKED_UP = 100;

/**
 * Looks up names in a table, of which each row may have several. Most events need few tables, so they are made late; a
 * line's few programs are looked up again and again.
 */
export function nameTable<T>(
  rows: () => readonly (readonly [names: string, value: T])[],
): (name: string) => T | undefined {
  let table: ReturnType<typeof rows> | undefined;
  const found = new Map<string, T | undefined>();
  return (name) => {
    if (found.has(name)) return found.get(name);
    table ??= rows();
    const value = table.findLast((row) => hasName(row[0], name))?.[1];
    if (found.size >= MOST_LOOKED_UP) found.clear();
    found.set(name, value);
    return value;
  };
}

/** Tests whether a name is in a list that is separated by spaces and newlines. */
export function isOneOf(names: string): (name: string) => boolean {
  return (name) => hasName(names, name);
}

/** Searches the text of the list: an event asks for few names, and splitting all lists would take it longer. */
function hasName(names: string, name: string): boolean {
  if (name === '' || name.includes(' ') || name.includes('\n')) return false;
  for (let at = names.indexOf(name); at >= 0; at = names.indexOf(name, at + 1))
    if (isBlankAt(names, at - 1) && isBlankAt(names, at + name.length)) return true;
  return false;
}

/** Also true before the beginning and after the end. */
function isBlankAt(text: string, at: number): boolean {
  return !(text.charCodeAt(at) > SPACE);
}

const SPACE = 32;

/** Programs and builtins that write no file by themselves. */
export const isReader = isOneOf(
  `: [ ack ag alias apropos arch awk b2sum base32 base64 basename bat bc bg bind break bzcat cal cat cd cksum clear cmp
  column comm command compgen complete continue cut date declare df diff dig dirname dirs disown du echo egrep env exec
  exit expand export expr factor false fd fg fgrep file find fmt fold free gawk getconf getopt getopts gh glab grep gsed
  groups hash head help hexdump history host hostname iconv id info jobs join jq kill last ldd less let local locale
  logger logname look ls lsblk lscpu lsof man mapfile md5sum mktemp more nl nm nproc notify-send nslookup numfmt objdump
  od paste pathchk pgrep ping pkill popd pr printenv printf ps pushd pwd read readarray readlink readonly realpath
  return rev rg say sed seq set sha1sum sha256sum sha512sum shift shopt sleep sort ss ssh stat strings stty sum tac tail
  test time timeout tldr top tput tr tree true tsort tty type typeset ugrep ulimit umask unalias uname unexpand uniq
  unset uptime vmstat w wait wc whatis whereis which who whoami xargs xxd yes yq zcat zgrep`,
);

/** Interpreters, and programs that run tasks of the project. */
export const isScript = isOneOf(
  `python python2 python3 pypy node nodejs deno bun tsx ts-node ruby perl php lua Rscript R julia osascript expect
  make gmake just task rake ant gradle gradlew mvn mvnw npm yarn pnpm npx bunx cargo go dotnet docker podman
  docker-compose kubectl terraform ansible ansible-playbook`,
);

export const isShell = isOneOf('bash sh dash zsh ksh ash fish');

/** Resolves a path against each possible directory. */
export function resolveFrom(directories: PossibleValues, path: string | undefined): PossibleValues {
  if (path === undefined) return [undefined];
  if (posix.isAbsolute(path)) return [posix.resolve(path)];
  return directories.map((directory) =>
    directory === undefined ? undefined : posix.resolve('/', directory, path),
  );
}

export function isBelow(place: string, file: string): boolean {
  return file.startsWith(place === '/' ? '/' : `${place}/`);
}

const NEVER = /(?!)/;
/** Where options end before a command. A lone `-` is one too, as in `env - git`. */
export const OPERAND = /^(?!-)/;
/** Where the options of an interpreter end: at its script, or at `-m`, which names a module in place of it. */
export const SCRIPT = /^(?!-.)|^-m$/;

/** Splits a program's arguments into options and operands. Lists of options are separated by spaces. */
export class Arguments {
  readonly operands: Word[] = [];
  /** The words after `--`, or after leading options; undefined if there are none. */
  readonly rest: readonly Word[] | undefined;
  readonly #values = new Map<string, Word[]>();

  /**
   * `withValue` lists the options that take a value. `end`: the word after the options that come first; no other
   * words are read.
   */
  constructor(words: readonly Word[], withValue = '', end = NEVER) {
    const taking = new Set(withValue.split(/\s+/));
    const queue = [...words];
    for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
      const text = word.value ?? '';
      if (text === '--' || end.test(text)) {
        this.rest = text === '--' ? queue : [word, ...queue];
        return;
      }
      const options = optionsIn(text, taking);
      if (options.length === 0) this.operands.push(word);
      for (const one of options) this.#add(one, taking, queue);
    }
  }

  #add({ option, attached }: Option, taking: ReadonlySet<string>, queue: Word[]): void {
    const value = attached ?? (taking.has(option) ? queue.shift() : undefined);
    const before = this.#values.get(option) ?? [];
    this.#values.set(option, value === undefined ? before : [...before, value]);
  }

  /** Whether any of the options is given. */
  has(options: string): boolean {
    return options.split(' ').some((option) => this.#values.has(option));
  }

  /** The values of all these options. */
  valuesOf(options: string): readonly Word[] {
    return options.split(' ').flatMap((option) => this.#values.get(option) ?? []);
  }

  /** The last value of the first option in the list that has a value. */
  valueOf(options: string): Word | undefined {
    const values = options.split(' ').map((option) => this.#values.get(option)?.at(-1));
    return values.find((value) => value !== undefined);
  }

  /** All operands, including those after `--`. */
  get all(): readonly Word[] {
    return [...this.operands, ...(this.rest ?? [])];
  }
}

interface Option {
  readonly option: string;
  readonly attached: Word | undefined;
}

/** The options in one word: `--name`, `--name=value`, or a cluster such as `-am`. */
function optionsIn(text: string, taking: ReadonlySet<string>): readonly Option[] {
  if (!/^-./.test(text)) return [];
  const [, long, value] = /^(--[^=]+)(?:=(.*))?$/s.exec(text) ?? [];
  if (long !== undefined)
    return [{ option: inFull(long, taking), attached: value === undefined ? undefined : knownWord(value) }];
  const letters = [...text.slice(1)];
  // The first option in a cluster that takes a value gets the rest of the cluster, or the next word.
  const valued = letters.findIndex((letter) => taking.has(`-${letter}`));
  const rest = valued < 0 ? '' : letters.splice(valued + 1).join('');
  return letters.map((letter, at) => ({
    option: `-${letter}`,
    attached: at === valued && rest !== '' ? knownWord(rest) : undefined,
  }));
}

const SHORTEST_START = '--out'.length;

/** GNU programs accept an unambiguous prefix of a long option. */
function inFull(option: string, taking: ReadonlySet<string>): string {
  if (taking.has(option) || option.length < SHORTEST_START) return option;
  const [whole, ...others] = [...taking].filter((name) => name.startsWith(option));
  return whole === undefined || others.length > 0 ? option : whole;
}

/** Options of Python and of Node whose value is the next word. */
export const PYTHON_VALUES = '-W -X';
export const NODE_VALUES = `--import --loader --experimental-loader -r --require --env-file -C --conditions --test-reporter
  --tsconfig --test-reporter-destination --test-name-pattern --test-skip-pattern --test-concurrency --test-timeout
  --test-shard`;

/** Parts of a script's name which say that it prepares, checks or reports something and runs no tests. */
export const runsNoTests = isOneOf(
  `lint eslint types type typecheck tsc format fmt prettier style build compile clean setup install prepare pre post
  report reports serve start stop up down teardown seed fixture fixtures generate gen codegen list dry deploy migrate
  publish release mypy pyright ruff flake8 pylint black isort`,
);

/** Whether a project script's name, such as `test:unit`, says that it runs tests. */
export function isTestScript(name: string): boolean {
  const parts = name.split(/[:._/-]/);
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  const isNamed = /^(?:tests?|e2e|spec|unit)$/.test(first) || /^(?:tests?|e2e)$/.test(last);
  return isNamed && !parts.some(runsNoTests);
}

/** Git's options before its subcommand, which follows in `rest`. */
export function gitOptions(args: readonly Word[]): Arguments {
  const values =
    '-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --shallow-file';
  return new Arguments(args, values, OPERAND);
}
