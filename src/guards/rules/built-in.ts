import type { Rule } from '../../api';
import { conventionalCommits } from './built-in/conventional-commits';
import { noGeneratedEdits } from './built-in/no-generated-edits';
import { noNewDependencies } from './built-in/no-new-dependencies';
import { noSecrets } from './built-in/no-secrets';
import { smallCommits } from './built-in/small-commits';
import { testsWithSources } from './built-in/tests-with-sources';

export interface BuiltInRule extends Rule {
  /** It reads earlier calls, which are stored only then. */
  readonly usesHistory?: true;
}

/** The rules that come with Holdpoint, off until the config names them. */
export const BUILT_IN: readonly BuiltInRule[] = [
  noSecrets,
  { ...testsWithSources, usesHistory: true },
  noGeneratedEdits,
  conventionalCommits,
  noNewDependencies,
  { ...smallCommits, usesHistory: true },
];

export function builtIn(name: string): Rule {
  const rule = BUILT_IN.find((one) => one.name === name);
  if (rule === undefined) throw new Error(`there is no built-in rule ${name}`);
  return rule;
}
