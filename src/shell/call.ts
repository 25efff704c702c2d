import { parse } from 'unbash';
import { changed, type Histories, NEVER, type Outcome, timeline, valuesAt } from './history';
import {
  argumentsAt,
  assign,
  assignmentIn,
  type Call,
  type Frame,
  leave,
  nearestFrame,
  newFrame,
  record,
  recordOutputs,
  type Scope,
  subshell,
  variableValue,
  withEarlyExits,
} from './scope';
import {
  byName,
  constantOf,
  knownWord,
  type Options,
  programOf,
  resolveFrom,
  textOf,
  type Word,
} from './words';
import { codeForShell, SHELLS, type ShellCode, type Wrapped, wrappedIn } from './wrappers';

/*
 * Follows a command into functions, wrappers and constant code as far as possible, without running anything.
 */

const MOST_DEPTH = 32;
/** Beyond so many possibilities a directory is simply unknown; else every `cd` could double them. */
const MOST_DIRECTORIES = 8;

/** Follows a command, and records it where there is nothing to follow. */
export function runCall(call: Call, entry: Histories, scope: Scope): Outcome {
  const name = constantOf(call.words[0]) ?? '';
  const body = scope.functions.get(name);
  if (body === undefined) return runProgram(call, entry, scope);
  if (isTooDeep(scope, name)) return record(call, entry, scope);
  const outer = { frame: scope.frame, positional: scope.positional };
  scope.frame = newFrame(outer.frame, 'function', name);
  scope.positional = timeline<readonly Word[] | undefined>(call.words.slice(1));
  scope.depth++;
  const before = recordOutputs(call.outputs, entry, scope);
  const outcome = withEarlyExits(scope.walkList(body, before, scope), scope.frame);
  scope.depth--;
  Object.assign(scope, outer);
  return outcome;
}

/** Gives up a line that is nested too deeply, unless it is only a function that calls itself. */
function isTooDeep({ depth, frame, trace }: Scope, name?: string): boolean {
  if (depth < MOST_DEPTH) return false;
  let isRecursion = false;
  for (let at: Frame | undefined = frame; at !== undefined; at = at.parent) isRecursion ||= at.name === name;
  trace.isGivenUp ||= name === undefined || !isRecursion;
  return true;
}

/** Assignments without a command change variables of this shell. */
export function runAssignments(call: Call, entry: Histories, scope: Scope, substitutes: boolean): Outcome {
  const { step, success } = record({ ...call, words: [knownWord('')] }, entry, scope);
  for (const { name, value } of call.assignments) assign(scope, step, name, constantOf(value));
  // A failing substitution fails the line, yet the assignment is made.
  return { success, failure: substitutes ? success : NEVER };
}

function runProgram(call: Call, entry: Histories, scope: Scope): Outcome {
  const name = constantOf(call.words[0]);
  if (name === undefined) return record(call, entry, scope);
  const builtin = BUILTINS.get(name);
  if (builtin !== undefined) return builtin(call, entry, scope);
  const program = programOf(call.words[0]);
  if (SHELLS.has(program)) {
    const code = codeForShell(call.words.slice(1), call.input);
    return (code && runCode(code, call, entry, subshell(scope))) ?? record(call, entry, scope);
  }
  const inner = wrappedIn(call.words);
  if (inner.length === 0 || isTooDeep(scope)) return record(call, entry, scope);
  return runWrapped(inner, program, call, entry, scope);
}

/** `undefined` where the code does not parse. */
function runCode(code: ShellCode, call: Call, entry: Histories, scope: Scope): Outcome | undefined {
  const { commands, errors = [] } = parse(code.code);
  if (errors.length > 0 || isTooDeep(scope)) return undefined;
  const outer = scope.positional;
  const { positional } = code;
  const before = recordOutputs(call.outputs, entry, scope);
  if (positional !== undefined) scope.positional = timeline<readonly Word[] | undefined>(positional);
  if (code.errexit) scope.errexit = timeline(true);
  if (code.pipefail) scope.pipefail = timeline(true);
  scope.depth++;
  const isOwnShell = scope.frame.kind === 'shell' && scope.frame.parent === undefined;
  const outcome = scope.walkList(commands, before, scope);
  scope.depth--;
  if (positional !== undefined) scope.positional = outer;
  return isOwnShell && constantOf(call.words[0]) !== 'eval' ? withEarlyExits(outcome, scope.frame) : outcome;
}

