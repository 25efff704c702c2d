import { readFileSync, writeFileSync } from 'node:fs';
import { detailOf } from '../../../core/failure';
import { isJsonObject, type JsonObject } from '../../../core/json';
import { brokenReview, removedEntries, unknownStatus } from './messages';
import { parsedResultIn } from './review-log';
import { isSame } from './same-violation';
import { isKnownStatus, parseViolation, type Violation } from './violation';

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
