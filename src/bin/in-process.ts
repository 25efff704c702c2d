import type { Answer } from '../domain/decision';
import { detailOf, succeed } from '../domain/failure';
import type { JsonObject } from '../domain/json';
import { isDisabled, selectGuards } from '../engine/selection';
import { chunksFrom } from '../pipeline/chunks';
import { handleEvent, UNWATCHED } from '../pipeline/handle-event';
import type { ChunkLoader } from './load-chunk';

/** One event of OpenCode, handled in the process of the host. Never throws and never ends the process. */
export function answerInProcess(document: JsonObject, loader: ChunkLoader): Answer | Promise<Answer> {
  if (isDisabled(process.env) || selectGuards([], process.env).guards.length === 0) return UNWATCHED;
  const text = JSON.stringify(document);
  const mistake = (error: unknown): Answer => ({ ...UNWATCHED, stderr: mistakeText(error, text, loader) });
  try {
    const answer = handleEvent(succeed(text), {
      host: 'opencode',
      only: [],
      env: environmentFor(document),
      chunks: chunksFrom((name) => loader.load(name, 'opencode')),
      now: Date.now(),
    });
    return answer instanceof Promise ? answer.catch(mistake) : answer;
  } catch (error) {
    return mistake(error);
  }
}

/** The session's process is this one, and its project the one it was opened in, whoever started the program. */
function environmentFor({ directory }: JsonObject): Readonly<Record<string, string | undefined>> {
  return { ...process.env, CLAUDE_PID: String(process.pid), CLAUDE_PROJECT_DIR: String(directory) };
}

function mistakeText(error: unknown, input: string, loader: ChunkLoader): string {
  const text = `holdpoint: a mistake of ours: ${detailOf(error)}. The event was let through unchecked.\n`;
  try {
    const { reportBug } = loader.load('report-bug', 'other') as typeof import('../pipeline/report-bug');
    const file = reportBug({ error, args: ['opencode'], input, env: process.env, now: Date.now() });
    return file === undefined ? text : `${text}holdpoint: please report it with ${file}\n`;
  } catch {
    return text;
  }
}
