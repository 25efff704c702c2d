import { echoed, TEMPORARY } from './expand';
import { writerOf } from './file-writes';
import { filesFoundBy, searchGlobs } from './find';
import { isOfGit } from './git-commands';
import { changed, type Histories, NEVER, type Outcome, timeline, UNREACHABLE, valuesAt } from './history';
import { linesInCode } from './inline-code';
import {
  assignmentIn,
  type Call,
  type Frame,
  leaveFrame,
  parseLine,
  type Recorded,
  type Scope,
  withEarlyExits,
} from './scope';
import { testCallOf } from './test-runs';
import {
  isOneOf,
  isReader,
  isScript,
  isShell,
  knownWord,
  nameTable,
  type PossibleValues,
  programOf,
  resolveFrom,
  saidIn,
  type Word,
} from './words';
import { codeForShell, type SearchResults, type ShellCode, type Wrapped, wrappedCommands } from './wrappers';

/*
 * Follows a command into functions, wrappers and constant code as far as possible, without running anything.
 */

const MOST_DEPTH = 32;
/** With more possible directories than this, the directory is unknown: every `cd` could double them. */
const MOST_DIRECTORIES = 8;

/** Follows a command into what it runs; records it as a step if there is nothing to follow. */
export function runCall(call: Call, entry: Histories, scope: Scope): Outcome {
  const name = call.words[0]?.value ?? '';
  const body = scope.functions.get(name);
  if (body === undefined) return runProgram(call, entry, scope);
  if (isTooDeep(scope, name)) return scope.record(call, entry);
  const outer = scope.positional;
  scope.positional = timeline<readonly Word[] | undefined>(call.words.slice(1));
  scope.depth++;
  scope.calls++;
  const outcome = scope.within('function', name, (frame) => {
    const before = scope.recordOutputs(call.outputs, entry);
    return withEarlyExits(scope.walkList(body, before, scope), frame);
  });
  scope.calls--;
  scope.depth--;
  scope.positional = outer;
  return outcome;
}

/** If so, gives up on the line, unless it is only a function that calls itself. */
function isTooDeep({ depth, frame, trace }: Scope, name?: string): boolean {
  if (depth < MOST_DEPTH) return false;
  let isRecursion = false;
  for (let at: Frame | undefined = frame; at !== undefined; at = at.parent) isRecursion ||= at.name === name;
  trace.isGivenUp ||= name === undefined || !isRecursion;
  return true;
}

/** Assignments without a command change variables of this shell. */
export function runAssignments(call: Call, entry: Histories, scope: Scope, substitutes: boolean): Outcome {
  const { step, success } = scope.record({ ...call, words: [knownWord('')] }, entry);
  for (const { name, value, list } of call.assignments) scope.assign(step, name, value.value, list);
  // A failing substitution sets the exit status, but the assignment still happens.
  return { success, failure: substitutes ? success : NEVER };
}

function runProgram(call: Call, entry: Histories, scope: Scope): Outcome {
  const [first, ...args] = call.words;
  const name = first?.value;
  if (name === undefined) {
    const named = programAtUnknownPlace(first);
    return named === undefined
      ? scope.record(call, entry)
      : runProgram({ ...call, words: [named, ...args] }, entry, scope);
  }
  if (name === 'eval') return runEval(call, entry, scope);
  const builtin = builtinNamed(name);
  if (builtin !== undefined) return builtin(call, entry, scope, scope.record(call, entry));
  const program = programOf(call.words[0]);
  // Git's own commands are also programs by themselves.
  if (program.startsWith('git-') && isOfGit(program.slice('git-'.length))) {
    const words = [knownWord('git'), knownWord(program.slice('git-'.length)), ...call.words.slice(1)];
    return scope.record({ ...call, words }, entry);
  }
  if (isShell(program)) {
    const code = codeForShell(call.words.slice(1), call.input);
    return (code && runCode(code, call, entry, scope.subshell())) ?? recordUnread(call, entry, scope);
  }
  const inner = wrappedCommands(call.words, foundFor(call, entry, scope));
  if (inner.length === 0) return recordUnread(call, entry, scope);
  if (isTooDeep(scope)) return scope.record(call, entry);
  return runWrapped(inner, program, call, entry, scope);
}

/** In `"$BIN/git"` and `$(which git)` only the directory is unknown. */
function programAtUnknownPlace(word: Word | undefined): Word | undefined {
  const text =
    word === undefined
      ? ''
      : saidIn(word).replace(/^\$\((?:which|command -v|type -[pP]) ([^\s)]+)\)$/, '/$1');
  return /\/[\w.+-]+$/.test(text) ? knownWord(text) : undefined;
}

