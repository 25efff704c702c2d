import { chunksFrom } from '../core/chunks';
import type { Answer } from '../core/decision';
import type { Result } from '../core/failure';
import { handleEvent } from '../core/handle-event';
import { optionsFrom } from '../core/hook-options';
import { isDisabled, selectGuards } from '../core/selection';
import { handleStopHook } from '../core/stop-hook';
import { stopHookAnswer } from '../core/stop-hook-answer';
import type { Report } from '../core/verdict';
import { readAll, readJsonText, writeAll } from '../exec/standard-io';
import { activeReport, disabledReport, errorReport } from '../guards/gates/report';
import type { ChunkLoader } from './code-cache';
import { internalError, internalErrorText } from './internal-error';

// For hosts that load us into their own process.
export { handleEvent };

const INPUT_WITHIN_MS = 5000;

/** Handles one event, then ends the process with code 0 or 2 and never another. */
export function run(loader: ChunkLoader): void {
  const args = process.argv.slice(2);
  if (args[0] === 'stop-hook') stopHook(loader);
  else hook(args, loader);
}

function hook(args: readonly string[], loader: ChunkLoader): void {
  const options = optionsFrom(args);
  // Whoever has switched off everything that was asked for need not even send an event.
  if (selectGuards(options.only, process.env).guards.length === 0) process.exit(0);
  const input = readAll(0);
  if (isDisabled(process.env)) {
    say('', 'holdpoint: switched off by HOLDPOINT_DISABLE.\n');
    process.exit(0);
  }
  if (options.odd !== undefined) say('', oddText(options.odd, loader));
  answer(input, loader, {
    handle: () =>
      handleEvent(input, {
        host: options.host,
        only: options.only,
        env: process.env,
        chunks: chunksFrom(loader.load),
        ...times(),
      }),
    onError: (error, text) => ({
      ...SILENT,
      stderr: internalErrorText(internalError(error, ['hook', ...args], text, loader.load)),
    }),
  });
}

/** The gates' own command: always one line, and exit code 0. */
function stopHook(loader: ChunkLoader): void {
  const off = switchedOff();
  if (off !== undefined) finish(stopHookAnswer(off), '', loader);
  const handle = (input: Result<string>): void =>
    answer(input, loader, {
      handle: () =>
        handleStopHook(input, {
          host: undefined,
          env: process.env,
          chunks: chunksFrom(loader.load),
          now: Date.now(),
          cwd: here(),
        }),
      onError: (error, text) => {
        const { detail, report } = internalError(error, ['gates', 'stop-hook'], text, loader.load);
        return { ...stopHookAnswer(errorReport(detail)), stderr: report };
      },
    });
  const input = readJsonText(INPUT_WITHIN_MS);
  if (input instanceof Promise) void input.then(handle);
  else handle(input);
}

/** Looked at before anything is read: a reviewer that we have started must never wait here. */
function switchedOff(): Report | undefined {
  if ((process.env['GAUNTLET_STOP_HOOK_ACTIVE'] ?? '') !== '') return activeReport();
  return isDisabled(process.env) ? disabledReport('HOLDPOINT_DISABLE') : undefined;
}

interface Handler {
  handle(): Answer | Promise<Answer>;
  onError(error: unknown, input: string): Answer;
}

const SILENT: Answer = { stdout: '', stderr: '', exitCode: 0, losses: [] };

function answer(input: Result<string>, loader: ChunkLoader, { handle, onError }: Handler): void {
  const text = input.ok ? input.value : '';
  const fail = (error: unknown): never => finish(onError(error, text), text, loader);
  try {
    const answered = handle();
    if (answered instanceof Promise) answered.then((late) => finish(late, text, loader)).catch(fail);
    else finish(answered, text, loader);
  } catch (error) {
    fail(error);
  }
}

function finish({ stdout, stderr, exitCode }: Answer, input: string, loader: ChunkLoader): never {
  say(stdout, stderr);
  loader.save(profileOf(input, stdout));
  process.exit(exitCode);
}

function say(stdout: string, stderr: string): void {
  if (stderr !== '') writeAll(2, stderr);
  if (!writeAll(1, stdout)) writeAll(2, 'holdpoint: nobody reads standard output; the answer is lost.\n');
}

/** What kind of event it was and whether we spoke: each runs other functions, so each adds to the stored code. */
function profileOf(input: string, stdout: string): string {
  const [, event = ''] = /"hook_event_name"\s*:\s*"([A-Za-z]{1,20})"/.exec(input) ?? [];
  const [, tool = ''] = /"tool_name"\s*:\s*"(Bash|Task|Agent|Skill)"/.exec(input) ?? [];
  return `${event}${tool}${stdout === '' ? '' : '+'}`;
}

/** In this order: what the machine does in between must not make us older, for an older process may be a double. */
function times(): { now: number; startedAt: number } {
  const upMs = process.uptime() * 1000;
  const now = Date.now();
  return { now, startedAt: now - upMs };
}

/** The directory that we were called in may be gone. */
function here(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

function oddText(args: readonly string[], loader: ChunkLoader): string {
  const { oddArguments } = loader.load('odd-arguments') as typeof import('../core/odd-arguments');
  return oddArguments(args)
    .map((line) => `holdpoint: ${line}\n`)
    .join('');
}
