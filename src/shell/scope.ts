import { parse, type Statement } from 'unbash';
import type { repositoryOf } from '../git/head';
import {
  changed,
  either,
  failed,
  type Histories,
  NEVER,
  type Outcome,
  succeeded,
  type Timeline,
  timeline,
  valuesAt,
} from './history';
import { isOneOf, knownWord, mapWord, type PossibleValues, programOf, unknownWord, type Word } from './words';

/** A repository before the line runs; unknown fields are absent. */
export interface RepositoryFact extends Partial<ReturnType<typeof repositoryOf>> {
  readonly root: string;
  /** Git's settings as read from its config files, for when git may not be run. */
  readonly settings?: () => ReadonlyMap<string, string>;
  /** The branch that was checked out before, for the same reason. */
  readonly previous?: () => string | undefined;
}

/** Finds the repository of a directory; `undefined` if it is unknown. */
export type RepositoryAt = (directory: string) => RepositoryFact | undefined;

/** Files whose changes the caller wants reported, and lookups around them before the line runs. */
export interface Watched {
  files(): readonly string[];
  exists(path: string): boolean;
  /** Whether the bytes of an archive contain the name of a file. */
  names(archive: string, file: string): boolean;
  /** The file's line in `git status`, also if it is ignored; empty if git reports nothing. */
  gitStatus(directory: string, file: string): string;
}

/** Where a line starts, and what is known about the machine before it runs. */
export interface Start {
  readonly cwd: string;
  readonly home?: string | undefined;
  readonly repositoryAt?: RepositoryAt;
  /** Whether a directory exists before the line runs. */
  readonly isDirectory?: (path: string) => boolean;
  /** The project's test commands; a command that starts with the words of one is a test run. */
  readonly testCommands?: readonly string[];
  /** Files to report one by one if a command writes a whole directory or the results of a search. */
  readonly watched?: Watched;
}

export interface Assignment {
  readonly name: string;
  readonly value: Word;
  /** The elements, if it is an array. */
  readonly list?: readonly Word[];
}

/** The file that a redirection writes. */
export interface Output {
  readonly target: Word;
  readonly append: boolean;
}

/** A command with its words expanded, still including wrappers such as `env`. */
export interface Call {
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly outputs: readonly Output[];
  /** Standard input from a here-document or here-string. */
  readonly input: Word | undefined;
}

/** A call at its place in the line. Without a command (only assignments, say), its one word is empty. */
export interface Step extends Call {
  /** Position in the order of execution. */
  readonly id: number;
  readonly histories: Histories;
  readonly cwd: PossibleValues;
  /** The directory from which its container was started; undefined outside containers. */
  readonly container: PossibleValues | undefined;
  /** The directory if every earlier command that ran has succeeded. */
  readonly likelyCwd: PossibleValues;
  /** It is in a text that looks like a command line, given to a program that may run it. */
  readonly guessed: boolean;
}

/** Give up on a line with more commands than this, since facts are kept for each of them. */
const MOST_STEPS = 5_000;

/** What has been found in one line so far. Shared by all its scopes. */
export class Trace {
  readonly steps: Step[] = [];
  /** Each command with the wrappers and assignments that it has in the line. */
  readonly calls: Call[] = [];
  nextStep = 0;
  /** The line is too large, or a part of it does not parse: then it is broken. */
  isGivenUp = false;
  isBroken = false;
  /** How many more words loops may be walked for one by one. */
  rounds = 200;
  /** How many more nodes may be visited before we give up on the line. */
  #budget: number;
  /** The same for nodes inside loops. */
  #repeated = 20_000;

  /** A line has fewer nodes than characters; only loops and functions can exceed that. */
  constructor(length: number) {
    this.#budget = 2000 + length;
  }

  /** Counts one node; false if no more may be visited. */
  spend(isRepeated: boolean): boolean {
    if (isRepeated) this.#repeated--;
    this.isGivenUp ||= this.#budget-- <= 0 || this.#repeated <= 0 || this.nextStep > MOST_STEPS;
    return !this.isGivenUp;
  }
}

/** A construct that can be left early, and the histories of those early exits. */
export interface Frame {
  readonly kind: 'shell' | 'function' | 'loop';
  readonly parent?: Frame;
  /** Only for functions. */
  readonly name?: string;
  success: Histories;
  failure: Histories;
}

/** The possible outcomes of a recorded command, and its step id. */
export type Recorded = Outcome & { readonly step: number };

