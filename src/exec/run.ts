import { detailOf } from '../core/failure';
import type { StartProgram } from './child';
import { CollectedOutput } from './collected-output';
import { firstEnd } from './first-end';
import { enlist, isInterrupted } from './forward-signals';
import { OutputFile } from './output-file';
import { waitAtMost } from './pause';
import { endGroup } from './process-group';
import type { RunEnd, RunOutput, RunResult, RunSpec } from './run-result';
import { type NotStarted, type Started, startChild } from './start-child';
import { startProgram } from './start-program';
import { steadyMs } from './stopwatch';

/** A killed process that hangs in the kernel may take longer; we do not wait for it. */
const REAPED_WITHIN_MS = 1000;
const SILENT: RunOutput = { stdout: '', stderr: '', cut: false, log: 'none' };

/**
 * Runs a program to its end, with a deadline, and gives back what it said. However it ends, its whole
 * process group has ended when this returns, and so it does when we are killed. Only what gave itself
 * a session of its own survives; it is not waited for.
 */
export async function runCommand(spec: RunSpec, start: StartProgram = startProgram): Promise<RunResult> {
  const begun = steadyMs();
  let interrupt = (): void => undefined;
  const interrupted = new Promise<void>((resolve) => {
    interrupt = resolve;
  });
  const leave = enlist(interrupt);
  try {
    const result = await attempt(spec, start, interrupted);
    return { ...result, durationMs: Math.round(steadyMs() - begun) };
  } finally {
    leave();
  }
}

async function attempt(
  spec: RunSpec,
  start: StartProgram,
  interrupted: Promise<void>,
): Promise<RunEnd & RunOutput> {
  if (spec.signal?.aborted || isInterrupted()) return { kind: 'cancelled', ...SILENT };
  const log = openLog(spec);
  if (log.kind === 'not-started') return { ...log, ...SILENT };
  const output = new CollectedOutput(spec, log.file);
  const started = await startChild(spec, start);
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
  { child, release }: Started,
  spec: RunSpec,
  interrupted: Promise<void>,
  output: CollectedOutput,
): Promise<RunEnd> {
  const [, stdout, stderr] = child.pipes;
  if (stdout && stderr) output.listen(stdout, stderr);
  const how = await firstEnd(child.ended, spec.timeoutMs, interrupted, spec.signal);
  await endGroup(child.pid);
  if (how !== 'ended') await waitAtMost(REAPED_WITHIN_MS, child.ended);
  await output.drain();
  child.letGo();
  release();
  if (how === 'ended') return child.ended;
  return how === 'timed-out' ? { kind: 'timed-out', afterMs: spec.timeoutMs } : { kind: 'cancelled' };
}
