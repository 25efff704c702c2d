import type { RunResult } from '../../../exec/run';
import type { ReviewJob } from '../detect/jobs';
import type { GateLog } from '../run/gate-log';
import type { Judgement } from './judge';
import { asideParts } from './messages';
import { oneLine, parseViolation, type Violation, violationText } from './violation';

const PARSED = '--- Parsed Result (';
const ENTRY = /^\d+\. (.+?):(\d+|\?) - (.*)$/;

export function logStart(log: GateLog, { gate, entryPoint }: ReviewJob, slot: string, files: number): void {
  log.write(`Starting review: ${gate.name}`);
  log.write(`Entry point: ${entryPoint}`);
  log.write(`Changed files: ${files}`);
  log.write(`Dispatching to ${slot}${gate.model === undefined ? '' : ` (model ${gate.model})`}`);
}

/** What a reviewer printed came as it came; in the end it is told stream by stream. */
export function logOutput(log: GateLog, reviewer: string, ended: RunResult): void {
  if (ended.cut || ended.log !== 'whole') return;
  log.takeBack();
  log.write(`--- Review Output (${reviewer}) ---\n${ended.stdout}`);
  if (ended.stderr !== '') log.write(`STDERR:\n${ended.stderr}`);
}

/** How the answer was understood. It is read again if the review's file is lost. */
export function logParsed(log: GateLog, reviewer: string, judgement: Judgement, json: string): void {
  const { open } = judgement;
  const lines = [
    `${PARSED}${reviewer}) ---`,
    `Status: ${open.length > 0 ? 'FAIL' : 'PASS'}`,
    `Review: ${json}`,
    ...findingLines(open),
    ...asideParts(judgement).map((part) => `Note: ${part}`),
  ];
  log.write(lines.join('\n'));
}

export function logResult(log: GateLog, slot: string, status: string, message: string): void {
  log.write(`Review result (${slot}): ${status} - ${message}`);
  log.write(`Result: ${status} - ${message}`);
}

/** Numbered, each with how to fix it where the reviewer said so. */
export function findingLines(open: readonly Violation[]): readonly string[] {
  return open.flatMap((one, at) => [
    `${at + 1}. ${violationText(one)}`,
    ...(one.fix === undefined ? [] : [`   Fix: ${oneLine(one.fix)}`]),
  ]);
}

/** How an answer was understood, read back from its log; `undefined` where there was none. */
export function parsedResultIn(
  text: string,
  root: string,
): { readonly status: 'pass' | 'fail'; readonly violations: readonly Violation[] } | undefined {
  const begin = text.lastIndexOf(PARSED);
  if (begin < 0) return undefined;
  const lines = text.slice(begin).split('\n');
  const violations = lines.flatMap((line) => {
    const [, file, at, issue] = ENTRY.exec(line) ?? [];
    return file === undefined ? [] : (parseViolation({ file, line: at, issue }, root) ?? []);
  });
  return { status: lines[1] === 'Status: PASS' ? 'pass' : 'fail', violations };
}
