import type { GateResult, GateStatus, SlotResult } from '../run-result';
import { indented, logLine, reviewLine, startLine, warningLine } from './messages';
import { plainText } from './plain-text';
import type { Reporter, RunEvent } from './request';
import { summaryLines } from './summary';

const LABELS: Readonly<Record<GateStatus, string>> = {
  pass: '[PASS] ',
  fail: '[FAIL] ',
  error: '[ERROR]',
  skipped: '[SKIP] ',
  cached: '[CACHED]',
};

/** The lines in which an event is told to a file or a pipe: without colours, and nothing drawn over. */
export function plainLines(event: RunEvent): readonly string[] {
  return linesOf(event).flatMap((line) => plainText(line).split('\n'));
}

/** Tells everything in plain lines, each given to `print` without its newline. */
export function plainReporter(print: (line: string) => void): Reporter {
  return (event) => {
    for (const line of plainLines(event)) print(line);
  };
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
    case 'finished':
      return resultLines(event.result);
    case 'summary':
      return summaryLines(event.summary);
  }
}

function resultLines(result: GateResult): readonly string[] {
  const { slots = [] } = result;
  if (slots.length > 0) return slots.flatMap((slot) => slotLines(result.id, slot));
  const lines = [resultLine(result.id, result)];
  if (isBad(result.status) && result.log !== undefined) lines.push(indented(logLine(result.log)));
  return lines;
}

function slotLines(id: string, slot: SlotResult): readonly string[] {
  const lines = [resultLine(`${id} (${slot.slot})`, slot)];
  if (slot.review !== undefined) lines.push(indented(reviewLine(slot.review)));
  else if (isBad(slot.status) && slot.log !== undefined) lines.push(indented(logLine(slot.log)));
  return lines;
}

/** A pass needs no words; everything else says why. */
function resultLine(
  who: string,
  { status, message, durationMs }: Pick<GateResult, 'status' | 'message' | 'durationMs'>,
): string {
  const begun = `${LABELS[status]} ${who}`;
  if (status === 'cached' || status === 'skipped') return `${begun} - ${message}`;
  const timed = `${begun} (${(durationMs / 1000).toFixed(2)}s)`;
  return status === 'pass' ? timed : `${timed} - ${message}`;
}

function isBad(status: GateStatus): boolean {
  return status === 'fail' || status === 'error';
}
