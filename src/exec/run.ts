import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { detailOf, errorCode } from '../core/failure';
import { announceFailure, announceStart, RUN_MARK, watchGroup } from './guardian';
import { collectOutput, type OutputSpec, type RunOutput } from './output';
import { endGroup, isInterrupted, registerRun, waitAtMost } from './process-group';
import { monotonicMs } from './processes';

type Env = Readonly<Record<string, string | undefined>>;

/** A program to run without a shell: it gets `args` unchanged. */
export interface RunSpec extends OutputSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; `childEnvironment` adjusts it and we add our mark. */
  readonly env: Env;
  /** Sent to standard input, which is empty without it. */
  readonly input?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

type NotStarted = { readonly kind: 'not-started'; readonly detail: string };

export type RunEnd =
  | NotStarted
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  | { readonly kind: 'cancelled' };

export type RunResult = RunEnd & RunOutput & { readonly durationMs: number };

/** How long to wait for a killed process to exit. One stuck in the kernel may take longer; we do not wait for it. */
const REAPED_WITHIN_MS = 1000;
const SILENT: RunOutput = { stdout: '', stderr: '', cut: false, isLogged: false };

/**
 * Runs a program to its end, with a timeout, and returns its output. However it ends, its whole process group is gone
 * when this returns, and also if we are killed. Only a process that moved to a session of its own survives, and we do
 * not wait for it.
 */
export async function runCommand(spec: RunSpec): Promise<RunResult> {
  const begun = monotonicMs();
  let cancel = (): void => undefined;
  const cancelled = new Promise<RunEnd>((resolve) => {
    cancel = () => resolve({ kind: 'cancelled' });
  });
  const leave = registerRun(cancel);
  spec.signal?.addEventListener('abort', cancel);
  try {
    const result = await attempt(spec, cancelled);
    return { ...result, durationMs: Math.round(monotonicMs() - begun) };
  } finally {
    spec.signal?.removeEventListener('abort', cancel);
    leave();
  }
}

async function attempt(spec: RunSpec, cancelled: Promise<RunEnd>): Promise<RunEnd & RunOutput> {
  if (spec.signal?.aborted || isInterrupted()) return { kind: 'cancelled', ...SILENT };
  let output: Output;
  try {
    output = collectOutput(spec);
  } catch (error) {
    return { kind: 'not-started', detail: detailOf(error), ...SILENT };
  }
  const started = await startChild(spec);
  const end = 'child' in started ? await supervise(started, spec, cancelled, output) : started;
  return { ...end, ...output.finish() };
}

type Output = ReturnType<typeof collectOutput>;

interface Started {
  readonly child: ChildProcess;
  readonly group: number;
  /** Call it once the group has ended. */
  readonly release: () => void;
}

/** Starts a program as leader of its own process group and session, watched by the guardian. Never throws. */
async function startChild(spec: RunSpec): Promise<Started | NotStarted> {
  const mark = announceStart();
  try {
    const child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: { ...childEnvironment(spec.env), [RUN_MARK]: mark },
      stdio: [spec.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    });
    const { pid } = child;
    // Without an `await` before it: the guardian can track only one announced program at a time.
    if (pid !== undefined) return { child, group: pid, release: watchGroup(pid) };
    throw await new Promise((reject) => child.once('error', reject));
  } catch (error) {
    announceFailure();
    return notStarted(spec, error);
  }
}

async function supervise(
  { child, group, release }: Started,
  { input, timeoutMs }: RunSpec,
  cancelled: Promise<RunEnd>,
  output: Output,
): Promise<RunEnd> {
  const ended = new Promise<RunEnd>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal }),
    );
  });
  output.listen('stdout', child.stdout as Readable);
  output.listen('stderr', child.stderr as Readable);
  // The program may exit without reading its input; writing then fails.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  const end = await waitAtMost(timeoutMs, Promise.race([ended, cancelled]));
  await endGroup(group);
  await waitAtMost(REAPED_WITHIN_MS, ended);
  await output.drain();
  child.stdin?.destroy();
  child.unref();
  release();
  return end ?? { kind: 'timed-out', afterMs: timeoutMs };
}

function notStarted({ cwd, command }: RunSpec, error: unknown): NotStarted {
  const file = resolve(cwd, command);
  const isThere = errorCode(error) === 'ENOENT' && command.includes('/') && existsSync(file);
  const noInterpreter = `${file} exists, but the interpreter that its first line names does not`;
  const detail = cwdTrouble(cwd) ?? (isThere ? noInterpreter : detailOf(error));
  return { kind: 'not-started', detail };
}

/** `spawn` reports a missing directory with the same error as a missing program. */
function cwdTrouble(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return `${cwd} is not a directory`;
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    return detailOf(error);
  }
}

/**
 * Variables that our hook line hides from our own process: reading certificates would be the slowest part of our start,
 * and `NODE_OPTIONS` or `NODE_PATH` can make Node run other code instead of ours.
 */
export const KEPT_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'NODE_PATH'] as const;

/** The environment for programs we start: ours, with the variables of `KEPT_VARIABLES` restored. */
export function childEnvironment(env: Env): Env {
  const own: Record<string, string | undefined> = { ...env };
  for (const name of KEPT_VARIABLES) {
    own[name] ||= env[`HOLDPOINT_${name}`];
    if (!own[name]) delete own[name];
  }
  return own;
}
