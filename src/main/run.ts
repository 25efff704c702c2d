import { attempt, detailOf, type Result } from '../core/failure';
import { chunksFrom } from '../core/guard';
import { answerHook, withAcceptedSwitches } from '../core/hook';
import type { Answer } from '../core/verdict';
import { processStartTime, readAll, readJsonText, writeAll } from '../exec/processes';
import type { ChunkLoader, Compiled } from './code-cache';

// For hosts that load us into their own process.
export { answerHook };

const INPUT_WITHIN_MS = 5000;

/** Handles one event, then exits with code 0 or 2, never another. */
export async function run(loader: ChunkLoader): Promise<never> {
  const args = process.argv.slice(2);
  return args[0] === 'stop-hook' ? stopHook(loader) : hook(args, loader);
}

async function hook(args: readonly string[], loader: ChunkLoader): Promise<never> {
  const { load, compile } = loader;
  const wasAsked = process.env['HOLDPOINT_ASKED'] !== undefined;
  delete process.env['HOLDPOINT_ASKED'];
  let text = '';
  const read = (): Result<string> => {
    const input = readAll(0);
    if (input.ok) text = input.value;
    return input;
  };
  const answer = await answerHook({
    args,
    read,
    load,
    compile,
    env: process.env,
    ...times(wasAsked),
    ...(wasAsked && { isUnanswered: true }),
  });
  return finish(answer, text, loader);
}

/** The gates' own command: always prints one line and exits with code 0. */
async function stopHook(loader: ChunkLoader): Promise<never> {
  const { answerStopHook, answerIfOff } = loader.load('stop-hook') as typeof import('../core/stop-hook');
  const cwd = currentDirectory();
  const { env } = withAcceptedSwitches({ env: process.env }, () => [cwd], chunksFrom(loader.load));
  // Checked before anything is read: a reviewer that we started must never wait here.
  const off = answerIfOff(env);
  if (off !== undefined) return finish(off, '', loader);
  const input = await readJsonText(INPUT_WITHIN_MS);
  const invocation = { host: undefined, env, now: Date.now(), cwd };
  const answer = await answerStopHook(input, invocation, loader.load);
  return finish(answer, input.ok ? input.value : '', loader);
}

function finish({ stdout, stderr, exitCode, after }: Answer, input: string, loader: ChunkLoader): never {
  if (stderr !== '') writeAll(2, stderr);
  if (!writeAll(1, stdout)) writeAll(2, 'holdpoint: standard output is closed; the answer is lost.\n');
  const note = runRemainingWork({ after });
  // With exit code 2 the agent reads stderr as the reason, so print the note only with 0.
  if (note !== '' && exitCode === 0) writeAll(2, note);
  saveCompiledCode(loader, profileOf(input, stdout));
  process.exit(exitCode);
}

/** Does the remaining work for an answered event. An error here can no longer affect the answer. */
export function runRemainingWork({ after }: { readonly after?: Answer['after'] | undefined }): string {
  try {
    return after?.() ?? '';
  } catch (error) {
    return `holdpoint: the event was not recorded (${detailOf(error)}).\n`;
  }
}

/** Upper bound on the events whose code is merged into one cached script. */
const MOST_EVENTS = 36;

/** Stores what V8 has compiled, for the first two events of each profile: each runs other functions. */
export function saveCompiledCode({ compiled, dir, load }: ChunkLoader, profile: number): void {
  const isNew = ({ covered }: Compiled): boolean =>
    (covered[profile] ?? 0) < 2 && covered.reduce((sum, one) => sum + one, 0) < MOST_EVENTS;
  const unsaved = compiled.filter(isNew);
  if (dir === undefined || unsaved.length === 0) return;
  try {
    const { storeCode } = load('store-code') as typeof import('./store-code');
    for (const one of unsaved) storeCode(dir, one, profile);
  } catch {
    // This only costs the next event some time.
  }
}

// The events and tools that run most functions of their own; all others are one profile.
const EVENTS =
  ',PreToolUse,PostToolUse,UserPromptSubmit,Stop,SessionStart,BeforeTool,AfterTool,BeforeAgent,AfterAgent';
const TOOLS = ',Bash,Task,Agent,Skill';

/** The profile of an event: its kind, and whether we printed anything. Each combination runs other functions. */
function profileOf(input: string, stdout: string): number {
  const among = (names: string, key: string): number => {
    const at = input.indexOf(`"${key}"`);
    const name = at < 0 ? '' : input.slice(at + key.length + 2, at + key.length + 40).split('"', 2)[1];
    return Math.max(0, names.split(',').indexOf(name ?? ''));
  };
  return (among(EVENTS, 'hook_event_name') * 5 + among(TOOLS, 'tool_name')) * 2 + (stdout === '' ? 0 : 1);
}

/** If the shell we replaced is older than this, a pool kept it waiting: its start is not the event's. */
const LONGEST_ASKING_MS = 2000;

/** `processStartTime` is up to two clock ticks late, and a server answers faster than that. */
const ROUNDING_MS = 20;

/** Uptime first: a delay in between must not make us look older, because an older hook may be a duplicate. */
function times(hasAsked: boolean): { now: number; startedAt(): number } {
  const upMs = process.uptime() * 1000;
  const now = Date.now();
  const started = now - upMs;
  const startedAt = (): number => {
    // The server that was asked is no duplicate, so here a time that is too early does no harm.
    if (hasAsked) return (processStartTime(process.pid) ?? started - LONGEST_ASKING_MS) - ROUNDING_MS;
    // The shell that this process replaced may have asked a server first; the event began with that shell.
    const began = processStartTime(process.pid) ?? started;
    return started - began > LONGEST_ASKING_MS ? started : Math.min(started, began);
  };
  return { now, startedAt };
}

/** Empty if the directory that we were called in is gone. */
function currentDirectory(): string {
  return attempt(() => process.cwd()) ?? '';
}
