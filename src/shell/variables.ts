import { constantOf, type Word } from './command';
import type { Scope } from './scope';
import { changed, timeline, valuesAt } from './timeline';
import type { Worlds } from './worlds';

/** The value of a variable or positional parameter, where there is exactly one it can have. */
export function variableValue(name: string, worlds: Worlds, scope: Scope): string | undefined {
  if (name === 'PWD') return only(valuesAt(scope.cwd, worlds));
  if (isPosition(name)) return constantOf(scope.positional?.[Number(name) - 1]);
  const variable = scope.variables.get(name);
  return variable === undefined ? undefined : only(valuesAt(variable, worlds));
}

export function assign(scope: Scope, step: number, name: string, value: string | undefined): void {
  const variables = new Map(scope.variables);
  variables.set(name, changed(variables.get(name) ?? timeline<string | undefined>(undefined), step, [value]));
  scope.variables = variables;
}

/** `name=value` as a word of a command, taken apart. */
export function assignmentIn(word: Word): { name: string; value: Word } | undefined {
  const text = word.kind === 'known' ? word.value : word.text;
  const sign = text.indexOf('=');
  if (sign < 1 || !isName(text.slice(0, sign))) return undefined;
  const rest = text.slice(sign + 1);
  return {
    name: text.slice(0, sign),
    value: word.kind === 'known' ? { kind: 'known', value: rest } : { kind: 'unknown', text: rest },
  };
}

export function isName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}

function only(values: readonly (string | undefined)[]): string | undefined {
  return values.length === 1 ? values[0] : undefined;
}

function isPosition(name: string): boolean {
  return name.length === 1 && name >= '1' && name <= '9';
}
