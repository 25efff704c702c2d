import type { Mode } from '../../core/effect-kinds';

/** A file of a rule as JavaScript: without types, and with imports as `require` calls. */
export interface RuleModule {
  readonly file: string;
  readonly code: string;
  /** The index of the imported module in the same source, by import specifier. */
  readonly imports: { readonly [specifier: string]: number };
}

export interface RuleEntry {
  readonly name: string;
  /** For display: relative to the project. */
  readonly file: string;
  /** `file:line:column` of its definition. */
  readonly place: string;
  readonly mode: Mode;
  readonly state: 'on' | 'off' | 'broken';
  /** Why it is broken. */
  readonly why?: string;
  readonly on: readonly string[];
  /** The key of its modules in `sources`; absent for a built-in rule. */
  readonly source?: string;
  /** Its index in what its file exports. */
  readonly index: number;
}

export function filesOf(modules: readonly RuleModule[]): string[] {
  return modules.map(({ file }) => file);
}

/** The compiled rules section. Plain data, since the compiled config is stored as JSON. */
export type RulesConfig = {
  readonly rules: readonly RuleEntry[];
  /** The modules of each rule file, itself first, by a digest of their texts. */
  readonly sources: { readonly [digest: string]: readonly RuleModule[] };
  /** Whether any rule reads earlier calls, which are stored only then. */
  readonly history: boolean;
};
