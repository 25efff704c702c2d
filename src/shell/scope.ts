import { parse, type Statement } from 'unbash';
import {
  changed,
  either,
  failed,
  type Histories,
  type Outcome,
  succeeded,
  type Timeline,
  timeline,
  valuesAt,
} from './history';
import { knownWord, mapWord, type Options, unknownWord, type Word } from './words';

/** A repository as it is before the line runs. */
export interface RepositoryFact {
  readonly root: string;
  /** Absent when it is unknown; `HEAD` when there is none. */
  readonly branch?: string | undefined;
  /** The git directory that its work trees share. */
  readonly commonDir?: string;
}

/** Tells the repository of a directory, where somebody knows it. */
export type RepositoryAt = (directory: string) => RepositoryFact | undefined;

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
}

/** What the reading of one line has found so far. Shared by all its scopes. */
export interface Trace {
  readonly steps: Step[];
  nextStep: number;
  /** Parts that may still be looked at; a line that uses them up is given up. */
  budget: number;
  /** The line is too large, or a part of it does not parse. */
  isGivenUp: boolean;
  readonly repositoryAt: RepositoryAt | undefined;
}

/** A construct that can be left early, and the histories with which it was. */
export interface Frame {
  readonly kind: 'shell' | 'function' | 'loop';
  readonly parent: Frame | undefined;
  /** The name of the function. */
  readonly name: string | undefined;
  success: Histories;
  failure: Histories;
}

/** The state of one shell: a subshell gets a copy, so what it changes ends with it. */
export interface Scope {
  readonly trace: Trace;
  readonly walkList: (list: readonly Statement[], entry: Histories, scope: Scope) => Outcome;
  cwd: Timeline<string | undefined>;
  directoryStack: Timeline<readonly Options[]>;
  variables: ReadonlyMap<string, Timeline<string | undefined>>;
  functions: ReadonlyMap<string, readonly Statement[]>;
  errexit: Timeline<boolean>;
  pipefail: Timeline<boolean>;
  /** Variables that get other values than those assigned to them, by `declare -l`, `-u` or `-n`. */
  transformed: ReadonlySet<string>;
  /** The arguments of the function or script being run; `undefined` where they are unknown. */
  positional: Timeline<readonly Word[] | undefined>;
  frame: Frame;
  /** Above zero where a failure is tested, so that `set -e` does not apply. */
  tested: number;
  /** How many functions, wrappers and shells the code is nested in. */
  depth: number;
  loops: number;
}

/** The state of the shell that a line starts in. */
export function newScope(
  cwd: string,
  home: string | undefined,
  trace: Trace,
  walkList: Scope['walkList'],
): Scope {
  return {
    trace,
    walkList,
    cwd: timeline<string | undefined>(cwd),
    directoryStack: timeline<readonly Options[]>([]),
    variables: new Map(home === undefined ? [] : [['HOME', timeline<string | undefined>(home)]]),
    functions: new Map(),
    errexit: timeline(false),
    pipefail: timeline(false),
    transformed: new Set(),
    positional: timeline<readonly Word[] | undefined>(undefined),
    frame: newFrame(undefined, 'shell'),
    tested: 0,
    depth: 0,
    loops: 0,
  };
}

/** A frame that has not been left yet. */
export function newFrame(parent: Frame | undefined, kind: Frame['kind'], name?: string): Frame {
  return { kind, parent, name, success: [], failure: [] };
}

/** A copy for what runs in a shell of its own. */
export function subshell(scope: Scope): Scope {
  return { ...scope, frame: newFrame(undefined, 'shell') };
}

/** How a part ended, with the ways in which it was left early. */
export function withEarlyExits(outcome: Outcome, frame: Frame): Outcome {
  return {
    success: [...outcome.success, ...frame.success],
    failure: [...outcome.failure, ...frame.failure],
  };
}

