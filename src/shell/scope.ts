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
import { knownWord, mapWord, type Options, unknownWord, type Word } from './words';

/** A repository as it is before the line runs; what is unknown of it is absent. */
export interface RepositoryFact extends Partial<ReturnType<typeof repositoryOf>> {
  readonly root: string;
  /** Git's settings there as far as files tell, where git may not be asked. */
  readonly settings?: () => ReadonlyMap<string, string>;
}

/** Tells the repository of a directory, where somebody knows it. */
export type RepositoryAt = (directory: string) => RepositoryFact | undefined;

/** Files that somebody watches, and what can be told of the files around them before the line runs. */
export interface Watched {
  readonly files: readonly string[];
  exists(path: string): boolean;
  /** Whether the bytes of an archive name a file. */
  names(archive: string, file: string): boolean;
  /** How `git status` shows a file in a directory's repository, ignored ones too; empty where it has nothing to say. */
  gitStatus(directory: string, file: string): string;
}

/** Where a line starts, and what is known there. */
export interface Start {
  readonly cwd: string;
  readonly home?: string | undefined;
  /** Tells the repository of a directory before the line runs. */
  readonly repositoryAt?: RepositoryAt;
  /** Whether a directory is there before the line runs. */
  readonly isDirectory?: (path: string) => boolean;
  /** The project's own test commands, word by word; a command that begins like one is a test run. */
  readonly testCommands?: readonly (readonly string[])[];
  /** What is written below a directory, or by a search, is told for these files. */
  readonly watched?: Watched;
}

/** A variable with the value that a command sets it to. */
export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

/** A file that a redirection writes. */
export interface Output {
  readonly target: Word;
  readonly append: boolean;
}

/** A command with its words expanded; wrappers such as `env` may still be around it. */
export interface Call {
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly outputs: readonly Output[];
  /** What a here-document or here-string feeds it. */
  readonly input: Word | undefined;
}

/** A call as it runs. Without a command, its only word is empty. */
export interface Step extends Call {
  /** Its place in the order of execution. */
  readonly id: number;
  readonly histories: Histories;
  readonly cwd: Options;
  /** Where a container was started from, if it runs in one. */
  readonly container: Options | undefined;
  /** The directory where every command before it that ran has succeeded. */
  readonly likelyCwd: Options;
}

/** Beyond so many commands a line is given up: what is known about each of them is kept. */
const MOST_STEPS = 60_000;

/** What the reading of one line has found so far. Shared by all its scopes. */
export class Trace {
  readonly steps: Step[] = [];
  nextStep = 0;
  /** The line is too large, or a part of it does not parse. */
  isGivenUp = false;
  /** Parts that may still be looked at; a line that uses them up is given up. */
  #budget: number;
  /** The same for what loops repeat. */
  #repeated = 20_000;

  /** A long line may have many parts; more than its length are made by loops and functions. */
  constructor(length: number) {
    this.#budget = 2000 + length;
  }

  /** Takes one part from the budget; false when nothing more may be looked at. */
  spend(isRepeated: boolean): boolean {
    if (isRepeated) this.#repeated--;
    this.isGivenUp ||= this.#budget-- <= 0 || this.#repeated <= 0 || this.nextStep > MOST_STEPS;
    return !this.isGivenUp;
  }
}

/** A construct that can be left early, and the histories with which it was. */
export interface Frame {
  readonly kind: 'shell' | 'function' | 'loop';
  readonly parent?: Frame;
  /** The name of the function. */
  readonly name?: string;
  success: Histories;
  failure: Histories;
}

/** How a command may end, and its place in the order of execution. */
export type Recorded = Outcome & { readonly step: number };

/** Variables that change what git does, also when an earlier command has set them. */
const INHERITED = ['GIT_DIR', 'GIT_WORK_TREE'];

