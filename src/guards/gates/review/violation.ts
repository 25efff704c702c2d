import { isJsonObject } from '../../../core/json';

/** What became of an objection: open, or answered by the agent in the review's file. */
export type ViolationStatus = 'new' | 'fixed' | 'skipped';

/** What a reviewer objects to, as it stands in the review's file. */
export type Violation = {
  /** Relative to the root. */
  readonly file: string;
  /** Absent where the reviewer named none. */
  readonly line?: number;
  readonly issue: string;
  readonly fix?: string;
  readonly priority?: string;
  readonly status: ViolationStatus;
  /** The agent's words: what was done, or why nothing was. */
  readonly result?: string;
};

/** An objection as somebody wrote it; `undefined` for what is none. Paths may be absolute, or those of a diff. */
export function parseViolation(value: unknown, root: string): Violation | undefined {
  if (!isJsonObject(value)) return undefined;
  const { file, line, issue, fix, priority, status, result } = value;
  if (typeof issue !== 'string' && typeof file !== 'string') return undefined;
  const number = lineOf(line);
  return {
    file: pathOf(typeof file === 'string' ? file : 'unknown', root),
    ...(number !== undefined && { line: number }),
    issue: typeof issue === 'string' ? issue : '',
    ...(typeof fix === 'string' && { fix }),
    ...(typeof priority === 'string' && { priority }),
    status: statusOf(status),
    ...(typeof result === 'string' && { result }),
  };
}

/** Whether a status is one that an objection can have; anything else counts as open. */
export function isKnownStatus(value: unknown): boolean {
  return value === undefined || statusWord(value) === 'new' || statusOf(value) !== 'new';
}

/** `file:line - issue`, on one line. */
export function violationText({ file, line, issue }: Violation): string {
  return `${oneLine(file)}:${line ?? '?'} - ${oneLine(issue)}`;
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function statusOf(value: unknown): ViolationStatus {
  const word = statusWord(value);
  return word === 'fixed' || word === 'skipped' ? word : 'new';
}

function statusWord(value: unknown): unknown {
  return typeof value === 'string' ? value.trim().toLowerCase() : value;
}

/** A range counts by its first line. */
function lineOf(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  const digits = typeof text === 'string' ? /^\s*L?(\d{1,9})\b/.exec(text)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

function pathOf(written: string, root: string): string {
  const path = written.trim().replaceAll('\\', '/');
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return inside.replace(/^(?:\.\/+)+/, '');
}