/** Variables that change what git does, even if an earlier command of the line set them. */
const INHERITED = ['GIT_DIR', 'GIT_WORK_TREE'];

/** Whether a command only prepares what follows it: `mkdir -p x && cd x` hardly ever stays where it is. */
function hardlyFails({ words: [name, verb] }: Call): boolean {
  const program = programOf(name);
  return program === 'git' ? preparesInGit(verb?.value ?? '') : prepares(program);
}

const prepares = isOneOf('mkdir rm cp mv ln touch tar unzip');
const preparesInGit = isOneOf('init clone worktree add fetch stash');

/** The state of one shell. A subshell gets a copy, so its changes end with it. */
export class Scope {
  readonly trace: Trace;
  readonly walkList: (list: readonly Statement[], entry: Histories, scope: Scope) => Outcome;
  readonly repositoryAt: RepositoryAt | undefined;
  readonly watched: Watched | undefined;
  /** The watched files that the previous command of the pipeline prints, if known. */
  piped: readonly string[] | undefined;
  /** Globs for the files that the previous command of the pipeline prints; empty if unknown. */
  search: readonly Word[] = [];
  /** The text that the previous command of the pipeline prints, if its words show it. */
  fed: Word | undefined;
  readonly isDirectory: (path: string) => boolean;
  readonly knowsDirectories: boolean;
  cwd: Timeline<string | undefined>;
  directoryStack = timeline<readonly PossibleValues[]>([]);
  variables: ReadonlyMap<string, Timeline<string | undefined>> = new Map();
  /** The words of arrays, and of variables that take what globs match one by one. */
  lists: ReadonlyMap<string, Timeline<readonly Word[] | undefined>> = new Map();
  /** False if another scope shares the map, which must then be copied before a change. */
  ownsVariables = false;
  functions: ReadonlyMap<string, readonly Statement[]> = new Map();
  errexit = timeline<boolean>(false);
  pipefail = timeline<boolean>(false);
  /** The arguments of the function or script being run; `undefined` if unknown. */
  positional = timeline<readonly Word[] | undefined>(undefined);
  frame: Frame = { kind: 'shell', success: NEVER, failure: NEVER };
  /** Above zero while an exit status is being tested, so that `set -e` does not apply. */
  tested = 0;
  /** How many functions, wrappers and shells the code is nested in. */
  depth = 0;
  /** How many functions. */
  calls = 0;
  loops = 0;
  container: PossibleValues | undefined;
  guessed = false;

  constructor(start: Start, trace: Trace, walkList: Scope['walkList']) {
    const { cwd, home, repositoryAt, isDirectory, watched } = start;
    this.trace = trace;
    this.walkList = walkList;
    this.repositoryAt = repositoryAt;
    this.watched = watched;
    this.isDirectory = isDirectory ?? (() => false);
    this.knowsDirectories = isDirectory !== undefined;
    this.cwd = timeline<string | undefined>(cwd);
    if (home !== undefined) this.variables = new Map([['HOME', timeline<string | undefined>(home)]]);
  }

  subshell(): Scope {
    this.ownsVariables = false;
    const copy: Scope = Object.assign(Object.create(Scope.prototype), this);
    copy.frame = { kind: 'shell', success: NEVER, failure: NEVER };
    return copy;
  }

  /** Walks inside a new frame, then restores the outer one. */
  within(kind: Frame['kind'], name: string | undefined, walk: (frame: Frame) => Outcome): Outcome {
    const outer = this.frame;
    this.frame = { kind, parent: outer, ...(name !== undefined && { name }), success: NEVER, failure: NEVER };
    const outcome = walk(this.frame);
    this.frame = outer;
    return outcome;
  }

  /** Records an early exit from the innermost frame of one of these kinds. */
  leave(kinds: readonly Frame['kind'][], outcome: Outcome): void {
    let frame: Frame | undefined = this.frame;
    while (frame !== undefined && !kinds.includes(frame.kind)) frame = frame.parent;
    if (frame !== undefined) leaveFrame(frame, outcome);
  }

