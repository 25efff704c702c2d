import type { GauntletStatus } from '../../guards/gates/report';
import type { ExitCode } from '../verb';

/** 0 nothing stands in the way, 1 a gate said no, 2 no answer could be had, 3 another run is going on. */
export function exitCodeOf(status: GauntletStatus): ExitCode {
  switch (status) {
    case 'passed':
    case 'passed_with_warnings':
    case 'no_applicable_gates':
    case 'no_changes':
      return 0;
    case 'failed':
    case 'retry_limit_exceeded':
      return 1;
    case 'lock_exists':
    case 'lock_conflict':
      return 3;
    case 'infrastructure_error':
    case 'error':
    case 'no_config':
    case 'stop_hook_active':
    case 'stop_hook_disabled':
    case 'interval_not_elapsed':
    case 'invalid_input':
      return 2;
  }
}
