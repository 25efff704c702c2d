import { withEnvironment } from '../guards/gates/config';
import { disabledReport, errorReport, type GauntletStatus } from '../guards/gates/report';
import type { EventContext } from './context';
import type { Answer, Decision } from './decision';
import type { Failure } from './failure';
import { sentenceOf } from './messages';
import type { Report } from './verdict';

/** Nobody wants to hear of these at every stop. */
const QUIET: readonly GauntletStatus[] = ['no_config', 'stop_hook_active', 'stop_hook_disabled'];
/** Nothing was run where something could have been. */
const SKIPS: readonly GauntletStatus[] = [
  'interval_not_elapsed',
  'lock_exists',
  'lock_conflict',
  'stop_hook_disabled',
];

/** What the gates' own command says: always one line, with a reason only where the stop is refused. */
export function stopHookAnswer(
  { status, message }: Report,
  reason?: string,
  notes: readonly string[] = [],
): Answer {
  const isAmong = (list: readonly string[]): boolean => list.includes(status);
  const line = {
    decision: reason === undefined ? 'approve' : 'block',
    status,
    message,
    ...(reason !== undefined && { reason, stopReason: reason }),
    ...(!isAmong(QUIET) && { systemMessage: [message, ...notes].join('\n\n') }),
  };
  return {
    stdout: `${JSON.stringify(line)}\n`,
    stderr: isAmong(SKIPS) ? `holdpoint: ${message}\n` : '',
    exitCode: 0,
    losses: [],
  };
}

/** A decision in the words of the gates' own command. Where the gates had no say, something is broken. */
export function gauntletAnswer(
  scene: EventContext,
  decision: Decision,
  failures: readonly Failure[],
): Answer {
  const report = ('report' in decision && decision.report) || reportWithout(scene, failures);
  const reason = decision.kind === 'hold' ? decision.reason : undefined;
  const notes = decision.toPerson.filter((note) => note !== report.message);
  const answer = stopHookAnswer(report, reason, notes);
  // No session begins here at which somebody would be told of them.
  const warnings = scene.problems.map((problem) => `holdpoint: Warning: ${problem.split('\n', 1)[0]}\n`);
  return { ...answer, stderr: answer.stderr + warnings.join('') };
}

function reportWithout({ env }: EventContext, failures: readonly Failure[]): Report {
  const { enabled } = withEnvironment(
    { enabled: true, intervalMinutes: 0, reverify: false },
    (name) => env[name] ?? '',
  );
  if (!enabled) return disabledReport('stop_hook.enabled');
  return errorReport(failures.map(sentenceOf).join(' ') || 'the gates gave no answer');
}
