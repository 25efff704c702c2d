import { succeed } from '../core/failure';
import type { JsonObject } from '../core/json';
import { type Answer, NO_ANSWER } from '../core/verdict';
import { type Hooks, hooksFor, type PluginInput } from '../hosts/opencode/plugin';
import { chunkLoader } from './code-cache';

/** The plugin that OpenCode loads into its own process. */
export async function plugin({ client, directory }: PluginInput): Promise<Hooks> {
  const ends = process.argv.slice(2).find((word) => !word.startsWith('-')) === 'run';
  return hooksFor({ client, directory, ends, loadedAt: Date.now(), answer });
}

/**
 * Loads all code that handles an event anew for each, as a new process would: nothing is remembered, and an
 * upgrade takes effect at the next event.
 */
async function answer(document: JsonObject): Promise<Answer> {
  const { load } = chunkLoader(__dirname, require);
  const { answerHook, runRemainingWork } = load('run') as typeof import('./run');
  // The session's process is this one, and its project is the opened directory, whoever started OpenCode.
  const CLAUDE_PID = String(process.pid);
  const CLAUDE_PROJECT_DIR = String(document['directory']);
  const said = await answerHook({
    args: ['--host', 'opencode'],
    read: () => succeed(JSON.stringify(document)),
    load,
    env: { ...process.env, CLAUDE_PID, CLAUDE_PROJECT_DIR },
    now: Date.now(),
  });
  if (said.after !== undefined) setImmediate(() => runRemainingWork(said));
  // OpenCode shows our stderr in its own window, so do not repeat at every event that we are disabled.
  return said.stderr.includes('HOLDPOINT_DISABLE') ? NO_ANSWER : said;
}
