import { type EnvironmentEntry, type FileRedirection, knownWord, type Word } from './command';
import type { Scope } from './scope';
import { valuesAt } from './timeline';
import { variableValue } from './variables';
import { failed, type Outcome, succeeded, type Worlds } from './worlds';

/** A command about to be run: its words are expanded, wrappers may still be around it. */
export interface Call {
  readonly words: readonly Word[];
  readonly assignments: readonly EnvironmentEntry[];
  readonly redirections: readonly FileRedirection[];
  /** What is fed to it by a here-document or here-string. */
  readonly input: Word | undefined;
  readonly at: { readonly start: number; readonly end: number };
}

/** Variables that change what git does, also when set by an earlier command. */
const INHERITED = ['GIT_DIR', 'GIT_WORK_TREE'];

/** Records a command; `step` in the answer is its place in the order of execution. */
export function record(call: Call, entry: Worlds, scope: Scope): Outcome & { readonly step: number } {
  const step = scope.trace.nextStep++;
  scope.trace.steps.push({
    id: step,
    words: call.words,
    assignments: [...inherited(entry, scope), ...call.assignments],
    redirections: call.redirections,
    input: call.input,
    at: scope.carrier ?? call.at,
    worlds: entry,
    cwd: valuesAt(scope.cwd, entry),
  });
  return { step, success: succeeded(entry, step), failure: failed(entry, step) };
}

function inherited(entry: Worlds, scope: Scope): readonly EnvironmentEntry[] {
  return INHERITED.filter((name) => scope.variables.has(name)).map((name) => {
    const value = variableValue(name, entry, scope);
    return { name, value: value === undefined ? { kind: 'unknown', text: `$${name}` } : knownWord(value) };
  });
}