  /** Adds a call to the steps of the line. */
  record(call: Call, entry: Histories): Recorded {
    const step = this.trace.nextStep++;
    const inherited = INHERITED.filter((name) => this.variables.has(name)).map((name) => {
      const value = this.valueOf(name, entry);
      return { name, value: value === undefined ? unknownWord(`$${name}`) : knownWord(value) };
    });
    this.trace.steps.push({
      ...call,
      id: step,
      assignments: [...inherited, ...call.assignments],
      histories: entry,
      cwd: valuesAt(this.cwd, entry),
      container: this.container,
      likelyCwd: valuesAt(this.cwd, entry, true),
      guessed: this.guessed,
    });
    const failure = failed(entry, step, !hardlyFails(call));
    return { step, success: succeeded(entry, step), failure };
  }

  /** Records the output files of a call, which the shell opens before the call runs. */
  recordOutputs(outputs: readonly Output[], entry: Histories): Histories {
    if (outputs.length === 0) return entry;
    return this.record({ words: [knownWord('')], assignments: [], outputs, input: undefined }, entry).success;
  }

  /** The value of a variable or positional parameter, if only one is possible. */
  valueOf(name: string, histories: Histories): string | undefined {
    if (/^[1-9]$/.test(name)) {
      const before = this.argumentsAt(histories)?.slice(0, Number(name)) ?? [];
      // An unknown word may expand to none or several, so the positions after it are unknown too.
      return before.every(({ value }) => value !== undefined) ? before[Number(name) - 1]?.value : undefined;
    }
    const variable = name === 'PWD' ? this.cwd : this.variables.get(name);
    return variable && onlyValue(variable, histories);
  }

  /** The positional parameters, if only one list of them is possible. */
  argumentsAt(histories: Histories): readonly Word[] | undefined {
    return onlyValue(this.positional, histories);
  }

  /** The words of an array, if only one list of them is possible. */
  listOf(name: string, histories: Histories): readonly Word[] | undefined {
    const list = this.lists.get(name);
    return list && onlyValue(list, histories);
  }

  /** Sets a variable; `undefined` makes it unknown. */
  assign(step: number, name: string, value: string | undefined, list?: readonly Word[]): void {
    if (list !== undefined || this.lists.has(name)) {
      const lists = this.lists.get(name) ?? timeline<readonly Word[] | undefined>(undefined);
      this.lists = new Map([...this.lists, [name, changed(lists, step, [list])]]);
    }
    const before = this.variables.get(name) ?? timeline<string | undefined>(undefined);
    const after = changed(before, step, [value]);
    const own = this.ownsVariables ? (this.variables as Map<string, typeof after>) : new Map(this.variables);
    this.variables = own.set(name, after);
    this.ownsVariables = true;
  }

  /** Makes every variable whose name occurs in the text unknown; without a text, all variables. */
  forgetNamesIn(text?: string): void {
    for (const name of this.variables.keys()) {
      if (text === undefined || text.includes(name)) this.assign(this.trace.nextStep++, name, undefined);
    }
  }
}

function onlyValue<T>(line: Timeline<T>, histories: Histories): T | undefined {
  const values = valuesAt(line, histories);
  return values.length === 1 ? values[0] : undefined;
}

/** Adds a frame's early exits to an outcome. */
export function withEarlyExits(outcome: Outcome, frame: Frame): Outcome {
  return {
    success: [...outcome.success, ...frame.success],
    failure: [...outcome.failure, ...frame.failure],
  };
}

/** Records an early exit from a frame. */
export function leaveFrame(frame: Frame, outcome: Outcome): void {
  frame.success = either(frame.success, outcome.success);
  frame.failure = either(frame.failure, outcome.failure);
}

/** Caches the last parse, since the same line is usually parsed several times. */
let last:
  | { readonly text: string; readonly commands?: readonly Statement[]; readonly isTooDeep: boolean }
  | undefined;

/** `undefined` if the text does not parse. */
export function parseLine(text: string): readonly Statement[] | undefined {
  if (last?.text !== text) {
    const { commands, errors = [] } = parse(text);
    const isTooDeep = errors.some(({ message }) => message.includes('nesting depth exceeded'));
    last = { text, isTooDeep, ...(errors.length === 0 && { commands }) };
  }
  return last.commands;
}

/** Whether a text does not parse because it is nested too deeply for the parser. */
export function isNestedTooDeep(text: string): boolean {
  return parseLine(text) === undefined && last?.isTooDeep === true;
}

/** Splits a word of the form `name=value`. */
export function assignmentIn(word: Word): Assignment | undefined {
  const [start, name] = /^([A-Za-z_]\w*)=/.exec(word.text) ?? [];
  if (start === undefined || name === undefined) return undefined;
  return { name, value: mapWord(word, (text) => text.slice(start.length)) };
}
