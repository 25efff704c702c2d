import { resolve } from 'node:path';
import { type RunResult as Ended, runCommand } from '../../../exec/run';
import type { CheckJob } from '../detect';
import type { GateResult, GateStatus, SlotResult } from '../run-result';
import { summaryLines } from './execute-gates';
import { GateLog } from './logs';
import {
  INTERRUPTED,
  indented,
  logLine,
  missingCommand,
  overDeadline,
  reviewLine,
  startLine,
  warningLine,
} from './messages';
import type { GateContext } from './plan';
import { type Env, missingProgram, type Reporter, type RunEvent } from './run';

const MOST_BYTES_ON_DISK = 10 * 1024 * 1024;
const MOST_BYTES_IN_MEMORY = 1024 * 1024;
/** Without a limit of its own a check may take as long as the run. */
const NO_LIMIT_MS = 2 ** 31 - 1;

type Verdict = Pick<GateResult, 'status' | 'message'>;

/** What a check cannot be run for want of, as its result; `undefined` when nothing is missing. */
export function preflightCheck(job: CheckJob, context: GateContext): GateResult | undefined {
  const { line } = checkCommand(job.gate.command, context.base.ref);
  const missing = missingProgram(line, cwdOf(job, context), context.env);
  if (missing === undefined) return undefined;
  const log = begunLog(job, context, line);
  const message = missingCommand(missing);
  log.write(`Result: error - ${message}`);
  return { id: job.id, status: 'error', message, durationMs: 0, log: log.file };
}

/** Runs a check in a shell. Its log grows while it runs and has its final form when this returns. */
export async function runCheck(job: CheckJob, context: GateContext): Promise<GateResult> {
  const { line, env } = checkCommand(job.gate.command, context.base.ref);
  const log = begunLog(job, context, line);
  const recent = new RecentLines();
  const limit = limitOf(job, context);
  const ended = await runCommand({
    command: '/bin/sh',
    args: ['-c', line],
    cwd: cwdOf(job, context),
    env: { ...context.env, ...env },
    timeoutMs: limit.ms,
    maxBytesInMemory: MOST_BYTES_IN_MEMORY,
    log: { file: log.file, maxBytes: MOST_BYTES_ON_DISK },
    signal: context.signal,
    onLine: (text) => {
      recent.push(text);
      context.report({ kind: 'line', id: job.id, line: text });
    },
  });
  const verdict = verdictOf(ended, limit);
  finishLog(log, job, line, ended, verdict);
  const tail = recent.text();
  return {
    id: job.id,
    ...verdict,
    durationMs: ended.durationMs,
    log: log.file,
    ...(verdict.status !== 'pass' && tail !== '' && { tail }),
  };
}

interface Limit {
  readonly ms: number;
  /** Whether it is the run's time that ends first, not the check's own. */
  readonly ofRun: boolean;
}

function limitOf({ gate }: CheckJob, { deadline }: GateContext): Limit {
  const own = gate.timeout === undefined ? NO_LIMIT_MS : gate.timeout * 1000;
  const left = Math.max(1, deadline - Date.now());
  return { ms: Math.min(own, left), ofRun: left < own };
}

function verdictOf(ended: Ended, limit: Limit): Verdict {
  switch (ended.kind) {
    case 'exited':
      return ended.code === 0
        ? { status: 'pass', message: 'Command exited with code 0' }
        : { status: 'fail', message: `Exited with code ${ended.code}` };
    case 'signalled':
      return { status: 'fail', message: `Ended by signal ${ended.signal}` };
    case 'timed-out': {
      const seconds = Number((ended.afterMs / 1000).toFixed(2));
      return limit.ofRun
        ? { status: 'error', message: overDeadline(seconds) }
        : { status: 'fail', message: `Timed out after ${seconds}s` };
    }
    case 'cancelled':
      return { status: 'error', message: INTERRUPTED };
    case 'not-started':
      return { status: 'error', message: ended.detail };
  }
}

function begunLog(job: CheckJob, context: GateContext, line: string): GateLog {
  const log = new GateLog(context.logFile(job.id));
  log.write(
    `Starting check: ${job.gate.name}`,
    `Executing command: ${line}`,
    `Working directory: ${cwdOf(job, context)}`,
  );
  return log;
}

/** The output came in whatever order; where it was not too much, it is told stream by stream in the end. */
function finishLog(log: GateLog, { gate }: CheckJob, line: string, ended: Ended, verdict: Verdict): void {
  if (!ended.cut && ended.log === 'whole' && ended.stdout + ended.stderr !== '') {
    log.takeBack();
    if (ended.stdout !== '') log.write(ended.stdout);
    if (ended.stderr !== '') log.write(`STDERR:\n${ended.stderr}`);
  }
  if (verdict.status !== 'pass') log.write(`Command failed: ${line}`);
  log.write(`Result: ${verdict.status} - ${verdict.message}`);
  if (verdict.status !== 'pass' && gate.fixInstructions !== undefined) {
    log.write(`--- Fix Instructions ---\n${gate.fixInstructions}`);
  }
}

function cwdOf(job: CheckJob, { root }: GateContext): string {
  return resolve(root, job.cwd);
}

/** What a shell reads as one plain word, whatever stands around it. */
const HARMLESS = /^[A-Za-z0-9._/@+:-]+$/;
const PLACEHOLDER = `\${BASE_BRANCH}`;

/** A check's line for the shell, and what its environment has beyond ours. */
export interface CheckCommand {
  readonly line: string;
  readonly env: Env;
}

/**
 * Puts the base's name in its place. A name with characters that mean something to a shell stays a variable,
 * which the shell never reads as code.
 */
export function checkCommand(written: string, baseRef: string): CheckCommand {
  if (!written.includes(PLACEHOLDER)) return { line: written, env: {} };
  if (HARMLESS.test(baseRef)) return { line: written.replaceAll(PLACEHOLDER, () => baseRef), env: {} };
  return { line: written, env: { BASE_BRANCH: baseRef } };
}

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

/** Sequences that colour or move, and control characters that would do the same. */
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/g;
const TAB = 0x09;
const NEWLINE = 0x0a;
const DELETE = 0x7f;

/** A text as it reads: without anything that only a terminal obeys. Newlines and tabs stay. */
export function plainText(text: string): string {
  return hasControl(text) ? text.replace(SEQUENCES, '').replace(CONTROLS, '') : text;
}

/** Nearly no text has a sign of that kind, and to compile the patterns takes longer than to look for one. */
function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== TAB && code !== NEWLINE) || code === DELETE) return true;
  }
  return false;
}

const MOST_LINES = 20;
const LONGEST_LINE = 300;

/** The last lines of what a gate said, short enough to be shown to an agent. */
export class RecentLines {
  #lines: string[] = [];

  push(line: string): void {
    const plain = plainText(line).trimEnd();
    if (plain === '') return;
    this.#lines.push(plain.length > LONGEST_LINE ? `${plain.slice(0, LONGEST_LINE)}…` : plain);
    if (this.#lines.length > MOST_LINES * 2) this.#lines = this.#lines.slice(-MOST_LINES);
  }

  text(): string {
    return this.#lines.slice(-MOST_LINES).join('\n');
  }
}
