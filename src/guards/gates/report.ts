import type { Report } from '../../core/verdict';

/** How an attempt to let the gates decide ended. One union, for runs, the hook and the command line alike. */
export type GauntletStatus =
  | 'passed'
  | 'passed_with_warnings'
  | 'no_applicable_gates'
  | 'no_changes'
  | 'failed'
  | 'retry_limit_exceeded'
  | 'lock_exists'
  | 'lock_conflict'
  | 'infrastructure_error'
  | 'error'
  | 'no_config'
  | 'stop_hook_active'
  | 'stop_hook_disabled'
  | 'interval_not_elapsed'
  | 'invalid_input';

/** Only gates that failed, and may be tried again, keep a turn from ending. */
export function isBlockingStatus(status: GauntletStatus): boolean {
  return status === 'failed';
}

const ICONS: Readonly<Record<GauntletStatus, string>> = {
  passed: '✓',
  passed_with_warnings: '✓',
  no_applicable_gates: '✓',
  no_changes: '✓',
  failed: '✗',
  retry_limit_exceeded: '⚠',
  lock_exists: '⏭',
  lock_conflict: '⏭',
  infrastructure_error: '⚠',
  error: '⚠',
  no_config: '○',
  stop_hook_active: '↺',
  stop_hook_disabled: '○',
  interval_not_elapsed: '⏭',
  invalid_input: '⚠',
};

/** A status with its sentence, in the form that every reader of the gates' answer knows. */
export function reportOf(status: GauntletStatus, sentence: string): Report {
  return { status, message: `${ICONS[status]} ${sentence}` };
}

export function errorReport(detail: string): Report {
  return reportOf('error', `Stop hook error — ${detail}`);
}

export function activeReport(): Report {
  return reportOf(
    'stop_hook_active',
    'Stop hook already active — the stop is allowed, to prevent an infinite loop.',
  );
}

export function disabledReport(by: string): Report {
  return reportOf('stop_hook_disabled', `Stop hook is disabled (${by}); the gates were not run.`);
}
