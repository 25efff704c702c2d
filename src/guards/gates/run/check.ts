import { resolve } from 'node:path';
import { type RunResult as Ended, runCommand } from '../../../exec/run';
import type { CheckJob } from '../detect/jobs';
import type { GateResult } from '../run-result';
import { checkCommand } from './check-command';
import type { GateContext } from './gate-context';
import { GateLog } from './gate-log';
import { INTERRUPTED, missingCommand, overDeadline } from './messages';
import { missingProgram } from './preflight';
import { RecentLines } from './recent-lines';

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
