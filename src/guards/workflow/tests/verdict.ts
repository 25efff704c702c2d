import type { Effects, TestRun } from '../../../core/command-effects';
import type { EventOf } from '../../../core/event';
import { type Counts, countsIn, coverageIn } from './counts';
import { errorLine, normalisedError, withoutColours } from './error-line';

/** How a run of tests ended. */
export type TestVerdict = {
  readonly result: 'passed' | 'failed' | 'inconclusive';
  readonly runner: string;
  readonly counts?: Counts;
  /** Percent. */
  readonly coverage?: number;
  /** The telling line as it was printed; empty unless it failed. */
  readonly shown: string;
  /** The same in the form in which equal failures look alike. */
  readonly error: string;
};

const MOST_OUTPUT = 256 * 1024;

/**
 * The verdict on the tests that a command has run; `undefined` where it ran none, or has only been started.
 * How the command ended comes first, then the numbers that the runner printed; nothing else is read into
 * the output.
 */
export function testVerdict(event: EventOf<'tool.after'>, effects: Effects): TestVerdict | undefined {
  const run = effects.tests.find(({ certain }) => certain) ?? effects.tests[0];
  if (run === undefined || isOnlyStarted(event)) return undefined;
  const output = outputOf(event);
  const counts = countsIn(output);
  const coverage = coverageIn(output);
  const result = resultOf(event, run, counts);
  const shown = result === 'failed' ? shownError(event, output, counts) : '';
  return {
    result,
    runner: run.runner,
    ...(counts !== undefined && { counts }),
    ...(coverage !== undefined && { coverage }),
    shown,
    error: normalisedError(shown),
  };
}

/** What was sent to the background has not ended yet. */
function isOnlyStarted({ outcome, call }: EventOf<'tool.after'>): boolean {
  return outcome === 'unknown' && call.background === true;
}

function outputOf({ response, error }: EventOf<'tool.after'>): string {
  const text = [response.text, error].filter((part) => part !== undefined && part !== '').join('\n');
  return withoutColours(text.length > MOST_OUTPUT ? text.slice(-MOST_OUTPUT) : text);
}

function resultOf(
  { outcome, interrupted, call: { command = '' } }: EventOf<'tool.after'>,
  { certain }: TestRun,
  counts: Counts | undefined,
): TestVerdict['result'] {
  if (interrupted === true) return 'inconclusive';
  if (counts !== undefined && counts.failed > 0) return 'failed';
  if (counts !== undefined && counts.passed + counts.skipped === 0) {
    return outcome === 'failure' ? 'failed' : 'inconclusive';
  }
  // Where other commands stand beside them, the tests may have passed and something else failed.
  if (outcome === 'failure') return counts !== undefined && isChain(command) ? 'inconclusive' : 'failed';
  if (outcome === 'success' && certain) return 'passed';
  return counts === undefined || mayPretend(command) ? 'inconclusive' : 'passed';
}

/** Where the tests' own status is lost, numbers count only if nothing else in the line can have printed them. */
function mayPretend(command: string): boolean {
  return /\b(?:echo|printf|cat|sed|awk|gawk|perl|python\d?|node -\w|tr|cut|print)\b/.test(command);
}

function isChain(command: string): boolean {
  return /[;&|\n]/.test(command.replace(/\d?>&\d|'[^']*'|"[^"]*"/g, ''));
}

function shownError(event: EventOf<'tool.after'>, output: string, counts: Counts | undefined): string {
  const line = errorLine(output);
  if (line !== '') return line;
  if (counts !== undefined && counts.failed > 0) return `${counts.failed} failed, ${counts.passed} passed`;
  return (event.error ?? '').split('\n', 1)[0]?.slice(0, 299) || 'the command failed';
}