const MOST_GUESSES = 50;

/**
 * Records a call, and follows the texts that its program may run, such as code of which a part is unknown. They may be
 * prose, so they cannot spoil the line.
 */
function recordUnread(call: Call, entry: Histories, scope: Scope): Recorded {
  const recorded = scope.record(call, entry);
  const { isGivenUp, isBroken } = scope.trace;
  const guess = (): Scope => Object.assign(scope.subshell(), { guessed: true });
  const own = { ...call, outputs: [] };
  const [name, ...args] = call.words;
  const program = programOf(name);
  const inCode = linesInCode(program, args, call.input);
  const isKnown =
    isReader(program) || isScript(program) || testCallOf(call.words, call.assignments, []) !== undefined;
  // A text that is followed only as a guess passes on no further ones: it may be prose, or a query. Neither does a known
  // program, unless it is given code that starts others.
  const isLast = scope.guessed || (isKnown && inCode === undefined);
  const texts = [...(inCode ?? []), ...inputToRun(call), ...(isLast ? [] : textsToRun(call))];
  for (const code of texts.slice(0, MOST_GUESSES)) runCode({ code, positional: [] }, own, entry, guess());
  // A text is not followed so far: in prose, `git` may be any word.
  const words = isLast ? [] : wordsToRun(call);
  if (words.length > 0) runProgram({ ...own, words }, entry, guess());
  Object.assign(scope.trace, { isGivenUp, isBroken });
  return recorded;
}

const hasLastingEffects = isOneOf('git gh glab curl');

/** The end of a call that is a command by itself, as after a wrapper that we do not know. */
function wordsToRun({ words }: Call): readonly Word[] {
  // As the last word, it is the name of a package.
  const at = words.slice(0, -1).findIndex((word, index) => index > 0 && hasLastingEffects(programOf(word)));
  return at < 0 || ['', 'git'].includes(programOf(words[0])) ? [] : words.slice(at);
}

/** The input of a program that may run it. */
function inputToRun({ words, input }: Call): readonly string[] {
  return input === undefined || !readsCommands(programOf(words[0])) ? [] : [input.text];
}

