import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { detailOf, readText } from '../../../core/failure';
import { isJsonObject, type JsonObject } from '../../../core/json';
import type { ReviewJob } from '../detect';
import { filesIn, isConsoleLog, isLogName, runOf } from '../run/logs';
import { oneLine, plural } from '../run/messages';
import type { GateContext } from '../run/plan';
import {
  findingLines,
  ignoredFindings,
  isSame,
  isUnexplained,
  type Judgement,
  parseViolation,
  statusIn,
  type Violation,
} from './violations';

/** The content of a reviewer's JSON file, in which the agent marks the violations. */
export interface SlotContent {
  readonly adapter: string;
  readonly status: 'pass' | 'fail' | 'skipped_prior_pass';
  readonly rawOutput: string;
  readonly violations: readonly Violation[];
  /** The run in which a slot passed that is skipped now. */
  readonly passIteration?: number;
}

/** Writes the file next to the log and returns its path. Throws file system errors. */
export function writeSlotFile(log: string, { adapter, ...rest }: SlotContent): string {
  const file = log.replace(/\.log$/, '.json');
  const content = { adapter, timestamp: new Date().toISOString(), ...rest };
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  return file;
}

/** The last answer in a slot of a review in this session, whichever reviewer gave it. */
export interface SlotRecord extends Omit<SlotContent, 'rawOutput'> {
  readonly slot: number;
  /** Problems with the file, as messages for people. */
  readonly troubles: readonly string[];
  readonly run: number;
  readonly json: string;
  /** Whether it is from the run just before this one. */
  readonly isLatest: boolean;
  /** Skipped since that answer, so no summary has listed it yet. */
  readonly newlySkipped: readonly Violation[];
}

type SlotReading = Pick<SlotRecord, 'status' | 'violations' | 'passIteration' | 'troubles'>;

export function readSlotRecords(job: ReviewJob, context: GateContext): ReadonlyMap<number, SlotRecord> {
  const { logDir, number, root } = context;
  const names = filesIn(logDir, isLogName);
  const runs = names.filter(isConsoleLog).map((name) => runOf(name) ?? 0);
  const lastRun = Math.max(0, ...runs.filter((run) => run < number));
  const records = new Map<number, SlotRecord>();
  for (const { stem, adapter, slot, run } of slotNames(names, job, context)) {
    const json = join(logDir, `${stem}.json`);
    const reading = readSlot(json, join(logDir, `${stem}.log`), root);
    if (reading === undefined) continue;
    const skipped = reading.violations.filter(({ status }) => status === 'skipped');
    const newer = records.get(slot);
    if (newer === undefined) {
      const isLatest = run === lastRun;
      records.set(slot, { ...reading, slot, adapter, run, json, isLatest, newlySkipped: skipped });
    } else {
      // What was skipped in an older answer is in an earlier summary already.
      const news = newer.newlySkipped.filter((one) => !skipped.some((other) => isSame(one, other)));
      records.set(slot, { ...newer, newlySkipped: news });
    }
  }
  return records;
}

/** The answers of a job's slots in earlier runs, newest first. `stem` is the file name without extension. */
function slotNames(names: readonly string[], job: ReviewJob, context: GateContext) {
  const own = `x@0.${context.number}.log`;
  const begin = context.logFile(job.id, 'x@0').slice(context.logDir.length + 1, -own.length);
  const stems = new Set(names.map((name) => name.replace(/\.(?:json|log)$/, '')));
  const found = [...stems].flatMap((stem) => {
    const rest = stem.startsWith(begin) ? stem.slice(begin.length) : '';
    const [, adapter, slot, run] = /^([a-z][a-z0-9-]*)@(\d+)\.(\d+)$/.exec(rest) ?? [];
    if (adapter === undefined || Number(run) >= context.number) return [];
    return [{ stem, adapter, slot: Number(slot), run: Number(run) }];
  });
  return found.sort((a, b) => b.run - a.run);
}

/** The agent's marks count. Violations it removed or made unreadable are read from the log and stay open. */
function readSlot(json: string, log: string, root: string): SlotReading | undefined {
  const logged = parsedResultIn(readText(log) ?? '', root);
  const text = readText(json);
  const content = text === undefined ? 'it is gone' : contentOf(text);
  if (typeof content === 'string') {
    const isQuiet = text === undefined && logged?.violations.length === 0;
    const trouble = `${json} cannot be read as a review (${content}); all its violations count as open.`;
    return logged && { ...logged, troubles: isQuiet ? [] : [trouble] };
  }
  // agent-gauntlet writes this status, without violations, if it could not complete a review.
  if (content['status'] === 'error') return undefined;
  const { status, violations: listed, passIteration } = content;
  const entries: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const violations = entries.flatMap((one) => parseViolation(one, root) ?? []);
  const removed = (logged?.violations ?? []).filter((one) => !violations.some((other) => isSame(one, other)));
  const gone = `${plural(removed.length, 'violation')} removed from ${json} instead of being marked; still open.`;
  return {
    status: status === 'pass' || status === 'skipped_prior_pass' ? status : 'fail',
    violations: [...violations, ...removed],
    ...(typeof passIteration === 'number' && { passIteration }),
    troubles: [...entries.flatMap((one) => invalidMark(json, one)), ...(removed.length > 0 ? [gone] : [])],
  };
}

/** Why a mark of the agent does not count. */
function invalidMark(json: string, entry: unknown): readonly string[] {
  if (!isJsonObject(entry)) return [];
  const { issue, status } = entry;
  const about = typeof issue === 'string' ? ` (${oneLine(issue)})` : '';
  if (isUnexplained(entry))
    return [`${json} has a violation skipped without a reason in "result"${about}. It counts as open.`];
  const word = JSON.stringify(String(status));
  const text = `${json} has a violation with the status ${word}; use "fixed" or "skipped". It counts as open.`;
  return status === undefined || statusIn(status) !== undefined ? [] : [text];
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

const PARSED = '--- Parsed Result (';

/** The parsed answer, for the log. It is read back if the review's file is lost. */
export function parsedResultText(reviewer: string, judgement: Judgement, json: string): string {
  const { open } = judgement;
  return [
    `${PARSED}${reviewer}) ---`,
    `Status: ${open.length > 0 ? 'FAIL' : 'PASS'}`,
    `Review: ${json}`,
    ...findingLines(open),
    ...ignoredFindings(judgement).map((part) => `Note: ${part}`),
  ].join('\n');
}

/** Reads `parsedResultText` back from a log; `undefined` if there is none. */
function parsedResultIn(text: string, root: string): Pick<SlotContent, 'status' | 'violations'> | undefined {
  const begin = text.lastIndexOf(PARSED);
  if (begin < 0) return undefined;
  const lines = text.slice(begin).split('\n');
  const violations = lines.flatMap((line) => {
    const [, file, at, issue] = /^\d+\. (.+?):(\d+|\?) - (.*)$/.exec(line) ?? [];
    return file === undefined ? [] : (parseViolation({ file, line: at, issue }, root) ?? []);
  });
  return { status: lines[1] === 'Status: PASS' ? 'pass' : 'fail', violations };
}
