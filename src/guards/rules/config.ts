import type { Mode } from '../../core/moments';

/** A file of a rule, with its types taken off and its imports as calls of `require`. */
export interface RuleModule {
  readonly file: string;
  readonly code: string;
  /** The modules of the same source that its imports mean, by their place in the list. */
  readonly imports: { readonly [specifier: string]: number };
}

/** One rule, of the user's own or built in. */
export interface RuleEntry {
  readonly name: string;
  /** As people see it: relative to the project. */
  readonly file: string;
  /** `file:line:column` of its definition. */
  readonly place: string;
  readonly mode: Mode;
  readonly state: 'on' | 'off' | 'broken';
  /** Why it is broken. */
  readonly why?: string;
  readonly description?: string;
  readonly on: readonly string[];
  /** The key of its modules in `sources`; absent for a rule that is built in. */
  readonly source?: string;
  /** Its place in what its file exports. */
  readonly index: number;
}

export function filesOf(modules: readonly RuleModule[]): string[] {
  return modules.map(({ file }) => file);
}

/** What the rules compile to. Types, not interfaces: it has to be plain JSON. */
export type RulesConfig = {
  readonly rules: readonly RuleEntry[];
  /** The modules of each file with rules, itself first, by a digest of their texts. */
  readonly sources: { readonly [digest: string]: readonly RuleModule[] };
  /** Whether any rule looks at earlier calls, which are kept only then. */
  readonly history: boolean;
};
