import type { Rule } from '../../api';

/** The rules that come with Holdpoint, off until the config names them. */
export const BUILT_IN: readonly Rule[] = [];

export function builtIn(name: string): Rule {
  const rule = BUILT_IN.find((one) => one.name === name);
  if (rule === undefined) throw new Error(`there is no built-in rule ${name}`);
  return rule;
}
