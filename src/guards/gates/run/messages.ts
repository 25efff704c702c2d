import type { GatesConfig } from '../config';
import type { GauntletStatus } from '../report';
import { didNotPass, type GateResult, type GateStatus, type SlotResult } from '../run-result';
import type { LeaseHolder } from './lease';
import type { RunEvent } from './run';
import type { Iteration } from './state';

export const NO_CHANGES = 'No changes detected.';
export const NO_APPLICABLE_GATES = 'No applicable gates for these changes.';
export const INTERRUPTED = 'Interrupted by a signal';
export const TIME_IS_OVER = 'Not started: the run is out of time';

const STATUS_TEXTS: Partial<Record<GauntletStatus, string>> = {
  passed: 'All gates passed.',
  passed_with_warnings: 'All gates passed; some findings were skipped, with reasons.',
  no_changes: NO_CHANGES,
  no_applicable_gates: NO_APPLICABLE_GATES,
};

/** `1 gate`, `2 gates`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** A gate's name, which may contain colons, with its entry point unless that is the whole project. */
export function gateLabel(id: string): string {
  const [, kind, entry = '', name = id] = /^(check|review):([^:]*):(.*)$/.exec(id) ?? [];
  const title = kind === 'review' ? `review ${name}` : name;
  return entry === '' || entry === '.' ? title : `${title} (${entry})`;
}

/** `2 checks and 1 review`. */
export function countGates(gates: readonly Pick<GateResult, 'id'>[]): string {
  const reviews = gates.filter(({ id }) => id.startsWith('review:')).length;
  const checks = gates.length - reviews;
  const counts = [
    ...(checks > 0 ? [plural(checks, 'check')] : []),
    ...(reviews > 0 ? [plural(reviews, 'review')] : []),
  ];
  return counts.join(' and ');
}

/** `12 ms`, `2.1 s`, `3 min 5 s`. */
export function took(ms: number): string {
  if (ms < 100) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

export function foundFiles(count: number): string {
  return `Found ${count} changed files.`;
}

export function statusText(status: GauntletStatus, gates: readonly GateResult[]): string {
  const bad = gates.filter(didNotPass);
  const names = bad.map((gate) => gate.id).join(', ');
  if (status === 'failed') return `${plural(bad.length, 'gate')} did not pass: ${names}.`;
  if (status === 'retry_limit_exceeded') {
    return `${plural(bad.length, 'gate')} did not pass in the last allowed run: ${names}.`;
  }
  if (status !== 'infrastructure_error') return STATUS_TEXTS[status] ?? status;
  const [first = gates.find((gate) => gate.status === 'skipped')] = bad;
  const why = first === undefined ? '' : ` ${first.id}: ${first.message}.`;
  const more = bad.length > 1 ? ` (${plural(bad.length, 'gate')} in all)` : '';
  return `Some gates could not run.${why}${more}`;
}

export function runInProgress(
  file: string,
  holder: LeaseHolder,
  now: number,
  home: GatesConfig['home'] = '.gauntlet',
): string {
  const who = holder.pid === undefined ? 'by an unknown process' : `by process ${holder.pid}`;
  const seconds = Math.max(0, Math.round((now - holder.since) / 1000));
  const what = home === '.gauntlet' ? 'A gauntlet run' : 'Another run of the gates';
  return `${what} is already in progress (lock file: ${file}), ${who}, for ${seconds} s.`;
}

export function startLine(id: string): string {
  return `[START] ${id}`;
}

export function warningLine(text: string): string {
  return `Warning: ${text}`;
}

const LABELS: Readonly<Record<GateStatus, string>> = {
  pass: '[PASS] ',
  fail: '[FAIL] ',
  error: '[ERROR]',
  skipped: '[SKIP] ',
  cached: '[CACHED]',
};

/** An event as lines for a file or a pipe, without terminal escape sequences. */
export function plainLines(event: RunEvent): readonly string[] {
  return linesOf(event).flatMap((line) => plainText(line).split('\n'));
}

function linesOf(event: RunEvent): readonly string[] {
  switch (event.kind) {
    case 'progress':
    case 'note':
      return [event.text];
    case 'warning':
      return [warningLine(event.text)];
    case 'started':
      return [startLine(event.id)];
    case 'line':
      return [];
    case 'finished': {
      const { id, slots = [] } = event.result;
      if (slots.length === 0) return lineWithFile(id, event.result);
      return slots.flatMap((slot) => lineWithFile(`${id} (${slot.slot})`, slot));
    }
    case 'summary':
      return summaryLines(event.summary);
  }
}

/** A pass needs no message; everything else says why. */
function lineWithFile(who: string, result: GateResult | SlotResult): readonly string[] {
  const { status, message, durationMs, log } = result;
  const isTimed = status !== 'cached' && status !== 'skipped';
  const time = isTimed ? ` (${(durationMs / 1000).toFixed(2)}s)` : '';
  const line = `${LABELS[status]} ${who}${time}${status === 'pass' ? '' : ` - ${message}`}`;
  const review = 'review' in result ? result.review : undefined;
  if (review !== undefined) return [line, `      Review: ${review}`];
  return didNotPass(result) && log !== undefined ? [line, `      Log: ${log}`] : [line];
}

/** Escape sequences for colours and cursor movement, and control characters. */
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/g;

/** Removes terminal control sequences. Newlines and tabs stay. */
export function plainText(text: string): string {
  return text.replace(SEQUENCES, '').replace(CONTROLS, '');
}

/** What the summary of a run shows: the findings settled per run, and how many gates did not pass. */
export interface Summary {
  readonly status: GauntletStatus;
  readonly iterations: readonly Iteration[];
  readonly failed: number;
  readonly attempt: number;
}

const STATUS_WORDS: Partial<Record<GauntletStatus, string>> = {
  passed: 'Passed',
  no_changes: 'Passed',
  no_applicable_gates: 'Passed',
  passed_with_warnings: 'Passed with warnings',
  failed: 'Failed',
  retry_limit_exceeded: 'Retry limit exceeded',
};

const RULE = '─'.repeat(60);

/** The block that ends a run; agents wait for its `Status:` line. */
function summaryLines({ status, iterations, failed, attempt }: Summary): readonly string[] {
  const busy = iterations.filter(({ activity }) => activity.length > 0);
  const { fixed, skipped } = countSettled(iterations);
  const after = attempt > 1 ? ` after ${plural(attempt, 'iteration')}` : '';
  return [
    RULE,
    'RESULTS SUMMARY',
    RULE,
    ...busy.flatMap(iterationLines),
    ...(busy.length > 0 ? [RULE] : []),
    `Total: ${fixed} fixed, ${skipped} skipped, ${failed} failed${after}`,
    `Status: ${STATUS_WORDS[status] ?? 'Error'}`,
    RULE,
  ];
}

export function countSettled(iterations: readonly Iteration[]): { fixed: number; skipped: number } {
  const settled = iterations.flatMap(({ activity }) => activity);
  const fixed = settled.filter(({ what }) => what === 'fixed').length;
  return { fixed, skipped: settled.length - fixed };
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