/** The state of one shell: a subshell gets a copy, so what it changes ends with it. */
export class Scope {
  readonly trace: Trace;
  readonly walkList: (list: readonly Statement[], entry: Histories, scope: Scope) => Outcome;
  readonly repositoryAt: RepositoryAt | undefined;
  readonly watched: Watched | undefined;
  /** The watched files that the command before this one in a pipeline prints, where that is known. */
  piped: readonly string[] | undefined;
  /** The text that a pipeline feeds it, where that is known. */
  fed: string | undefined;
  readonly isDirectory: (path: string) => boolean;
  readonly knowsDirectories: boolean;
  cwd: Timeline<string | undefined>;
  directoryStack = timeline<readonly Options[]>([]);
  variables: ReadonlyMap<string, Timeline<string | undefined>> = new Map();
  /** Whether no other shell has the same map of variables. */
  ownsVariables = false;
  functions: ReadonlyMap<string, readonly Statement[]> = new Map();
  errexit = timeline<boolean>(false);
  pipefail = timeline<boolean>(false);
  /** Variables that get other values than those assigned to them, by `declare -l`, `-u` or `-n`. */
  transformed: ReadonlySet<string> = new Set();
  /** The arguments of the function or script being run; `undefined` where they are unknown. */
  positional = timeline<readonly Word[] | undefined>(undefined);
  frame: Frame = { kind: 'shell', success: NEVER, failure: NEVER };
  /** Above zero where a failure is tested, so that `set -e` does not apply. */
  tested = 0;
  /** How many functions, wrappers and shells the code is nested in. */
  depth = 0;
  loops = 0;
  container: Options | undefined;

  /** The shell that a line starts in. */
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

  /** A copy for what runs in a shell of its own. */
  subshell(): Scope {
    this.ownsVariables = false;
    const copy: Scope = Object.assign(Object.create(Scope.prototype), this);
    copy.frame = { kind: 'shell', success: NEVER, failure: NEVER };
    return copy;
  }

  /** Walks something inside a frame, and puts the outer one back. */
  within(kind: Frame['kind'], name: string | undefined, walk: (frame: Frame) => Outcome): Outcome {
    const outer = this.frame;
    this.frame = { kind, parent: outer, ...(name !== undefined && { name }), success: NEVER, failure: NEVER };
    const outcome = walk(this.frame);
    this.frame = outer;
    return outcome;
  }

  /** Notes that the innermost frame of one of the kinds is left early, with the given status. */
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
    });
    return { step, success: succeeded(entry, step), failure: failed(entry, step) };
  }

  /** Records the files that a call opens before anything else in it runs. */
  recordOutputs(outputs: readonly Output[], entry: Histories): Histories {
    if (outputs.length === 0) return entry;
    return this.record({ words: [knownWord('')], assignments: [], outputs, input: undefined }, entry).success;
  }

  /** The value of a variable or positional parameter, where it can only have one. */
  valueOf(name: string, histories: Histories): string | undefined {
    if (/^[1-9]$/.test(name)) {
      const before = this.argumentsAt(histories)?.slice(0, Number(name)) ?? [];
      // An unknown word may be none or several, so those after it have no place.
      return before.every(({ value }) => value !== undefined) ? before[Number(name) - 1]?.value : undefined;
    }
    const variable = name === 'PWD' ? this.cwd : this.variables.get(name);
    return variable && onlyValue(variable, histories);
  }

  /** The positional parameters, where they can only have one value. */
  argumentsAt(histories: Histories): readonly Word[] | undefined {
    return onlyValue(this.positional, histories);
  }

  /** Changes a variable; `undefined` makes it unknown. */
  assign(step: number, name: string, value: string | undefined): void {
    const before = this.variables.get(name) ?? timeline<string | undefined>(undefined);
    const after = changed(before, step, [this.transformed.has(name) ? undefined : value]);
    const own = this.ownsVariables ? (this.variables as Map<string, typeof after>) : new Map(this.variables);
    this.variables = own.set(name, after);
    this.ownsVariables = true;
  }

  /** Forgets the variables that a text may assign; without a text, all of them. */
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

/** How a part ended, with the ways in which it was left early. */
export function withEarlyExits(outcome: Outcome, frame: Frame): Outcome {
  return {
    success: [...outcome.success, ...frame.success],
    failure: [...outcome.failure, ...frame.failure],
  };
}

/** Notes that a frame is left early, with the given status. */
export function leaveFrame(frame: Frame, outcome: Outcome): void {
  frame.success = either(frame.success, outcome.success);
  frame.failure = either(frame.failure, outcome.failure);
}

/** The last text and its commands: several questions are asked about the same line. */
let last: { readonly text: string; readonly commands: readonly Statement[] | undefined } | undefined;

/** The commands of a text; `undefined` where it does not parse. */
export function parseLine(text: string): readonly Statement[] | undefined {
  if (last?.text !== text) {
    const { commands, errors = [] } = parse(text);
    last = { text, commands: errors.length > 0 ? undefined : commands };
  }
  return last.commands;
}

/** `name=value` as a word of a command, split. */
export function assignmentIn(word: Word): Assignment | undefined {
  const [start, name] = /^([A-Za-z_]\w*)=/.exec(word.text) ?? [];
  if (start === undefined || name === undefined) return undefined;
  return { name, value: mapWord(word, (text) => text.slice(start.length)) };
}
