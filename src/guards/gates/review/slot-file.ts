import { readFileSync, writeFileSync } from 'node:fs';
import { detailOf } from '../../../core/failure';
import { isJsonObject, type JsonObject } from '../../../core/json';
import type { RunResult } from '../../../exec/run';
import type { ReviewJob } from '../detect';
import { plainText } from '../run/check';
import type { GateLog } from '../run/logs';
import type { Judgement } from './ask-reviewer';
import {
  isKnownStatus,
  isSame,
  oneLine,
  parseViolation,
  type Violation,
  violationText,
} from './conclude-review';
import { asideParts, brokenReview, endedBy, removedEntries, unknownStatus } from './messages';

export type SlotStatus = 'pass' | 'fail' | 'skipped_prior_pass';

/** What a reviewer's file holds. The agent answers in it. */
export interface SlotContent {
  readonly adapter: string;
  readonly timestamp: string;
  readonly status: SlotStatus;
  readonly rawOutput: string;
  readonly violations: readonly Violation[];
  /** The run in which a skipped slot has passed. */
  readonly passIteration?: number;
}

/** What is left of an answer, read from its file and its log. */
export interface SlotReading {
  readonly status: SlotStatus;
  readonly violations: readonly Violation[];
  readonly passIteration?: number;
  /** What is odd about it, in words for people. */
  readonly troubles: readonly string[];
}

/** Throws what the file system says. */
export function writeSlotFile(file: string, content: SlotContent): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

/**
 * Reads an answer back after the agent had it. What it marked counts; what it took out, or made unreadable,
 * is known from the log and stays open. `undefined` where nothing was ever answered.
 */
export function readSlot(json: string, log: string, root: string): SlotReading | undefined {
  const logged = parsedResultIn(textOf(log) ?? '', root);
  const text = textOf(json);
  if (text === undefined)
    return logged && { ...logged, troubles: lost(json, logged.violations, 'it is gone') };
  const content = contentOf(text);
  if (typeof content === 'string') {
    if (logged === undefined) return undefined;
    return { ...logged, troubles: [brokenReview(json, content)] };
  }
  // Where the older program could not complete a review, its file says so and holds nothing.
  return content['status'] === 'error'
    ? undefined
    : understood(json, content, logged?.violations ?? [], root);
}

function understood(
  json: string,
  content: JsonObject,
  logged: readonly Violation[],
  root: string,
): SlotReading {
  const { status, violations: listed, passIteration } = content;
  const entries = Array.isArray(listed) ? listed : [];
  const violations = entries.flatMap((one: unknown) => parseViolation(one, root) ?? []);
  const removed = logged.filter((one) => !violations.some((other) => isSame(one, other)));
  const odd = entries.flatMap((one: unknown) => {
    const word = isJsonObject(one) ? one['status'] : undefined;
    return isKnownStatus(word) ? [] : [unknownStatus(json, String(word))];
  });
  return {
    status: status === 'pass' || status === 'skipped_prior_pass' ? status : 'fail',
    violations: [...violations, ...removed],
    ...(typeof passIteration === 'number' && { passIteration }),
    troubles: [...odd, ...(removed.length > 0 ? [removedEntries(json, removed.length)] : [])],
  };
}

function lost(json: string, open: readonly Violation[], why: string): readonly string[] {
  return open.length > 0 ? [brokenReview(json, why)] : [];
}

/** The object in the file, or why there is none. */
function contentOf(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : 'it is not a JSON object';
  } catch (error) {
    return detailOf(error);
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

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

const LONGEST = 200;

/** The line in which a program said what went wrong, as far as one can tell. */
export function firstLine(ended: RunResult): string {
  if (ended.kind === 'not-started') return ended.detail;
  const lines = (text: string): string[] =>
    plainText(text)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  const said = [...lines(ended.stderr), ...lines(ended.stdout)];
  const line =
    said.find((one) => /\b(?:error|fatal|failed|limit|denied|invalid)\b/i.test(one)) ?? said[0] ?? '';
  if (line === '' && ended.kind === 'signalled') return endedBy(ended.signal);
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
