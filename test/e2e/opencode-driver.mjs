// Loads a plugin file as OpenCode does and plays hook calls to it, from standard input; tells what came of each.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const { plugin, directory, sessions, broken, steps } = JSON.parse(readFileSync(0, 'utf8'));
const calls = [];
let messages = [];

const answer = (name, data) => async (request) => {
  calls.push({ name, request });
  if (broken) throw new Error('the server is gone');
  return { data: data(request) };
};
const client = {
  session: {
    get: answer('session.get', ({ path }) => sessions[path.id] ?? {}),
    messages: answer('session.messages', () => messages),
    prompt: answer('session.prompt', () => ({})),
    promptAsync: answer('session.promptAsync', () => ({})),
  },
  app: { log: answer('app.log', () => true) },
  tui: { showToast: answer('tui.showToast', () => true) },
};

const module = await import(pathToFileURL(plugin).href);
const [make] = Object.values(module);
const hooks = await make({ client, directory, worktree: directory, project: {}, $: undefined });
const results = [];
for (const { hook, input = {}, output = {}, messages: next, echoes } of steps) {
  if (next !== undefined) messages = next;
  // A prompt of the plugin's comes back to it like any other; where there was none, the turn is over.
  const asked = calls.filter(({ name }) => name === 'session.promptAsync')[echoes];
  if (echoes !== undefined && asked === undefined) break;
  if (asked !== undefined) output.parts = structuredClone(asked.request.body.parts);
  const result = { output };
  try {
    await hooks[hook]?.(input, output);
  } catch (error) {
    result.threw = error.message;
  }
  results.push(result);
}
await new Promise((resolve) => setImmediate(resolve));
process.stdout.write(
  JSON.stringify({ exports: Object.keys(module).length, hooks: Object.keys(hooks), results, calls }),
);
