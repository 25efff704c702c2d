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
