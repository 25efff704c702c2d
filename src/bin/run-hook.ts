import type { Answer } from '../domain/decision';
import { detailOf } from '../domain/failure';
import { isDisabled, selectGuards } from '../engine/selection';
import { kindOf } from '../hosts/claude-code/event-kinds';
import { type Chunks, chunksFrom } from '../pipeline/chunks';
import { handleEvent, UNWATCHED } from '../pipeline/handle-event';
import { optionsFrom } from '../pipeline/hook-options';
import { readAll } from '../process/standard-io';
import { continueFrom } from './continue-from';
import { exit, keepNews, say } from './ending';
import type { Beginning } from './first-chunk';
import type { ChunkLoader } from './load-chunk';

/** What is said in full is longer, nearly always. */
const SHORT_ANSWER = 512;
/** Tools whose calls run functions of their own. */
const WITH_OWN_CODE = ['Bash', 'Task', 'Agent', 'Skill'];
/** Events of other hosts that are common enough to have compiled code of their own. */
const OF_OTHER_HOSTS = /^(?:Before|After)(?:Tool|Agent)$|^(?:pre|post)ToolUse$|^stop$/;

/** Handles one event: exit code 0 or 2 and never another. */
export function run(beginning: Beginning): void {
  const args = process.argv.slice(2);
  const loader = continueFrom('run-hook', beginning);
  const options = optionsFrom(args);
  // Whoever has switched off all that was asked for need not even have something to say.
  if (selectGuards(options.only, process.env).guards.length === 0) exit(0);
  const input = readAll(0);
  if (isDisabled(process.env)) leave('', 'holdpoint: switched off by HOLDPOINT_DISABLE.\n', 0);
  const text = input.ok ? input.value : '';
  if (options.odd !== undefined) say('', oddText(options.odd, loader));
  const mistake = (error: unknown): never => leave('', mistakeText(error, args, text, loader), 0);
  try {
    // In this order: what the machine does in between must not make us older, for an older one may be a double.
    const upMs = process.uptime() * 1000;
    const now = Date.now();
    const answer = handleEvent(input, {
      host: options.host,
      only: options.only,
      env: process.env,
      chunks: chunksFor(text, loader),
      now,
      startedAt: now - upMs,
    });
    // Only an effect makes anybody wait; to go through a promise for nothing would cost time.
    if (answer instanceof Promise) answer.then((late) => finish(late, loader)).catch(mistake);
    else finish(answer, loader);
  } catch (error) {
    mistake(error);
  }
}

function finish(answer: Answer, loader: ChunkLoader): never {
  say(answer.stdout, answer.stderr);
  return exit(answer.exitCode, () => keepNews(loader, endingOf(answer)));
}

/** How an event ended, as a bit. Each way runs functions that the others do not; what is said again is said shortly. */
function endingOf(answer: Answer): number {
  if (answer === UNWATCHED) return 1;
  if (answer.stdout === '') return 2;
  return answer.stdout.length < SHORT_ANSWER ? 8 : 4;
}

function oddText(args: readonly string[], loader: ChunkLoader): string {
  const { oddArguments } = loader.load(
    'odd-arguments',
    'other',
  ) as typeof import('../pipeline/odd-arguments');
  return oddArguments(args)
    .map((line) => `holdpoint: ${line}\n`)
    .join('');
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

/** Chunks that do not load together are loaded one by one, so that each can be told of by itself. */
function chunksFor(text: string, loader: ChunkLoader): Chunks {
  let known: string | undefined;
  const event = (): string => {
    known ??= eventIn(text);
    return known;
  };
  const load = (name: string): unknown => loader.load(name, event());
  return chunksFrom(load, (names) => {
    try {
      loader.loadTogether(names, event());
    } catch {
      // Whichever of them is broken says so when it is asked for.
    }
  });
}

/**
 * The event's name, which tells whose compiled code will do; nothing is decided by it. Commands, delegations and
 * skills run functions of their own, so they have code of their own.
 */
function eventIn(text: string): string {
  const name = valueIn(text, '"hook_event_name"');
  if (kindOf(name) === 'other') return OF_OTHER_HOSTS.test(name) ? name : 'other';
  const tool = valueIn(text, '"tool_name"');
  return WITH_OWN_CODE.includes(tool) ? `${name}-${tool}` : name;
}

/** The text behind a key, taken from the document as it stands. */
function valueIn(text: string, key: string): string {
  const at = text.indexOf(key);
  const from = at < 0 ? 0 : text.indexOf('"', at + key.length) + 1;
  return from > 0 ? text.slice(from, text.indexOf('"', from)) : '';
}

function leave(stdout: string, stderr: string, exitCode: 0 | 2): never {
  say(stdout, stderr);
  return exit(exitCode);
}
