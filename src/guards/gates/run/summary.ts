import type { Iteration } from '../execution-state';
import type { GauntletStatus } from '../status';
import { plural } from './messages';

/** What a run came to, for its last block of lines. */
export interface Summary {
  readonly status: GauntletStatus;
  /** What was settled in this session, run by run. */
  readonly iterations: readonly Iteration[];
  /** Gates that did not pass. */
  readonly failed: number;
  /** Which run of the session this was. */
  readonly attempt: number;
}

const RULE = '─'.repeat(60);

/** The block that ends a run; agents wait for its `Status:` line. */
export function summaryLines({ status, iterations, failed, attempt }: Summary): readonly string[] {
  const busy = iterations.filter(({ activity }) => activity.length > 0);
  const settled = busy.flatMap(({ activity }) => activity);
  const fixed = settled.filter(({ what }) => what === 'fixed').length;
  const after = attempt > 1 ? ` after ${plural(attempt, 'iteration')}` : '';
  return [
    RULE,
    'RESULTS SUMMARY',
    RULE,
    ...busy.flatMap(iterationLines),
    ...(busy.length > 0 ? [RULE] : []),
    `Total: ${fixed} fixed, ${settled.length - fixed} skipped, ${failed} failed${after}`,
    `Status: ${statusWord(status)}`,
    RULE,
  ];
}

function iterationLines({ run, activity }: Iteration): readonly string[] {
  return [
    `Iteration ${run}:`,
    ...activity.flatMap(({ what, id, who, details, reason }) => {
      const rest = `${id} (${who}) - ${oneLine(details)}`;
      if (what === 'fixed') return [`  ✓ Fixed: ${rest}`];
      return [`  ⊘ Skipped: ${rest}`, ...(reason === undefined ? [] : [`    Reason: ${oneLine(reason)}`])];
    }),
  ];
}

function statusWord(status: GauntletStatus): string {
  switch (status) {
    case 'passed':
    case 'no_changes':
    case 'no_applicable_gates':
      return 'Passed';
    case 'passed_with_warnings':
      return 'Passed with warnings';
    case 'failed':
      return 'Failed';
    case 'retry_limit_exceeded':
      return 'Retry limit exceeded';
    case 'lock_exists':
    case 'lock_conflict':
    case 'infrastructure_error':
    case 'error':
    case 'no_config':
    case 'stop_hook_active':
    case 'stop_hook_disabled':
    case 'interval_not_elapsed':
    case 'invalid_input':
      return 'Error';
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
