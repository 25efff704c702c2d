import type { Report } from '../../core/verdict';

const ICONS = {
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

/** How a run of the gates, or an attempt to start one, ended. */
export type GauntletStatus = keyof typeof ICONS;

export function isPass(status: GauntletStatus): boolean {
  return status === 'passed' || status === 'passed_with_warnings';
}

/** A status with its sentence, as agent-gauntlet's stop hook prints it. */
export function reportOf(status: GauntletStatus, sentence: string): Report {
  return { status, message: `${ICONS[status]} ${sentence}` };
}

export function errorReport(detail: string): Report {
  return reportOf('error', `Stop hook error — ${detail}`);
}

/** This stop follows a held one and is not checked again. */
export function activeReport(): Report {
  const sentence = 'Stop hook already active — the stop is allowed, to prevent an infinite loop.';
  return reportOf('stop_hook_active', sentence);
}

/** `by` names the setting or variable that disables the stop hook. */
export function disabledReport(by: string): Report {
  return reportOf('stop_hook_disabled', `Stop hook is disabled (${by}); the gates were not run.`);
}
