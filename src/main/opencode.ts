import { succeed } from '../core/failure';
import type { JsonObject } from '../core/json';
import type { Answer } from '../core/verdict';
import { NO_ANSWER } from '../core/verdict';
import { type Hooks, hooksFor, type PluginInput } from '../hosts/opencode/plugin';
import { chunkLoader } from './code-cache';

/** What the plugin file loads into OpenCode's own process. */
export async function plugin({ client, directory }: PluginInput): Promise<Hooks> {
  const ends = process.argv.slice(2).find((word) => !word.startsWith('-')) === 'run';
  return hooksFor({ client, directory, ends, loadedAt: Date.now(), answer });
}

/**
 * Everything that handles an event is loaded anew for each, as if a process had been started for it: nothing is
 * remembered, and an upgrade counts from the next event on.
 */
async function answer(document: JsonObject): Promise<Answer> {
  const { load } = chunkLoader(__dirname, require, undefined);
  const { answerHook, afterwards } = load('run') as typeof import('./run');
  // The session's process is this one, and its project the one it was opened in, whoever started the program.
  const CLAUDE_PID = String(process.pid);
  const CLAUDE_PROJECT_DIR = String(document['directory']);
  const said = await answerHook({
    args: ['--host', 'opencode'],
    read: () => succeed(JSON.stringify(document)),
    load,
    env: { ...process.env, CLAUDE_PID, CLAUDE_PROJECT_DIR },
    now: Date.now(),
  });
  if (said.after !== undefined) setImmediate(() => afterwards(said));
  // A host that shows our errors in its own window need not be told at every event that we are switched off.
  return said.stderr.includes('HOLDPOINT_DISABLE') ? NO_ANSWER : said;
}
