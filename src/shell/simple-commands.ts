import { knownWord, type SimpleCommand } from './command';
import { type LoadParser, parseLine } from './parsing';
import { possibleOf } from './possible';
import type { Step, Trace } from './scope';
import { walkText } from './walk';
import { type Outcome, ranEverywhere, succeededEverywhere } from './worlds';

/** Beyond these a line is not read: no command of a person or an agent comes near. */
const MOST_CHARACTERS = 64 * 1024;
const MOST_PARTS = 2000;

/** Where a line starts: an absolute directory, and the home directory if it is known. */
export interface Surroundings {
  readonly cwd: string;
  readonly home?: string | undefined;
  readonly loadParser: LoadParser;
  readonly repositoryAt?: Trace['repositoryAt'];
}

export type Walked =
  | { readonly kind: 'walked'; readonly steps: readonly Step[]; readonly outcome: Outcome }
  | { readonly kind: 'unparsable'; readonly why: string };

export type ParseResult =
  | { readonly kind: 'parsed'; readonly commands: readonly SimpleCommand[] }
  | { readonly kind: 'unparsable'; readonly why: string };

/**
 * Every command in command position, in the order of execution. A function's body counts where the
 * function is called, code in a constant text where it is run; a loop's body may show up twice.
 */
export function simpleCommands(text: string, start: Surroundings): ParseResult {
  const walked = walkLine(text, start);
  if (walked.kind === 'unparsable') return walked;
  const commands = walked.steps.map((step) => commandOf(step, walked.outcome));
  return { kind: 'parsed', commands: withoutRepeats(commands) };
}

export function walkLine(text: string, start: Surroundings): Walked {
  if (text.length > MOST_CHARACTERS) return { kind: 'unparsable', why: 'it is too long' };
  const trace: Trace = {
    steps: [],
    nextStep: 0,
    budget: MOST_PARTS,
    trouble: undefined,
    repositoryAt: start.repositoryAt,
    loadParser: start.loadParser,
  };
  const script = parseLine(text, start.loadParser);
  if (script.kind === 'unparsable') return script;
  const outcome = walkText(script.statements, start.cwd, start.home, trace);
  if (trace.trouble !== undefined) return { kind: 'unparsable', why: trace.trouble };
  return { kind: 'walked', steps: trace.steps, outcome };
}

export function commandOf(step: Step, outcome: Outcome): SimpleCommand {
  const [name, ...args] = step.words;
  return {
    name: name ?? knownWord(''),
    args,
    assignments: step.assignments,
    redirections: step.redirections,
    at: step.at,
    condition: ranEverywhere([...outcome.success, ...outcome.failure], step.id) ? 'always' : 'maybe',
    certain: succeededEverywhere(outcome.success, step.id),
    cwd: possibleOf(step.cwd),
  };
}

/** A second round of a loop that is no different from the first adds nothing. */
export function withoutRepeats<T>(items: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = JSON.stringify(item);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
