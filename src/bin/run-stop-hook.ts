import type { Answer } from '../domain/decision';
import { detailOf, type Result } from '../domain/failure';
import type { Report } from '../domain/verdict';
import { isDisabled } from '../engine/selection';
import { activeReport, disabledReport, errorReport } from '../guards/gates/report';
import { type Chunks, chunksFrom } from '../pipeline/chunks';
import { handleStopHook } from '../pipeline/stop-hook';
import { stopHookAnswer } from '../pipeline/stop-hook-answer';
import { readJsonText } from '../process/read-json-text';
import { continueFrom } from './continue-from';
import { exit, keepNews, say } from './ending';
import type { Beginning } from './first-chunk';
import type { ChunkLoader } from './load-chunk';

const INPUT_WITHIN_MS = 5000;
/** How a call ended, as bits: each way runs functions that the others do not. */
const AT_ONCE = 1;
const AFTER_WAITING = 2;
/** Whose compiled code will do. */
const EVENT = 'stop-hook';

/** Answers one call of the gates' own command: always one line, and exit code 0. */
export function run(beginning: Beginning): void {
  const loader = continueFrom('run-stop-hook', beginning);
  const off = switchedOff();
  if (off !== undefined) finish(stopHookAnswer(off), loader, AT_ONCE);
  let text = '';
  const mistake = (error: unknown): never => finish(mistakeAnswer(error, text, loader), loader, 0);
  const handle = (input: Result<string>): Answer | Promise<Answer> => {
    text = input.ok ? input.value : '';
    const chunks = chunksFor(loader);
    return handleStopHook(input, { host: undefined, env: process.env, chunks, now: Date.now(), cwd: here() });
  };
  try {
    const input = readJsonText(INPUT_WITHIN_MS);
    const answer = input instanceof Promise ? input.then(handle) : handle(input);
    if (answer instanceof Promise) answer.then((late) => finish(late, loader, AFTER_WAITING)).catch(mistake);
    else finish(answer, loader, AT_ONCE);
  } catch (error) {
    mistake(error);
  }
}

/** Looked at before anything is read: a reviewer that we have started must never wait here. */
function switchedOff(): Report | undefined {
  const { env } = process;
  if ((env['GAUNTLET_STOP_HOOK_ACTIVE'] ?? '') !== '') return activeReport();
  return isDisabled(env) ? disabledReport('HOLDPOINT_DISABLE') : undefined;
}

/** The directory that we were called in may be gone. */
function here(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

function chunksFor(loader: ChunkLoader): Chunks {
  const load = (name: string): unknown => loader.load(name, EVENT);
  return chunksFrom(load, (names) => {
    try {
      loader.loadTogether(names, EVENT);
    } catch {
      // Whichever of them is broken says so when it is asked for.
    }
  });
}

function mistakeAnswer(error: unknown, input: string, loader: ChunkLoader): Answer {
  const answer = stopHookAnswer(errorReport(detailOf(error)));
  try {
    const { reportBug } = loader.load('report-bug', 'other') as typeof import('../pipeline/report-bug');
    const args = ['gates', 'stop-hook'];
    const file = reportBug({ error, args, input, env: process.env, now: Date.now() });
    return file === undefined ? answer : { ...answer, stderr: `holdpoint: please report it with ${file}\n` };
  } catch {
    return answer;
  }
}

function finish(answer: Answer, loader: ChunkLoader, ending: number): never {
  say(answer.stdout, answer.stderr);
  return exit(0, () => {
    if (ending > 0) keepNews(loader, ending);
  });
}
