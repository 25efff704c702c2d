import { chunksFrom } from './chunks';
import { detailOf, type Result } from './failure';
import { optionsFrom } from './hook-options';
import { handleEvent, type Surroundings } from './route';
import { isDisabled, selectGuards } from './selection';
import type { Answer } from './verdict';

export const SILENT: Answer = { stdout: '', stderr: '', exitCode: 0, losses: [] };

/** One call of the hook, by a process of its own, by the server, or inside a host. */
export type HookCall = Omit<Surroundings, 'host' | 'only' | 'chunks'> & {
  readonly args: readonly string[];
  /** Not called where everything that was asked for is switched off. */
  read(): Result<string>;
  load(name: string): unknown;
};

/** Answers one event, whatever comes in. Throws only where the caller cannot run what the event needs. */
export async function answerHook({ args, read, load, ...call }: HookCall): Promise<Answer> {
  const { host, only, odd } = optionsFrom(args);
  if (selectGuards(only, call.env).guards.length === 0) return SILENT;
  const input = read();
  if (isDisabled(call.env)) return { ...SILENT, stderr: 'holdpoint: switched off by HOLDPOINT_DISABLE.\n' };
  const warning = odd === undefined ? '' : oddText(odd, load);
  try {
    const answer = await handleEvent(input, { ...call, host, only, chunks: chunksFrom(load) });
    return { ...answer, stderr: warning + answer.stderr };
  } catch (error) {
    if (error instanceof Error && error.name === 'LeaveEvent') throw error;
    const { detail, report } = internalError(error, ['hook', ...args], input.ok ? input.value : '', load);
    const text = `holdpoint: a mistake of ours: ${detail}. The event was let through unchecked.\n${report}`;
    return { ...SILENT, stderr: warning + text };
  }
}

/**
 * What is said of an error of our own, with the file of its report where one could be written. The report is
 * written by a chunk, which may be the very thing that is broken.
 */
export function internalError(
  error: unknown,
  args: readonly string[],
  input: string,
  load: (name: string) => unknown,
): { readonly detail: string; readonly report: string } {
  const detail = detailOf(error);
  try {
    const { reportBug } = load('report-bug') as typeof import('./report-bug');
    const file = reportBug({ error, args, input, env: process.env, now: Date.now() });
    return { detail, report: file === undefined ? '' : `holdpoint: please report it with ${file}\n` };
  } catch {
    return { detail, report: '' };
  }
}

function oddText(args: readonly string[], load: (name: string) => unknown): string {
  const { oddArguments } = load('odd-arguments') as typeof import('./odd-arguments');
  return oddArguments(args)
    .map((line) => `holdpoint: ${line}\n`)
    .join('');
}