/** The texts of several words that a call passes to a program which may run them. */
function textsToRun({ words: [name, ...args], assignments }: Call): readonly string[] {
  // Most arguments of git are names and messages.
  const given =
    programOf(name) === 'git' ? settingsOf(args) : args.filter((_, at) => !isAboutText(args[at - 1]?.text));
  return [...given, ...assignments.map(({ value }) => value)].flatMap((word) => {
    if (!/\s/.test(word.text) || /^[<>]\(/.test(word.text)) return [];
    const text = saidIn(word).replace(/^(?:[\w.-]+=)*(?::?!|\.\w+\s)?/, '');
    return isProse(text) ? [] : [text];
  });
}

/** Words that sentences need and commands hardly ever have. */
const joinsWords = isOneOf(
  `a after an and are as at be before because but by can does for from has if in into is it its no not now of on or
  our should so than that the they this to too via was we when where which while why will with without you your`,
);

/** Whether a text begins like a title or a sentence, such as `git push hook is slow`, and so is no command line. */
function isProse(text: string): boolean {
  const first = parseLine(text)?.[0]?.command;
  if (first?.type !== 'Command' || first.name === undefined || isPrinter(first.name.text)) return false;
  const words = first.args.map((word) => word.text.replace(/[.,:;?!]+$/, ''));
  // After an option it may be a value.
  const joins = (word: string, at: number): boolean => joinsWords(word) && !/^-/.test(words[at - 1] ?? '');
  return /^[A-Z][a-z]+\b(?![./=])|[:,?!]$/.test(first.name.text) || words.some(joins);
}

const isPrinter = isOneOf('echo printf');

/** Whether a word is an option for a message or a title. */
function isAboutText(option = ''): boolean {
  return /^-(?:m|-(?:message|title|body|description|notes?|comment|reason|summary|text))$/.test(option);
}

/** Programs whose input is more than data or code in a language of its own. */
function readsCommands(program: string): boolean {
  if (program === 'make' || program === 'gmake') return true;
  return program !== 'git' && ![isReader, isScript, writerOf].some((isOne) => isOne(program));
}

/** The settings that git is given, such as aliases, and the commands in its options. */
function settingsOf(args: readonly Word[]): readonly Word[] {
  if (args[0]?.value === 'config') return args;
  return args.filter(({ text }, at) => RUNS_VALUE.test(args[at - 1]?.value ?? '') || RUNS_VALUE.test(text));
}

/** Options of git whose value is a setting or a command. */
const RUNS_VALUE = /^(?:-c$|-x|--(?:exec|extcmd|upload-pack|receive-pack)(?:=|$))/;

/** The watched files that `find` passes to one of its actions, or that a pipeline feeds to `xargs`. */
function foundFor({ words, input }: Call, entry: Histories, scope: Scope): SearchResults {
  const { watched, piped, search, cwd } = scope;
  const fed = input?.value;
  if (programOf(words[0]) === 'xargs' && fed !== undefined) {
    const takesLine = words.some(({ value }) => /^(?:-I|-i|--replace)/.test(value ?? ''));
    const files = takesLine ? [fed.trim()] : fed.split(/\s+/).filter(Boolean);
    return () => ({ files, globs: [] });
  }
  if (programOf(words[0]) !== 'find') return () => ({ files: piped, globs: search });
  return (action) => ({
    files: watched && filesFoundBy(words, action, valuesAt(cwd, entry), watched.files()),
    globs: searchGlobs(words, action),
  });
}

function runEval(call: Call, entry: Histories, scope: Scope): Outcome {
  const words = call.words.slice(1);
  const isKnown = words.every(({ value }) => value !== undefined);
  const code = words.map(({ text }) => text).join(' ');
  return (isKnown ? runCode({ code }, call, entry, scope) : undefined) ?? recordUnread(call, entry, scope);
}

/** `undefined` if the code does not parse or is nested too deeply. */
function runCode(code: ShellCode, call: Call, entry: Histories, scope: Scope): Outcome | undefined {
  const commands = parseLine(code.code);
  if (commands === undefined || isTooDeep(scope)) return undefined;
  const outer = scope.positional;
  const { positional } = code;
  const before = scope.recordOutputs(call.outputs, entry);
  if (positional !== undefined) scope.positional = timeline<readonly Word[] | undefined>(positional);
  if (code.errexit) scope.errexit = timeline(true);
  if (code.pipefail) scope.pipefail = timeline(true);
  scope.depth++;
  const isOwnShell = scope.frame.kind === 'shell' && scope.frame.parent === undefined;
  const outcome = scope.walkList(commands, before, scope);
  scope.depth--;
  if (positional !== undefined) scope.positional = outer;
  return isOwnShell && call.words[0]?.value !== 'eval' ? withEarlyExits(outcome, scope.frame) : outcome;
}

/** They run a command, and write files of their own. */
const alsoWrites = isOneOf('find script time gtime strace ltrace');

function runWrapped(
  inner: readonly Wrapped[],
  program: string,
  call: Call,
  entry: Histories,
  scope: Scope,
): Outcome {
  let outcome: Outcome = { success: entry, failure: NEVER };
  const isContainer = inner.some((each) => each.kind === 'command' && each.container === true);
  if (isContainer || alsoWrites(program)) outcome = scope.record(call, entry);
  for (const each of inner) {
    const from = program === 'find' ? entry : outcome.success;
    const own = isContainer ? { ...call, outputs: [], input: undefined } : call;
    const result = runInner(each, own, from, scopeInside(each, program, entry, scope));
    outcome = each.maybe ? { success: entry, failure: entry } : result;
  }
  if (program !== 'exec') return outcome;
  scope.leave(['shell'], outcome);
  return UNREACHABLE;
}

/** A command in an external wrapper cannot change this shell; `command` and `builtin` run in it. */
function scopeInside(each: Wrapped, program: string, entry: Histories, scope: Scope): Scope {
  if (program === 'command' || program === 'builtin') return scope;
  const own = scope.subshell();
  if (program === 'exec') own.frame = scope.frame;
  if (each.kind === 'command' && each.container === true) own.container ??= valuesAt(scope.cwd, entry);
  if (each.kind === 'command' && each.directory !== undefined) {
    own.cwd = timeline(...resolveFrom(valuesAt(scope.cwd, entry), each.directory?.value));
  }
  return own;
}

function runInner(each: Wrapped, call: Call, entry: Histories, scope: Scope): Outcome {
  if (each.kind === 'code') {
    const code = each.code.value;
    const outcome = code === undefined ? undefined : runCode({ code, positional: [] }, call, entry, scope);
    const words = [knownWord('sh'), knownWord('-c'), each.code];
    return outcome ?? recordUnread({ ...call, words }, entry, scope);
  }
  const assignments = [...call.assignments, ...(each.assignments ?? [])];
  scope.depth++;
  const outcome = runProgram({ ...call, words: each.words, assignments }, entry, scope);
  scope.depth--;
  return outcome;
}

type Builtin = (call: Call, entry: Histories, scope: Scope, recorded: Recorded) => Outcome;

/** Builtins that change variables, directories, shell options or control flow. All are recorded as steps. */
const builtinNamed = nameTable<Builtin>(() => [
  ['export declare typeset local readonly', declare],
  ['read unset mapfile readarray getopts let printf', forget],
  ['cd pushd popd', changeDirectory],
  ['alias', defineAliases],
  ['set', setModes],
  ['shift', shift],
  ['exit return', leaveShell],
  ['break continue', leaveLoop],
  ['true :', (_call, _entry, _scope, { success }) => ({ success, failure: NEVER })],
  ['false', (_call, _entry, _scope, { failure }) => ({ success: NEVER, failure })],
]);

const declare: Builtin = ({ words: [, ...words] }, _entry, scope, { step, success, failure }) => {
  const assignments = words.flatMap((word) => assignmentIn(word) ?? []);
  for (const { name, value } of assignments) scope.assign(step, name, value.value);
  // Declaring with a value succeeds even if the value comes from a failing substitution.
  return { success, failure: assignments.length > 0 ? NEVER : failure };
};

/** These set variables in ways we do not follow, so every variable they name becomes unknown. */
const forget: Builtin = ({ words, input }, _entry, scope, recorded) => {
  const names = words.slice(1).filter(({ text }) => !text.startsWith('-'));
  // If the pipeline prints watched files, `read` gets the first of them: that is the value that matters.
  const piped = scope.piped?.find((path) => !path.endsWith('/')) ?? scope.piped?.[0];
  const line = names.length === 1 ? input?.value?.split('\n', 1)[0]?.trim() : undefined;
  const isPrinted = words[0]?.value === 'printf' && words[1]?.value === '-v';
  const printed = isPrinted ? echoed([knownWord('printf'), ...words.slice(3)], undefined)?.value : undefined;
  const given = words[0]?.value === 'read' ? (piped ?? line) : printed;
  const list = words.some(({ text }) => /^-[a-z]*a$/.test(text)) ? wordsIn(given) : undefined;
  for (const { text } of names) {
    const [name = ''] = text.split('=', 1);
    if (scope.variables.has(name) || given !== undefined)
      scope.assign(recorded.step, name, list?.[0]?.value ?? given, list);
  }
  // Only input of its own is there every time.
  const isSet = given !== undefined && input !== undefined && scope.fed === undefined;
  return isSet || printed !== undefined ? { success: recorded.success, failure: NEVER } : recorded;
};

function wordsIn(line: string | undefined): readonly Word[] | undefined {
  return line?.split(/\s+/).map(knownWord);
}

/** Treats an alias as a function; a shell that does not expand aliases has no such command anyway. */
const defineAliases: Builtin = ({ words }, _entry, scope, recorded) => {
  for (const { value = '' } of words.slice(1)) {
    const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(value) ?? [];
    const commands = parseLine(`${text} "$@"`);
    if (commands !== undefined) scope.functions = new Map([...scope.functions, [name, commands]]);
  }
  return recorded;
};

const setModes: Builtin = ({ words }, _entry, scope, { step, success }) => {
  const queue = words.slice(1);
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    const { text } = word;
    if (!/^[-+]/.test(text) || text === '--') {
      scope.positional = changed(scope.positional, step, [text === '--' ? queue : [word, ...queue]]);
      break;
    }
    const named = text.endsWith('o') ? queue.shift()?.value : undefined;
    const on = text.startsWith('-');
    if (text.includes('e') || named === 'errexit') scope.errexit = changed(scope.errexit, step, [on]);
    if (named === 'pipefail') scope.pipefail = changed(scope.pipefail, step, [on]);
  }
  return { success, failure: NEVER };
};

