import { chunksFrom } from '../core/chunks';
import type { Answer } from '../core/decision';
import { succeed } from '../core/failure';
import type { JsonObject } from '../core/json';
import { isDisabled, selectGuards } from '../core/selection';
import type { Hooks, PluginInput } from '../hosts/opencode/client';
import { hooksFor } from '../hosts/opencode/plugin';
import { chunkLoader } from './code-cache';
import { internalError, internalErrorText } from './internal-error';

const SILENT: Answer = { stdout: '', stderr: '', exitCode: 0, losses: [] };

/** What the plugin file loads into OpenCode's own process. */
export async function plugin({ client, directory }: PluginInput): Promise<Hooks> {
  const ends = process.argv.slice(2).find((word) => !word.startsWith('-')) === 'run';
  return hooksFor({ client, directory, ends, loadedAt: Date.now(), answer });
}

/**
 * Everything that handles an event is loaded anew for each, as if a process had been started for it: nothing is
 * remembered, and an upgrade counts from the next event on. Never throws and never ends the process.
 */
async function answer(document: JsonObject): Promise<Answer> {
  if (isDisabled(process.env) || selectGuards([], process.env).guards.length === 0) return SILENT;
  const { load } = chunkLoader(__dirname, require, undefined);
  const text = JSON.stringify(document);
  try {
    const { handleEvent } = load('run') as typeof import('./run');
    // The session's process is this one, and its project the one it was opened in, whoever started the program.
    const env = {
      ...process.env,
      CLAUDE_PID: String(process.pid),
      CLAUDE_PROJECT_DIR: String(document['directory']),
    };
    return await handleEvent(succeed(text), {
      host: 'opencode',
      only: [],
      env,
      chunks: chunksFrom(load),
      now: Date.now(),
    });
  } catch (error) {
    return { ...SILENT, stderr: internalErrorText(internalError(error, ['opencode'], text, load)) };
  }
}
