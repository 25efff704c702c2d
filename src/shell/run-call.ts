import { type Call, record } from './call';
import { constantOf, type Word } from './command';
import { changeDirectory } from './directories';
import { parseLine } from './parsing';
import { baseName, resolveFrom } from './paths';
import { frameIn, leave, nearestFrame, type Scope, subshell, withLeavers } from './scope';
import { codeForShell, SHELLS, type ShellCode } from './shell-code';
import { builtinNamed } from './shell-state';
import { changed, timeline, valuesAt } from './timeline';
import { NEVER, type Outcome, type Worlds } from './worlds';
import { type Wrapped, wrappedIn } from './wrappers';

const MOST_DEPTH = 8;

/** Runs a command in thought: into functions, wrappers and constant code as far as they can be followed. */
export function runCall(call: Call, entry: Worlds, scope: Scope): Outcome {
  const name = constantOf(call.words[0]);
  const body = name === undefined ? undefined : scope.functions.get(name);
  if (body === undefined || scope.depth >= MOST_DEPTH) return runProgram(call, entry, scope);
  const outer = { frame: scope.frame, positional: scope.positional };
  scope.frame = frameIn(outer.frame, 'function');
  scope.positional = call.words.slice(1);
  scope.depth++;
  const outcome = withLeavers(
    scope.walkBody(body, recordRedirections(call, entry, scope), scope),
    scope.frame,
  );
  scope.depth--;
  Object.assign(scope, outer);
  return outcome;
}

function runProgram(call: Call, entry: Worlds, scope: Scope): Outcome {
  const name = constantOf(call.words[0]);
  if (name === undefined || scope.depth >= MOST_DEPTH) return record(call, entry, scope);
  const builtin = changeDirectory(name, call, entry, scope) ?? builtinNamed(name)?.(call, entry, scope);
  if (builtin !== undefined) return builtin;
  if (name === 'eval') return runEval(call, entry, scope);
  const program = baseName(name);
  if (SHELLS.has(program)) {
    const code = codeForShell(call.words.slice(1), call.input);
    return (code && runCode(code, call, entry, subshell(scope))) ?? record(call, entry, scope);
  }
  const inner = program === 'git' ? [] : wrappedIn(call.words);
  if (inner.length === 0) return record(call, entry, scope);
  return runWrapped(inner, program, call, entry, scope);
}

function runEval(call: Call, entry: Worlds, scope: Scope): Outcome {
  const words = call.words.slice(1);
  if (words.some((word) => word.kind === 'unknown')) return record(call, entry, scope);
  const code = words.map((word) => constantOf(word)).join(' ');
  const plain = { code, positional: scope.positional ?? [], errexit: false, pipefail: false };
  return runCode(plain, call, entry, scope) ?? record(call, entry, scope);
}

/** `undefined` where the code does not parse. */
function runCode(code: ShellCode, call: Call, entry: Worlds, scope: Scope): Outcome | undefined {
  const script = parseLine(code.code, scope.trace.loadParser);
  if (script.kind === 'unparsable') return undefined;
  const outer = { carrier: scope.carrier, positional: scope.positional };
  const before = recordRedirections(call, entry, scope);
  scope.carrier ??= call.at;
  scope.positional = code.positional;
  if (code.errexit) scope.errexit = timeline(true);
  if (code.pipefail) scope.pipefail = timeline(true);
  scope.depth++;
  const isOwnShell = scope.frame.kind === 'shell' && scope.frame.parent === undefined;
  const outcome = scope.walkList(script.statements, before, scope);
  scope.depth--;
  Object.assign(scope, outer);
  return isOwnShell && constantOf(call.words[0]) !== 'eval' ? withLeavers(outcome, scope.frame) : outcome;
}

function runWrapped(
  inner: readonly Wrapped[],
  program: string,
  call: Call,
  entry: Worlds,
  scope: Scope,
): Outcome {
  let outcome: Outcome = { success: entry, failure: NEVER };
  if (program === 'find') outcome = record(call, entry, scope);
  for (const each of inner) {
    const from = program === 'find' ? entry : outcome.success;
    const result = runInner(each, call, from, inside(each, entry, scope, program));
    outcome = each.maybe ? { success: entry, failure: entry } : result;
  }
  if (program !== 'exec') return outcome;
  leave(nearestFrame(scope.frame, ['shell']), outcome);
  return { success: NEVER, failure: NEVER };
}

/** What an external wrapper runs cannot change this shell; `command` and `builtin` stay in it. */
function inside(each: Wrapped, entry: Worlds, scope: Scope, program: string): Scope {
  if (program === 'command' || program === 'builtin') return scope;
  const own = subshell(scope);
  if (program === 'exec') own.frame = scope.frame;
  if (each.kind === 'command' && each.directory !== undefined) {
    own.cwd = timeline(...resolveFrom(valuesAt(scope.cwd, entry), constantOf(each.directory)));
  }
  return own;
}

function runInner(each: Wrapped, call: Call, entry: Worlds, scope: Scope): Outcome {
  if (each.kind === 'code') {
    const code = constantOf(each.code);
    const plain = { positional: [], errexit: false, pipefail: false };
    const outcome = code === undefined ? undefined : runCode({ code, ...plain }, call, entry, scope);
    return outcome ?? record(call, entry, scope);
  }
  const assignments = [...call.assignments, ...each.assignments];
  const next: Call = { ...call, words: each.words, assignments };
  scope.depth++;
  const outcome = runProgram(next, entry, scope);
  scope.depth--;
  return outcome;
}

const NAMELESS: Word = { kind: 'known', value: '' };

/** The files that a function's or a script's call opens, before anything in it runs. */
function recordRedirections(call: Call, entry: Worlds, scope: Scope): Worlds {
  if (call.redirections.length === 0) return entry;
  return record({ ...call, words: [NAMELESS], assignments: [] }, entry, scope).success;
}

/** Assignments that stand alone change variables of this shell. */
export function runAssignments(call: Call, entry: Worlds, scope: Scope, canFail: boolean): Outcome {
  const { step, success } = record({ ...call, words: [NAMELESS] }, entry, scope);
  const variables = new Map(scope.variables);
  for (const { name, value } of call.assignments) {
    const before = variables.get(name) ?? timeline<string | undefined>(undefined);
    variables.set(name, changed(before, step, [constantOf(value)]));
  }
  scope.variables = variables;
  // A failing substitution fails the line, yet the assignment is made.
  return { success, failure: canFail ? success : NEVER };
}
