import { type Call, record } from './call';
import { constantOf, textOf } from './command';
import { resolveFrom } from './paths';
import type { Options } from './possible';
import type { Scope } from './scope';
import { changed, valuesAt } from './timeline';
import { variableValue } from './variables';
import type { Outcome, Worlds } from './worlds';

/** `cd`, `pushd` and `popd`; `undefined` for every other command. */
export function changeDirectory(name: string, call: Call, entry: Worlds, scope: Scope): Outcome | undefined {
  if (name !== 'cd' && name !== 'pushd' && name !== 'popd') return undefined;
  const before = valuesAt(scope.cwd, entry);
  const to =
    name === 'popd' ? (scope.directoryStack.at(-1) ?? [undefined]) : target(call, entry, scope, before);
  if (name === 'pushd') scope.directoryStack = [...scope.directoryStack, before];
  if (name === 'popd') scope.directoryStack = scope.directoryStack.slice(0, -1);
  const { step, success, failure } = record(call, entry, scope);
  scope.cwd = changed(scope.cwd, step, to);
  return { success, failure };
}

function target(call: Call, entry: Worlds, scope: Scope, before: Options): Options {
  const operands = call.words.slice(1).filter((word) => {
    const text = textOf(word);
    return text === '-' || !text.startsWith('-');
  });
  const [operand] = operands;
  if (operand === undefined) return [variableValue('HOME', entry, scope)];
  const path = constantOf(operand);
  if (path === undefined || path === '-' || path.startsWith('+')) return [undefined];
  const options = resolveFrom(before, path);
  // In a loop, a relative step from a place that is not sure can be taken again and again.
  return scope.loops > 0 && !path.startsWith('/') && before.length > 1 ? [undefined] : options;
}
