import { type Call, record } from './call';
import { constantOf, textOf } from './command';
import { resolveFrom } from './paths';
import type { Options } from './possible';
import type { Scope } from './scope';
import { changed, valuesAt } from './timeline';
import { assign, variableValue } from './variables';
import type { Outcome, Worlds } from './worlds';

/** Beyond so many possibilities a place is simply unknown; else every `cd` could double them. */
const MOST_PLACES = 8;

/** `cd`, `pushd` and `popd`; `undefined` for every other command. */
export function changeDirectory(name: string, call: Call, entry: Worlds, scope: Scope): Outcome | undefined {
  if (name !== 'cd' && name !== 'pushd' && name !== 'popd') return undefined;
  const before = valuesAt(scope.cwd, entry);
  const stacks = fewStacks(valuesAt(scope.directoryStack, entry));
  const to =
    name === 'popd'
      ? stacks.flatMap((stack) => stack.at(-1) ?? [undefined])
      : target(call, entry, scope, before);
  const { step, success, failure } = record(call, entry, scope);
  scope.cwd = changed(scope.cwd, step, few(to));
  assign(scope, step, 'OLDPWD', before.length === 1 ? before[0] : undefined);
  if (name === 'pushd')
    scope.directoryStack = changed(
      scope.directoryStack,
      step,
      stacks.map((stack) => [...stack, before]),
    );
  if (name === 'popd')
    scope.directoryStack = changed(
      scope.directoryStack,
      step,
      stacks.map((stack) => stack.slice(0, -1)),
    );
  return { success, failure };
}

function few(options: Options): Options {
  return options.length > MOST_PLACES ? [undefined] : options;
}

function fewStacks(stacks: readonly (readonly Options[])[]): readonly (readonly Options[])[] {
  return stacks.length > MOST_PLACES ? [[[undefined]]] : stacks;
}

function target(call: Call, entry: Worlds, scope: Scope, before: Options): Options {
  const [operand] = call.words.slice(1).filter((word) => {
    const text = textOf(word);
    return text === '-' || !text.startsWith('-');
  });
  if (operand === undefined) return [variableValue('HOME', entry, scope)];
  const path = constantOf(operand);
  if (path === '-') return [variableValue('OLDPWD', entry, scope)];
  if (path === undefined || path.startsWith('+')) return [undefined];
  // In a loop, a relative step from a place that is not sure can be taken again and again.
  if (scope.loops > 0 && !path.startsWith('/') && before.length > 1) return [undefined];
  return resolveFrom(before, path);
}
