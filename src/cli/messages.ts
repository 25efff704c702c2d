import { nearest } from '../config/diagnostics';
import { Refusal } from './context';

/** A usage error, followed by how to get help. `words` is the full command. */
export function usageError(words: string, detail: string, help = '--help'): string {
  return `${words}: ${detail}\nTry '${words} ${help}'.`;
}

export function unexpectedArgument(words: string, extra: string): string {
  return usageError(words, `unexpected argument '${extra}'.`);
}

export const NO_RULE_IN_EFFECT = 'No rule is in effect: fix the config first.';

/** Suggests the nearest known name, or lists all of them. */
export function hintFor(name: string, known: readonly string[], near = nearest(name, known)): string {
  return near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean '${near}'?`;
}

export function noSuchRule(
  words: string,
  name: string,
  known: readonly string[],
  problems: readonly string[] = [],
): Refusal {
  const none = problems.length === 0 ? 'This project has no rules yet.' : NO_RULE_IN_EFFECT;
  const hint = known.length === 0 ? none : hintFor(name, known);
  return new Refusal(`${words}: no rule '${name}' in this project. ${hint}`);
}

export function unknownName(flag: string, name: string, known: readonly string[]): string {
  return `${flag}: unknown value '${name}'. ${hintFor(name, known)}`;
}

export function valueMissing(flag: string): string {
  return `${flag} needs a value. For one that begins with a dash, write '${flag}=VALUE'.`;
}

export function internalError(detail: string, report: string | undefined): string {
  const text = `holdpoint: internal error: ${detail}`;
  return report === undefined ? text : `${text}\nPlease report it and attach ${report}`;
}

/** The words that `holdpoint log` uses for decisions. */
export const DECISIONS = {
  nothing: 'allowed',
  advise: 'advised',
  hold: 'held',
  ask: 'asked',
  deny: 'held',
} as const;

export const NO_DIRECTORY =
  'holdpoint: the current directory no longer exists or cannot be read. Change to another one and try again.';

export const NO_PROJECT = `Not in a git repository
Holdpoint keeps its state in the git directory; change into a repository, or create .holdpoint/ at the project's root.`;
