import { resolve } from 'node:path';
import { isProgram } from '../../../exec/programs';
import { type RunResult as Ended, type RunSpec, runCommand } from '../../../exec/run';
import type { CheckJob } from '../detect';
import type { GateResult } from '../run-result';
import { keyLines } from './key-lines';
import { GateLog } from './logs';
import { INTERRUPTED } from './messages';
import type { GateContext } from './plan';
import type { Env } from './run';

const MOST_BYTES_ON_DISK = 10 * 1024 * 1024;
const MOST_BYTES_IN_MEMORY = 1024 * 1024;

/** The error of a check whose program is missing; `undefined` if it can run. */
export function preflightCheck(job: CheckJob, context: GateContext): GateResult | undefined {
  const { line } = checkCommand(job.gate.command, context.base.ref);
  const missing = missingProgram(line, resolve(context.root, job.cwd), context.env);
  if (missing === undefined) return undefined;
  const log = startLog(job, context, line);
  const message = `Missing command: ${missing}`;
  log.write(`Result: error - ${message}`);
  return { id: job.id, status: 'error', message, durationMs: 0, log: log.file };
}

/** Runs a check in a shell. Its log grows while it runs and has its final form when this returns. */
export async function runCheck(job: CheckJob, context: GateContext): Promise<GateResult> {
  const { id, gate, cwd } = job;
  const { line, env } = checkCommand(gate.command, context.base.ref);
  const log = startLog(job, context, line);
  const program = {
    command: '/bin/sh',
    args: ['-c', line],
    cwd: resolve(context.root, cwd),
    env: { ...context.env, ...env },
    maxBytesInMemory: MOST_BYTES_IN_MEMORY,
  };
  const { ended, why, isOver } = await runProgram(program, gate.timeout, id, log, context);
  const passed = ended.kind === 'exited' && ended.code === 0;
  const failed = isOver || ended.kind === 'not-started' ? 'error' : 'fail';
  const status = passed ? 'pass' : failed;
  const message = passed ? 'Command exited with code 0' : why;
  log.replaceOutput(ended, ended.stdout);
  if (!passed) log.write(`Command failed: ${line}`);
  log.write(`Result: ${status} - ${message}`);
  if (!passed && gate.fixInstructions !== undefined) {
    log.write(`--- Fix Instructions ---\n${gate.fixInstructions}`);
  }
  const result = { id, status, message, durationMs: ended.durationMs, log: log.file } as const;
  const isEmpty = NOTHING_RAN.test(ended.stdout) && !SOMETHING_RAN.test(ended.stdout);
  if (passed) return isEmpty ? { ...result, isEmpty } : result;
  const telling = keyLines(`${ended.stdout}\n${ended.stderr}`);
  return { ...result, telling, ...(gate.fixInstructions !== undefined && { fix: gate.fixInstructions }) };
}

/** How node:test, unittest, mocha, RSpec and `go test` report that no tests ran, or that some did. */
const NOTHING_RAN =
  /^(?:(?:# |ℹ )tests 0|Ran 0 tests\b.*|\s*0 passing\b.*|0 examples, 0 failures.*|testing: warning: no tests to run)$/m;
const SOMETHING_RAN =
  /^(?:(?:# |ℹ )tests [1-9]|Ran [1-9]|\s*[1-9]\d* passing|[1-9]\d* examples|ok\s+\S+\s+[\d.]+s$)/m;

function startLog(job: CheckJob, context: GateContext, line: string): GateLog {
  const log = new GateLog(context.logFile(job.id));
  log.write(
    `Starting check: ${job.gate.name}`,
    `Executing command: ${line}`,
    `Working directory: ${resolve(context.root, job.cwd)}`,
  );
  return log;
}

/** Runs a gate's program, at most until the run's deadline. Its output is logged as it arrives. */
export async function runProgram(
  program: Omit<RunSpec, 'timeoutMs' | 'log' | 'signal'>,
  seconds: number | undefined,
  id: string,
  { file }: GateLog,
  { deadline, signal, report }: GateContext,
) {
  const own = seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1000;
  const left = Math.max(1, deadline - Date.now());
  const ended = await runCommand({
    ...program,
    timeoutMs: Math.min(own, left),
    log: { file, maxBytes: MOST_BYTES_ON_DISK },
    signal,
    onLine: (line) => report({ kind: 'line', id, line }),
  });
  const isLate = ended.kind === 'timed-out' && left < own;
  // If `isOver`, the whole run is out of time or interrupted.
  return { ended, why: endText(ended, isLate), isOver: isLate || ended.kind === 'cancelled' };
}

function endText(ended: Ended, isLate: boolean): string {
  switch (ended.kind) {
    case 'exited':
      return `Exited with code ${ended.code}`;
    case 'signalled':
      return `Ended by signal ${ended.signal}`;
    case 'timed-out': {
      const seconds = Number((ended.afterMs / 1000).toFixed(2));
      return isLate ? `The run was out of time after ${seconds}s` : `Timed out after ${seconds}s`;
    }
    case 'cancelled':
      return INTERRUPTED;
    case 'not-started':
      return ended.detail;
  }
}

/** A shell reads this as one plain word in any context. */
const HARMLESS = /^[A-Za-z0-9._/@+:-]+$/;
const PLACEHOLDER = `\${BASE_BRANCH}`;

/**
 * A check's shell line with the base branch inserted, and additional environment variables. A branch name
 * with special characters is passed as a variable, which the shell never runs as code.
 */
function checkCommand(written: string, baseRef: string) {
  if (!written.includes(PLACEHOLDER)) return { line: written, env: {} };
  if (HARMLESS.test(baseRef)) return { line: written.replaceAll(PLACEHOLDER, () => baseRef), env: {} };
  return { line: written, env: { BASE_BRANCH: baseRef } };
}

/** Builtins and keywords of POSIX `sh`, and those that common shells add. */
const SHELL_WORDS =
  'alias bg break case cd command continue echo eval exec exit export false fc fg for function getopts hash ' +
  'if jobs kill let local printf pwd read readonly return select set shift source test time times trap true ' +
  'type typeset ulimit umask unalias unset until wait while . : [ [[ ! {';

/** Used if PATH is not set, as in shells. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Leading `NAME=value ` assignments with plain or quoted values. */
const ASSIGNMENTS = /^\s*(?:[A-Za-z_][A-Za-z0-9_]*=(?:[^\s"'\\$`]|"[^"\\$`]*"|'[^']*')*\s+)*/;
const PLAIN_WORD = /^[A-Za-z0-9._/@+,%:[{!=~-]+(?=[\s;&|<>)]|$)/;

/** A PATH lookup that starts nothing. A first word that only a shell can expand counts as found. */
export function missingProgram(line: string, cwd: string, env: Env): string | undefined {
  const assigned = ASSIGNMENTS.exec(line)?.[0] ?? '';
  const word = PLAIN_WORD.exec(line.slice(assigned.length))?.[0];
  // The shell would look for it in that PATH.
  if (/(?:^|\s)PATH=/.test(assigned)) return undefined;
  // The shell expands `~`, and a lone assignment is no program.
  if (word === undefined || word.includes('=') || word.startsWith('~')) return undefined;
  if (SHELL_WORDS.split(' ').includes(word)) return undefined;
  const places = word.includes('/')
    ? [resolve(cwd, word)]
    : (env['PATH'] ?? DEFAULT_PATH).split(':').map((dir) => resolve(cwd, dir, word));
  return places.some(isProgram) ? undefined : word;
}