const shift: Builtin = ({ words }, entry, scope, { step, success, failure }) => {
  const args = scope.argumentsAt(entry);
  const count = Number(words[1] === undefined ? 1 : words[1].value);
  const shifted = args?.slice(0, count) ?? [];
  const isPossible = shifted.length === count && shifted.every(({ value }) => value !== undefined);
  scope.positional = changed(scope.positional, step, [isPossible ? args?.slice(count) : undefined]);
  return { success, failure: isPossible ? NEVER : failure };
};

const leaveShell: Builtin = ({ words: [name, status] }, _entry, scope, recorded) => {
  // Outside of functions bash only complains.
  if (name?.value === 'return' && scope.calls === 0) return recorded;
  const { success } = recorded;
  scope.leave(name?.value === 'return' ? ['function', 'shell'] : ['shell'], {
    success: status?.value === undefined || status.value === '0' ? success : NEVER,
    failure: status?.value === '0' ? NEVER : success,
  });
  return UNREACHABLE;
};

const leaveLoop: Builtin = (_call, _entry, scope, recorded) => {
  if (scope.loops === 0 && scope.frame.kind !== 'loop') return recorded;
  const { success } = recorded;
  for (let frame: Frame | undefined = scope.frame; frame?.kind === 'loop'; frame = frame.parent) {
    leaveFrame(frame, { success, failure: NEVER });
  }
  return UNREACHABLE;
};

