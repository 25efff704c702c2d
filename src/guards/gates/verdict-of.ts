import type { Failure } from '../../core/failure';
import type { outcome, Step } from '../../core/old-guard';
import type { Grounds, Report } from '../../core/verdict';
import type { GatesConfig } from './config';
import { holdText } from './hold-text';
import * as say from './messages';
import { errorReport, reportOf } from './report';
import type { GateResult, RunResult } from './run-result';
import { isBlockingStatus } from './status';

/** What a run means for the end of the turn. `verifies` tells whether the next stop of the turn is looked at too. */
export function verdictOf(result: RunResult, config: GatesConfig, verifies: boolean): Step {
  const { status, killed } = result;
  const report = reportOn(result);
  const troubles: Failure[] = [
    ...(killed === undefined ? [] : [trouble(killed)]),
    ...(isUnwell(result) && status !== 'retry_limit_exceeded' ? [trouble(result.message)] : []),
  ];
  const step = (verdict: Parameters<typeof outcome>[0]): Step => {
    return { kind: 'outcome', verdict, changes: [], troubles };
  };
  const grounds = result.gates.filter(isBad).map((gate) => groundsFor(gate, config));
  if (isBlockingStatus(status)) {
    return step({ kind: 'hold', reason: holdText(result, verifies), report, grounds });
  }
  // Let go although not everything is well: the person hears of it, not only whoever reads the report.
  const told = killed ?? (isUnwell(result) ? report.message : undefined);
  if (told === undefined) return step({ kind: 'nothing', report });
  return step({ kind: 'advise', toPerson: told, report, grounds });
}

function reportOn({ status, message }: RunResult): Report {
  switch (status) {
    case 'failed':
      return reportOf(status, say.gauntletFailed(message));
    case 'retry_limit_exceeded':
      return reportOf(status, say.limitExceeded(message));
    case 'error':
      return errorReport(message);
    case 'passed':
      return reportOf(status, say.gauntletPassed(message));
    case 'passed_with_warnings':
    case 'no_applicable_gates':
    case 'no_changes':
    case 'lock_exists':
    case 'lock_conflict':
    case 'infrastructure_error':
    case 'no_config':
    case 'stop_hook_active':
    case 'stop_hook_disabled':
    case 'interval_not_elapsed':
    case 'invalid_input':
      return reportOf(status, message);
  }
}

function isUnwell({ status }: RunResult): boolean {
  return ['error', 'infrastructure_error', 'retry_limit_exceeded'].includes(status);
}

function trouble(text: string): Failure {
  return { code: 'effect.failed', guard: 'gates', detail: text.split('\n', 1)[0] ?? '' };
}

function isBad({ status }: GateResult): boolean {
  return status === 'fail' || status === 'error';
}

function groundsFor(gate: GateResult, config: GatesConfig): Grounds {
  const place = placeOf(gate.id, config);
  return {
    rule: gate.id,
    ...(place !== undefined && { place }),
    fact: gate.log === undefined ? gate.message : `${gate.message}; see ${gate.log}`,
    clear: say.clears(config.home),
    waive: say.WAIVER,
  };
}

/** An id is made of the kind, the entry point and the name, and all but the first may have colons in them. */
function placeOf(id: string, { checks, reviews }: GatesConfig): string | undefined {
  const named = id.startsWith('check:') ? checks : reviews;
  const fits = named.filter(({ name }) => id.endsWith(`:${name}`));
  return fits.sort((a, b) => b.name.length - a.name.length)[0]?.place;
}
