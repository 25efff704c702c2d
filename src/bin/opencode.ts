import type { Answer } from '../domain/decision';
import type { JsonObject } from '../domain/json';
import type { Hooks, PluginInput } from '../hosts/opencode/client';
import { hooksFor } from '../hosts/opencode/plugin';
import { chunkLoader } from './load-chunk';

/**
 * What the plugin file loads into OpenCode's own process. Everything that handles an event is loaded anew
 * for each, as if a process had been started for it: nothing is remembered that a file says otherwise, and
 * an upgrade counts from the next event on.
 */
export async function plugin(input: PluginInput): Promise<Hooks> {
  const { client, directory } = input;
  const ends = process.argv.slice(2).find((word) => !word.startsWith('-')) === 'run';
  return hooksFor({ client, directory, ends, loadedAt: Date.now(), answer });
}

function answer(document: JsonObject): Answer | Promise<Answer> {
  const loader = chunkLoader({ dir: __dirname, require, build: '', folder: undefined });
  const chunk = loader.load('in-process', 'any') as typeof import('./in-process');
  return chunk.answerInProcess(document, loader);
}