const changeDirectory: Builtin = (call, entry, scope, recorded) => {
  const name = call.words[0]?.value;
  const before = valuesAt(scope.cwd, entry);
  const known = valuesAt(scope.directoryStack, entry);
  const stacks = known.length > MOST_DIRECTORIES ? [[[undefined]]] : known;
  // `popd` goes back, and `pushd` alone swaps with the top of the stack; both fail on an empty stack.
  const isBack = name === 'popd' || (name === 'pushd' && call.words.length === 1);
  const usable = isBack ? stacks.filter((stack) => stack.length > 0) : stacks;
  const { step, success, failure } = recorded;
  if (usable.length === 0) return { success: NEVER, failure };
  const tops = usable.flatMap((stack) => stack.at(-1) ?? []);
  const back = call.words.length === 1 ? tops : [undefined];
  const target = isBack ? back : targetOf(call, entry, scope, false);
  // A `cd` to a missing directory likely fails; a second such `cd` adds no target.
  const isMissing = isMissingDirectory(target, scope);
  const to = isMissing && before.length > 1 ? before : target;
  const likely = isBack ? undefined : likelyTarget(call, entry, scope, isMissing);
  scope.cwd = changed(scope.cwd, step, fewDirectories(to), isMissing ? 'unsure' : undefined, likely);
  scope.assign(step, 'OLDPWD', before.length === 1 ? before[0] : undefined);
  if (name !== 'cd') {
    const after = usable.map((stack) => {
      const below = isBack ? stack.slice(0, -1) : stack;
      return name === 'pushd' ? [...below, before] : below;
    });
    scope.directoryStack = changed(scope.directoryStack, step, after);
  }
  const isThere = to.every((path) => path !== undefined && scope.isDirectory(path));
  return { success, failure: isThere && usable.length === stacks.length ? NEVER : failure };
};

/** The target if all commands before have succeeded, unless it hardly counts. */
function likelyTarget(call: Call, entry: Histories, scope: Scope, isMissing: boolean) {
  return isMissing ? undefined : fewDirectories(targetOf(call, entry, scope, true));
}

function fewDirectories(paths: PossibleValues): PossibleValues {
  return paths.length > MOST_DIRECTORIES ? [undefined] : paths;
}

/** Whether the directory does not exist, and no earlier command of the line can have created it. */
function isMissingDirectory(to: PossibleValues, { knowsDirectories, isDirectory, trace }: Scope): boolean {
  return (
    knowsDirectories &&
    to.every((path) => path !== undefined && path !== TEMPORARY && !isDirectory(path)) &&
    trace.steps.every(({ words: [program] }) => createsNothing(program?.value ?? '?'))
  );
}

const createsNothing = isOneOf(': cd echo export false popd printf pushd pwd set test true [');

function targetOf(call: Call, entry: Histories, scope: Scope, likely: boolean): PossibleValues {
  const operand = call.words.slice(1).find(({ text }) => !/^-./.test(text));
  if (operand === undefined) return [scope.valueOf('HOME', entry)];
  const path = operand.value;
  const old = scope.variables.get('OLDPWD');
  if (path === '-') return old === undefined ? [undefined] : valuesAt(old, entry, likely);
  if (path === undefined || path.startsWith('+')) return [undefined];
  const before = valuesAt(scope.cwd, entry, likely);
  // In a loop, a relative `cd` from an uncertain directory may be repeated any number of times.
  if (scope.loops > 0 && !path.startsWith('/') && before.length > 1) return [undefined];
  return resolveFrom(before, path);
}
