import type { ChildProcess } from 'node:child_process';
import { detailOf } from '../domain/failure';
import { CollectedOutput } from './collected-output';
import { firstEnd } from './first-end';
import { enlist, isInterrupted } from './forward-signals';
import { OutputFile } from './output-file';
import { waitAtMost } from './pause';
import { endGroup } from './process-group';
import type { RunEnd, RunOutput, RunResult, RunSpec } from './run-result';
import { type NotStarted, type Started, startChild } from './start-child';
import { steadyMs } from './stopwatch';

/** A killed process that hangs in the kernel may take longer; we do not wait for it. */
const REAPED_WITHIN_MS = 1000;
const SILENT: RunOutput = { stdout: '', stderr: '', cut: false, log: 'none' };

/**
 * Runs a program to its end, with a deadline, and gives back what it said. However it ends, its whole
 * process group has ended when this returns, and so it does when we are killed. Only what gave itself
 * a session of its own survives; it is not waited for.
 */
export async function runCommand(spec: RunSpec): Promise<RunResult> {
  const begun = steadyMs();
  let interrupt = (): void => undefined;
  const interrupted = new Promise<void>((resolve) => {
    interrupt = resolve;
  });
  const leave = enlist(interrupt);
  try {
    const result = await attempt(spec, interrupted);
    return { ...result, durationMs: Math.round(steadyMs() - begun) };
  } finally {
    leave();
  }
}

async function attempt(spec: RunSpec, interrupted: Promise<void>): Promise<RunEnd & RunOutput> {
  if (spec.signal?.aborted || isInterrupted()) return { kind: 'cancelled', ...SILENT };
  const log = openLog(spec);
  if (log.kind === 'not-started') return { ...log, ...SILENT };
  const output = new CollectedOutput(spec, log.file);
  const started = await startChild(spec);
  const end = started.kind === 'started' ? await supervise(started, spec, interrupted, output) : started;
  return { ...end, ...output.finish() };
}

type Log = { readonly kind: 'open'; readonly file?: OutputFile };

function openLog({ log }: RunSpec): Log | NotStarted {
  if (log === undefined) return { kind: 'open' };
  try {
    return { kind: 'open', file: new OutputFile(log.file, log.maxBytes) };
  } catch (error) {
    return { kind: 'not-started', why: 'bad-log', detail: detailOf(error) };
  }
}

async function supervise(
  { child, group, release }: Started,
  spec: RunSpec,
  interrupted: Promise<void>,
  output: CollectedOutput,
): Promise<RunEnd> {
  const ended = new Promise<RunEnd>((resolve) => {
    child.once('exit', (code, signal) => resolve(endOf(code, signal)));
  });
  if (child.stdout && child.stderr) output.listen(child.stdout, child.stderr);
  giveInput(child, spec.input);
  const how = await firstEnd(ended, spec.timeoutMs, interrupted, spec.signal);
  await endGroup(group);
  await waitAtMost(REAPED_WITHIN_MS, ended);
  await output.drain();
  child.stdin?.destroy();
  child.unref();
  release();
  if (how === 'ended') return ended;
  return how === 'timed-out' ? { kind: 'timed-out', afterMs: spec.timeoutMs } : { kind: 'cancelled' };
}

function endOf(code: number | null, signal: NodeJS.Signals | null): RunEnd {
  return signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal };
}

/** A program need not read what it is given: that its end of the pipe is closed is no trouble of ours. */
function giveInput(child: ChildProcess, input: string | undefined): void {
  if (input === undefined) return;
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
}
