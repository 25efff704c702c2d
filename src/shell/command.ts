import type { Possible } from '../core/command-effects';

/** One word after expansion. What depends on the machine (a variable, a glob) keeps only its text. */
export type Word =
  | { readonly kind: 'known'; readonly value: string }
  | { readonly kind: 'unknown'; readonly text: string };

/** A redirection that opens a file; duplicated descriptors and here-documents are left out. */
export interface FileRedirection {
  readonly operator: '>' | '>>' | '>|' | '<>' | '<' | '&>' | '&>>';
  readonly target: Word;
}

export interface EnvironmentEntry {
  readonly name: string;
  readonly value: Word;
}

/** A command in command position. Its name is empty where there is nothing but redirections or assignments. */
export interface SimpleCommand {
  readonly name: Word;
  readonly args: readonly Word[];
  readonly assignments: readonly EnvironmentEntry[];
  readonly redirections: readonly FileRedirection[];
  /** Where it stands in the text; for code inside a quoted argument, where its carrier stands. */
  readonly at: { readonly start: number; readonly end: number };
  /** Whether every way through the line reaches it. */
  readonly condition: 'always' | 'maybe';
  /** True when a line that exits with 0 must have run it with success. */
  readonly certain: boolean;
  /** The directory it runs in. */
  readonly cwd: Possible<string>;
}

export function knownWord(value: string): Word {
  return { kind: 'known', value };
}

export function textOf(word: Word): string {
  return word.kind === 'known' ? word.value : word.text;
}

/** The value of a word that is known. */
export function constantOf(word: Word | undefined): string | undefined {
  return word?.kind === 'known' ? word.value : undefined;
}