function runWrapped(
  inner: readonly Wrapped[],
  program: string,
  call: Call,
  entry: Histories,
  scope: Scope,
): Outcome {
  let outcome: Outcome = { success: entry, failure: NEVER };
  if (program === 'find') outcome = record(call, entry, scope);
  for (const each of inner) {
    const from = program === 'find' ? entry : outcome.success;
    const result = runInner(each, call, from, scopeInside(each, program, entry, scope));
    outcome = each.maybe ? { success: entry, failure: entry } : result;
  }
  if (program !== 'exec') return outcome;
  leave(nearestFrame(scope.frame, ['shell']), outcome);
  return { success: NEVER, failure: NEVER };
}

/** What an external wrapper runs cannot change this shell; `command` and `builtin` stay in it. */
function scopeInside(each: Wrapped, program: string, entry: Histories, scope: Scope): Scope {
  if (program === 'command' || program === 'builtin') return scope;
  const own = subshell(scope);
  if (program === 'exec') own.frame = scope.frame;
  if (each.kind === 'command' && each.directory !== undefined) {
    own.cwd = timeline(...resolveFrom(valuesAt(scope.cwd, entry), constantOf(each.directory)));
  }
  return own;
}

function runInner(each: Wrapped, call: Call, entry: Histories, scope: Scope): Outcome {
  if (each.kind === 'code') {
    const code = constantOf(each.code);
    const outcome = code === undefined ? undefined : runCode({ code, positional: [] }, call, entry, scope);
    return outcome ?? record(call, entry, scope);
  }
  const assignments = [...call.assignments, ...each.assignments];
  scope.depth++;
  const outcome = runProgram({ ...call, words: each.words, assignments }, entry, scope);
  scope.depth--;
  return outcome;
}

type Builtin = (call: Call, entry: Histories, scope: Scope) => Outcome;

/** The builtins that change variables, directories, modes or the flow of the line. */
const BUILTINS = byName<Builtin>([
  ['export declare typeset local readonly', declare],
  ['read unset mapfile readarray getopts let printf', forget],
  ['cd pushd popd', changeDirectory],
  ['alias', defineAliases],
  ['eval', runEval],
  ['set', setModes],
  ['shift', shift],
  ['exit return', leaveShell],
  ['break continue', leaveLoop],
  ['true :', succeed],
  ['false', (call, entry, scope) => ({ ...record(call, entry, scope), success: NEVER })],
]);

function succeed(call: Call, entry: Histories, scope: Scope): Outcome {
  return { ...record(call, entry, scope), failure: NEVER };
}

function runEval(call: Call, entry: Histories, scope: Scope): Outcome {
  const words = call.words.slice(1);
  if (words.some((word) => word.kind === 'unknown')) return record(call, entry, scope);
  const code = words.map(textOf).join(' ');
  return runCode({ code }, call, entry, scope) ?? record(call, entry, scope);
}

function declare(call: Call, entry: Histories, scope: Scope): Outcome {
  const { step, success, failure } = record(call, entry, scope);
  const [, ...words] = call.words;
  if (constantOf(call.words[0]) !== 'export' && words.some((word) => /^-\w*[lnu]/.test(textOf(word)))) {
    const names = words.flatMap((word) => textOf(word).split('='));
    scope.transformed = new Set([...scope.transformed, ...names]);
  }
  const assignments = words.flatMap((word) => assignmentIn(word) ?? []);
  for (const { name, value } of assignments) assign(scope, step, name, constantOf(value));
  // Declaring with a value succeeds even where the value comes from a failing substitution.
  return { success, failure: assignments.length > 0 ? NEVER : failure };
}

/** Their values come from elsewhere, so every name they mention is no longer known. */
function forget(call: Call, entry: Histories, scope: Scope): Outcome {
  const { step, success, failure } = record(call, entry, scope);
  for (const word of call.words.slice(1)) {
    const [name = ''] = textOf(word).split('=', 1);
    if (scope.variables.has(name)) assign(scope, step, name, undefined);
  }
  return { success, failure };
}

