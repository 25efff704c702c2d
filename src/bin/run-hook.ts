import { detailOf } from '../domain/failure';
import { HOST_NAMES, type HostName } from '../domain/host-name';
import { isDisabled } from '../engine/selection';
import { kindOf } from '../hosts/claude-code/event-kinds';
import { chunksFrom } from '../pipeline/chunks';
import { handleEvent } from '../pipeline/handle-event';
import { readAll, writeAll } from '../process/standard-io';
import type { ChunkLoader } from './load-chunk';

/** Handles one event: exit code 0 or 2 and never another. */
export async function runHook(args: readonly string[], loader: ChunkLoader): Promise<never> {
  const input = readAll(0);
  if (isDisabled(process.env)) return leave('', 'holdpoint: switched off by HOLDPOINT_DISABLE.\n', 0);
  const text = input.ok ? input.value : '';
  try {
    const answer = await handleEvent(input, {
      ...optionsFrom(args),
      env: process.env,
      chunks: chunksFrom((name) => loader.load(name, eventIn(text))),
      now: Date.now(),
    });
    say(answer.stdout, answer.stderr);
    keepCode(loader);
    process.exit(answer.exitCode);
  } catch (error) {
    return leave('', mistakeText(error, args, text, loader), 0);
  }
}

/** Said here in full: the chunk with all other sentences may be the very thing that is broken. */
function mistakeText(error: unknown, args: readonly string[], input: string, loader: ChunkLoader): string {
  const text = `holdpoint: a mistake of ours: ${detailOf(error)}. The event was let through unchecked.\n`;
  try {
    const { reportBug } = loader.load('report-bug', 'other') as typeof import('../pipeline/report-bug');
    const file = reportBug({ error, args: ['hook', ...args], input, env: process.env, now: Date.now() });
    return file === undefined ? text : `${text}holdpoint: please report it with ${file}\n`;
  } catch {
    return text;
  }
}

interface HookOptions {
  readonly host: HostName | undefined;
  readonly only: readonly string[];
}

/** Reads `--host NAME` and `--only A,B`, each also with `=`. What it does not know it passes over: a hook must run. */
function optionsFrom(args: readonly string[]): HookOptions {
  const flagValue = (flag: string): string | undefined => {
    const joined = args.find((arg) => arg.startsWith(`${flag}=`));
    if (joined !== undefined) return joined.slice(flag.length + 1);
    const at = args.indexOf(flag);
    return at < 0 ? undefined : args[at + 1];
  };
  const host = flagValue('--host');
  const only = flagValue('--only') ?? '';
  return {
    host: HOST_NAMES.find((name) => name === host),
    only: only.split(',').filter((name) => name !== ''),
  };
}

/** The host has its answer: whatever goes wrong now must not change how we leave. */
function keepCode(loader: ChunkLoader): void {
  try {
    loader.keep();
  } catch {
    // It costs the next event some time.
  }
}

/** The event's name, which tells whose compiled code will do; nothing is decided by it. */
function eventIn(text: string): string {
  const name = /"hook_event_name"\s*:\s*"([A-Za-z]{1,40})"/.exec(text)?.[1] ?? '';
  return kindOf(name) === 'other' ? 'other' : name;
}

function leave(stdout: string, stderr: string, exitCode: 0 | 2): never {
  say(stdout, stderr);
  process.exit(exitCode);
}

function say(stdout: string, stderr: string): void {
  if (stderr !== '') writeAll(2, stderr);
  if (!writeAll(1, stdout)) writeAll(2, 'holdpoint: nobody reads standard output; the answer is lost.\n');
}
