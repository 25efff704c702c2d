import type { GauntletStatus } from '../report';
import type { GateResult } from '../run-result';
import type { LeaseHolder } from './lease';

export const DETECTING = 'Detecting changes...';
export const NO_CHANGES = 'No changes detected.';
export const NO_APPLICABLE_GATES = 'No applicable gates for these changes.';
export const NO_GIT =
  'this is not a git repository, so there is no telling what has changed; run `git init` first';
export const INTERRUPTED = 'Interrupted by a signal';
export const TIME_IS_OVER = 'Not started: the time for this run is over';
export const UNCHANGED = 'nothing that it looks at has changed since it passed';
export const CLEANED_BEFORE = 'Auto-clean: logs of a session that is over were archived.';

const STATUS_TEXTS: Partial<Record<GauntletStatus, string>> = {
  passed: 'All gates passed.',
  passed_with_warnings: 'All gates passed; some findings were skipped, with reasons.',
  no_changes: NO_CHANGES,
  no_applicable_gates: NO_APPLICABLE_GATES,
};

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function foundFiles(count: number): string {
  return `Found ${count} changed files.`;
}

export function runningGates(count: number, mode: 'check' | 'review'): string {
  return `Running ${count} ${mode}(s)...`;
}

export function statusText(status: GauntletStatus, gates: readonly GateResult[]): string {
  const bad = gates.filter((gate) => gate.status === 'fail' || gate.status === 'error');
  const names = bad.map((gate) => gate.id).join(', ');
  if (status === 'failed') return `${plural(bad.length, 'gate')} did not pass: ${names}.`;
  if (status === 'retry_limit_exceeded') {
    return `${plural(bad.length, 'gate')} did not pass in the last run that is allowed: ${names}.`;
  }
  if (status === 'infrastructure_error') return infrastructureText(bad, gates);
  return STATUS_TEXTS[status] ?? status;
}

function infrastructureText(bad: readonly GateResult[], gates: readonly GateResult[]): string {
  const [first = gates.find((gate) => gate.status === 'skipped')] = bad;
  const why = first === undefined ? '' : ` ${first.id}: ${first.message}.`;
  const more = bad.length > 1 ? ` (${plural(bad.length, 'gate')} in all)` : '';
  return `Not every gate could give an answer.${why}${more}`;
}

export function cleanedFor(reason: string): string {
  return `Auto-clean: ${reason}; the logs of the earlier session are in previous/.`;
}

export function forgotFor(reason: string): string {
  return `Auto-clean: ${reason}; the state of the earlier session was dropped.`;
}

export function branchChanged(from: string, to: string): string {
  return `branch changed (${from} → ${to})`;
}

export function commitMerged(commit: string, base: string): string {
  return `commit merged (${commit.slice(0, 12)} is in ${base} now)`;
}

export const NEW_TURN = 'retry limit reached in an earlier turn, and the work has changed since';

export const NOTHING_LEFT = 'what had failed is not there any more';

export function beyondLimit(attempt: number, most: number): string {
  return (
    `Retry limit exceeded: run ${attempt} exceeds max allowed ${most} (max_retries: ${most - 1}). ` +
    'Human input required on what to do next. `agent-gauntlet clean` archives this session and starts anew.'
  );
}

export function runInProgress(file: string, holder: LeaseHolder, now: number): string {
  const who = holder.pid === undefined ? 'by somebody who left no name' : `by process ${holder.pid}`;
  const seconds = Math.max(0, Math.round((now - holder.since) / 1000));
  return `A gauntlet run is already in progress (lock file: ${file}), ${who}, for ${seconds} s.`;
}

export function killedBefore({ pid, since }: LeaseHolder): string {
  const who = pid === undefined ? '' : ` by process ${pid}`;
  return `an earlier run of the gates, begun${who} at ${new Date(since).toISOString()}, was killed before it could answer`;
}

export function configRefused(problems: readonly string[]): string {
  return `the config has ${plural(problems.length, 'error')}, so nothing was run:\n${problems.join('\n')}`;
}

export function configInPart(problems: readonly string[], outcome: string): string {
  const what = plural(problems.length, 'error');
  return `the config has ${what}, so what they concern was not run:\n${problems.join('\n')}\nOf the rest: ${outcome}`;
}

export function unknownGate(name: string, known: readonly string[]): string {
  return `there is no gate "${name}"; there are: ${known.join(', ')}`;
}

export function notOurArchive(path: string): string {
  return `${path} is not a directory`;
}

export function archiveFailed(why: string): string {
  return `the logs could not be archived: ${why}`;
}

export function stateNotWritten(why: string): string {
  return `the state of this run could not be written: ${why}`;
}

export function consoleLogLost(file: string, why: string): string {
  return `${file} could not be written: ${why}`;
}

export function startLine(id: string): string {
  return `[START] ${id}`;
}

export function warningLine(text: string): string {
  return `Warning: ${text}`;
}

export function logLine(file: string): string {
  return `Log: ${file}`;
}

export function reviewLine(file: string): string {
  return `Review: ${file}`;
}

export function indented(text: string): string {
  return `      ${text}`;
}

export function missingCommand(word: string): string {
  return `Missing command: ${word}`;
}

export function stoppedByFailFast(id: string): string {
  return `Not started: ${id} did not pass and has fail_fast`;
}

export function overDeadline(seconds: number): string {
  return `The time for this run was over after ${seconds}s`;
}

export function gateBroke(why: string): string {
  return `Unexpected error: ${why}`;
}
