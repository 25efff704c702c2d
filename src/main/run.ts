import { chunksFrom } from '../core/chunks';
import { detailOf, type Result, succeed } from '../core/failure';
import { answerHook, withAgreedSwitches } from '../core/hook';
import type { Answer } from '../core/verdict';
import { attempt } from '../exec/attempt';
import { beganAt } from '../exec/processes';
import { readAll, readJsonText, writeAll } from '../exec/standard-io';
import type { ChunkLoader, Compiled } from './code-cache';

// For hosts that load us into their own process.
export { answerHook };

const INPUT_WITHIN_MS = 5000;

/** Handles one event, then ends the process with code 0 or 2 and never another. */
export async function run(loader: ChunkLoader): Promise<never> {
  const args = process.argv.slice(2);
  return args[0] === 'stop-hook' ? stopHook(loader) : hook(args, loader);
}

async function hook(args: readonly string[], loader: ChunkLoader): Promise<never> {
  const { load, compile } = loader;
  const asked = process.env['HOLDPOINT_ASKED'];
  delete process.env['HOLDPOINT_ASKED'];
  let text = '';
  const read = (): Result<string> => {
    const input = readAll(0);
    if (input.ok) text = input.value;
    return input;
  };
  const undelivered = asked === undefined ? undefined : answeredByServer(asked, args, read, load);
  const answer =
    undelivered ??
    (await answerHook({
      args,
      read: asked === undefined ? read : () => succeed(text),
      load,
      compile,
      env: process.env,
      ...times(),
    }));
  return finish(answer, text, loader);
}

/** A server was asked before us and may have answered; `asked` is its directory. */
function answeredByServer(
  asked: string,
  args: readonly string[],
  read: () => Result<string>,
  load: (name: string) => unknown,
): Answer | undefined {
  const input = read();
  const { undeliveredAnswer } = load('outbox') as typeof import('../server/outbox');
  const said = input.ok ? undeliveredAnswer(asked, args.join(' '), input.value) : undefined;
  return said && { ...said, exitCode: said.exitCode === 2 ? 2 : 0, losses: [] };
}

/** The gates' own command: always one line, and exit code 0. */
async function stopHook(loader: ChunkLoader): Promise<never> {
  const { answerStopHook, switchedOff } = loader.load('stop-hook') as typeof import('../core/stop-hook');
  const cwd = here();
  const { env } = withAgreedSwitches({ env: process.env }, () => cwd, chunksFrom(loader.load));
  // Looked at before anything is read: a reviewer that we have started must never wait here.
  const off = switchedOff(env);
  if (off !== undefined) return finish(off, '', loader);
  const input = await readJsonText(INPUT_WITHIN_MS);
  const surroundings = { host: undefined, env, now: Date.now(), cwd };
  const answer = await answerStopHook(input, surroundings, loader.load);
  return finish(answer, input.ok ? input.value : '', loader);
}

function finish({ stdout, stderr, exitCode, after }: Answer, input: string, loader: ChunkLoader): never {
  if (stderr !== '') writeAll(2, stderr);
  if (!writeAll(1, stdout)) writeAll(2, 'holdpoint: standard output is closed; the answer is lost.\n');
  const note = afterwards({ after });
  // Beside a hold by exit code the agent reads standard error.
  if (note !== '' && exitCode === 0) writeAll(2, note);
  keepCode(loader, profileOf(input, stdout));
  process.exit(exitCode);
}

/** Does what is left to do for an event that was answered. Nothing there can harm the answer any more. */
export function afterwards({ after }: { readonly after?: Answer['after'] | undefined }): string {
  try {
    return after?.() ?? '';
  } catch (error) {
    return `holdpoint: the event was not recorded (${detailOf(error)}).\n`;
  }
}

/** As many kinds of events as stored code may be from. */
const MOST_PROFILES = 36;

/** Stores what V8 has compiled by now, for the first two events of each kind: each runs other functions. */
export function keepCode({ compiled, cache, load }: ChunkLoader, profile: string): void {
  const isNew = ({ profiles }: Compiled): boolean =>
    profiles.indexOf(profile) === profiles.lastIndexOf(profile) && profiles.length < MOST_PROFILES;
  const unsaved = compiled.filter(isNew);
  if (cache === undefined || unsaved.length === 0) return;
  try {
    const { storeCode } = load('store-code') as typeof import('./store-code');
    for (const one of unsaved) storeCode(cache, one, profile);
  } catch {
    // It costs the next event some time and nothing else.
  }
}

/** What kind of event it was and whether we spoke: each runs other functions, so each adds to the stored code. */
function profileOf(input: string, stdout: string): string {
  const [, event = ''] = /"hook_event_name"\s*:\s*"([A-Za-z]{1,20})"/.exec(input) ?? [];
  const [, tool = ''] = /"tool_name"\s*:\s*"(Bash|Task|Agent|Skill)"/.exec(input) ?? [];
  return `${event}${tool}${stdout === '' ? '' : '+'}`;
}

/** A shell that had waited for longer before it became this process was kept ready for any event. */
const LONGEST_ASKING_MS = 2000;

/** In this order: what the machine does in between must not make us older, for an older process may be a double. */
function times(): { now: number; startedAt(): number } {
  const upMs = process.uptime() * 1000;
  const now = Date.now();
  const started = now - upMs;
  const startedAt = (): number => {
    // The shell that has become this process may have asked a server first; what it was started for began with it.
    const began = beganAt(process.pid) ?? started;
    return started - began > LONGEST_ASKING_MS ? started : Math.min(started, began);
  };
  return { now, startedAt };
}

/** The directory that we were called in may be gone. */
function here(): string {
  return attempt(() => process.cwd()) ?? '';
}