/** An alias is a function whose body is its text. Where a shell expands none, such a command does not exist. */
function defineAliases(call: Call, entry: Histories, scope: Scope): Outcome {
  for (const word of call.words.slice(1)) {
    const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(constantOf(word) ?? '') ?? [];
    const { commands, errors = [] } = parse(`${text} "$@"`);
    if (errors.length === 0) scope.functions = new Map([...scope.functions, [name, commands]]);
  }
  return record(call, entry, scope);
}

function setModes(call: Call, entry: Histories, scope: Scope): Outcome {
  const { step, success } = record(call, entry, scope);
  const queue = call.words.slice(1);
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    const text = textOf(word);
    if (!/^[-+]/.test(text) || text === '--') {
      scope.positional = changed(scope.positional, step, [text === '--' ? queue : [word, ...queue]]);
      break;
    }
    const named = text.endsWith('o') ? constantOf(queue.shift()) : undefined;
    const on = text.startsWith('-');
    if (text.includes('e') || named === 'errexit') scope.errexit = changed(scope.errexit, step, [on]);
    if (named === 'pipefail') scope.pipefail = changed(scope.pipefail, step, [on]);
  }
  return { success, failure: NEVER };
}

function shift(call: Call, entry: Histories, scope: Scope): Outcome {
  const { step, success, failure } = record(call, entry, scope);
  const args = argumentsAt(entry, scope);
  const count = Number(call.words[1] === undefined ? 1 : constantOf(call.words[1]));
  const shifted = args?.slice(0, count) ?? [];
  const isPossible = shifted.length === count && shifted.every(({ kind }) => kind === 'known');
  scope.positional = changed(scope.positional, step, [isPossible ? args?.slice(count) : undefined]);
  return { success, failure: isPossible ? NEVER : failure };
}

function leaveShell(call: Call, entry: Histories, scope: Scope): Outcome {
  const isReturn = constantOf(call.words[0]) === 'return';
  const { success } = record(call, entry, scope);
  const status = constantOf(call.words[1]);
  leave(nearestFrame(scope.frame, isReturn ? ['function', 'shell'] : ['shell']), {
    success: status === undefined || status === '0' ? success : NEVER,
    failure: status === '0' ? NEVER : success,
  });
  return { success: NEVER, failure: NEVER };
}

function leaveLoop(call: Call, entry: Histories, scope: Scope): Outcome {
  const { success } = record(call, entry, scope);
  for (let frame: Frame | undefined = scope.frame; frame?.kind === 'loop'; frame = frame.parent) {
    leave(frame, { success, failure: NEVER });
  }
  return { success: NEVER, failure: NEVER };
}

function changeDirectory(call: Call, entry: Histories, scope: Scope): Outcome {
  const name = constantOf(call.words[0]);
  const before = valuesAt(scope.cwd, entry);
  const known = valuesAt(scope.directoryStack, entry);
  const stacks = known.length > MOST_DIRECTORIES ? [[[undefined]]] : known;
  const to =
    name === 'popd' ? stacks.flatMap((stack) => stack.at(-1) ?? [undefined]) : targetOf(call, entry, scope);
  const { step, success, failure } = record(call, entry, scope);
  scope.cwd = changed(scope.cwd, step, to.length > MOST_DIRECTORIES ? [undefined] : to);
  assign(scope, step, 'OLDPWD', before.length === 1 ? before[0] : undefined);
  if (name !== 'cd') {
    const after = stacks.map((stack) => (name === 'pushd' ? [...stack, before] : stack.slice(0, -1)));
    scope.directoryStack = changed(scope.directoryStack, step, after);
  }
  return { success, failure };
}

function targetOf(call: Call, entry: Histories, scope: Scope): Options {
  const operand = call.words.slice(1).find((word) => !/^-./.test(textOf(word)));
  if (operand === undefined) return [variableValue('HOME', entry, scope)];
  const path = constantOf(operand);
  if (path === '-') return [variableValue('OLDPWD', entry, scope)];
  if (path === undefined || path.startsWith('+')) return [undefined];
  const before = valuesAt(scope.cwd, entry);
  // In a loop, a relative step from a place that is not sure can be taken again and again.
  if (scope.loops > 0 && !path.startsWith('/') && before.length > 1) return [undefined];
  return resolveFrom(before, path);
}