/** The innermost frame of one of the kinds. */
export function nearestFrame(from: Frame, kinds: readonly Frame['kind'][]): Frame | undefined {
  let frame: Frame | undefined = from;
  while (frame !== undefined && !kinds.includes(frame.kind)) frame = frame.parent;
  return frame;
}

/** Notes that a frame is left early, with the given status. */
export function leave(frame: Frame | undefined, outcome: Outcome): void {
  if (frame === undefined) return;
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

/** Takes one part from the budget; false when nothing more may be looked at. */
export function spend(trace: Trace): boolean {
  trace.isGivenUp ||= trace.budget-- <= 0;
  return !trace.isGivenUp;
}

/** Variables that change what git does, also when an earlier command has set them. */
const INHERITED = ['GIT_DIR', 'GIT_WORK_TREE'];

/** How a command may end, and its place in the order of execution. */
export type Recorded = Outcome & { readonly step: number };

/** Adds a call to the steps of the line. */
export function record(call: Call, entry: Histories, scope: Scope): Recorded {
  const step = scope.trace.nextStep++;
  const inherited = INHERITED.filter((name) => scope.variables.has(name)).map((name) => {
    const value = variableValue(name, entry, scope);
    return { name, value: value === undefined ? unknownWord(`$${name}`) : knownWord(value) };
  });
  scope.trace.steps.push({
    ...call,
    id: step,
    assignments: [...inherited, ...call.assignments],
    histories: entry,
    cwd: valuesAt(scope.cwd, entry),
  });
  return { step, success: succeeded(entry, step), failure: failed(entry, step) };
}

/** Records the files that a call opens before anything else in it runs. */
export function recordOutputs(outputs: readonly Output[], entry: Histories, scope: Scope): Histories {
  if (outputs.length === 0) return entry;
  const call = { words: [knownWord('')], assignments: [], outputs, input: undefined };
  return record(call, entry, scope).success;
}

/** The value of a variable or positional parameter, where it can only have one. */
export function variableValue(name: string, histories: Histories, scope: Scope): string | undefined {
  if (/^[1-9]$/.test(name)) {
    const before = argumentsAt(histories, scope)?.slice(0, Number(name)) ?? [];
    // An unknown word may be none or several, so those after it have no place.
    return before.every(({ value }) => value !== undefined) ? before[Number(name) - 1]?.value : undefined;
  }
  const variable = name === 'PWD' ? scope.cwd : scope.variables.get(name);
  return variable === undefined ? undefined : onlyValue(variable, histories);
}

/** The positional parameters, where they can only have one value. */
export function argumentsAt(histories: Histories, scope: Scope): readonly Word[] | undefined {
  return onlyValue(scope.positional, histories);
}

function onlyValue<T>(line: Timeline<T>, histories: Histories): T | undefined {
  const values = valuesAt(line, histories);
  return values.length === 1 ? values[0] : undefined;
}

/** Changes a variable; `undefined` makes it unknown. */
export function assign(scope: Scope, step: number, name: string, value: string | undefined): void {
  const before = scope.variables.get(name) ?? timeline<string | undefined>(undefined);
  scope.variables = new Map([
    ...scope.variables,
    [name, changed(before, step, [scope.transformed.has(name) ? undefined : value])],
  ]);
}

/** Forgets the variables that a text may assign; without a text, all of them. */
export function forgetNamesIn(text: string | undefined, scope: Scope): void {
  for (const name of scope.variables.keys()) {
    if (text === undefined || text.includes(name)) assign(scope, scope.trace.nextStep++, name, undefined);
  }
}

/** `name=value` as a word of a command, split. */
export function assignmentIn(word: Word): Assignment | undefined {
  const [start, name] = /^([A-Za-z_]\w*)=/.exec(word.text) ?? [];
  if (start === undefined || name === undefined) return undefined;
  return { name, value: mapWord(word, (text) => text.slice(start.length)) };
}
