import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { opencodeSetup } from '../../src/hosts/opencode/setup';
import { CONFIG_FILE, commandFile, makeRig, PLAN_CONFIG, type Rig } from './rig';

const DRIVER = fileURLToPath(new URL('./opencode-driver.mjs', import.meta.url));
const LIBRARY = '.config/holdpoint/library.cjs';
const ROOT = 'ses_e21830774ffeGTQsduT13RUD6t';
const CHILD = 'ses_e2182fe13ffeloHVwobkXODXJ5';

const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.remove();
});

interface Step {
  readonly hook: string;
  readonly input?: object;
  readonly output?: object;
  readonly messages?: readonly object[];
  readonly echoes?: number;
}

interface Played {
  readonly exports: number;
  readonly hooks: readonly string[];
  readonly results: readonly { readonly threw?: string; readonly output: Record<string, unknown> }[];
  readonly calls: readonly { readonly name: string; readonly request: Record<string, unknown> }[];
}

interface How {
  readonly mode?: string;
  readonly broken?: boolean;
  readonly sessions?: object;
  readonly env?: Record<string, string>;
}

function rigWith(config: string = PLAN_CONFIG): Rig {
  const rig = makeRig(config);
  rigs.push(rig);
  const dist = dirname(commandFile('hook'));
  rig.writeHome(
    LIBRARY,
    `exports.load = (name) => require(${JSON.stringify(dist)} + '/' + name + '.cjs');\n`,
  );
  return rig;
}

/** Writes the plugin file as `install` would, and plays steps to it in a process of its own. */
function play(rig: Rig, steps: readonly Step[], { mode = 'tui', env, ...more }: How = {}): Played {
  const ground = { project: rig.repo, home: rig.home, env: {} };
  const sheet = opencodeSetup.installSpec('project', ground);
  rig.write(sheet.file.slice(rig.repo.length + 1), sheet.files?.[0]?.text ?? '');
  rig.write('.opencode/package.json', '{"type": "module"}\n');
  const input = JSON.stringify({ plugin: sheet.file, directory: rig.repo, sessions: {}, steps, ...more });
  const options = { input, encoding: 'utf8', env: rig.environment(env), cwd: rig.repo } as const;
  const { stdout, stderr, status } = spawnSync(process.execPath, [DRIVER, mode], options);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const created = (id = ROOT, info: object = {}): Step => ({
  hook: 'event',
  input: {
    event: {
      type: 'session.created',
      properties: { sessionID: id, info: { id, time: { created: 9e15 }, ...info } },
    },
  },
});
const typed = (text: string, more: object = {}): Step => ({
  hook: 'chat.message',
  input: { sessionID: ROOT },
  output: { message: { agent: 'build', model: { modelID: 'm' } }, parts: [{ type: 'text', text, ...more }] },
});
const calling = (tool: string, args: object, sessionID = ROOT): Step => ({
  hook: 'tool.execute.before',
  input: { tool, sessionID, callID: 'call_1' },
  output: { args },
});
const edit = calling('edit', { filePath: 'a.txt', oldString: 'x', newString: 'y' });
const batch = (...calls: object[]): Step => calling('batch', { tool_calls: calls });
const idle = (...messages: object[]): Step => ({
  hook: 'event',
  input: { event: { type: 'session.idle', properties: { sessionID: ROOT } } },
  messages,
});
const said = (text: string, error?: object) => ({
  info: { role: 'assistant', ...(error && { error }) },
  parts: [{ type: 'text', text }],
});
/** What the plugin has asked for last comes back as a prompt. */
const echo = (n: number): Step => ({ ...typed(''), echoes: n });
const toasts = ({ calls }: Played) => calls.filter(({ name }) => name === 'tui.showToast');
const prompts = ({ calls }: Played) => calls.filter(({ name }) => name === 'session.promptAsync');

describe('the plugin in OpenCode', () => {
  test('refuses a call by an error whose message is the reason, and briefs the session with its first prompt', () => {
    const { exports, results } = play(rigWith(), [created(), typed('Go.'), edit]);
    expect(exports).toBe(1);
    expect(JSON.stringify(results[1]?.output)).toContain('Go.\\n\\n## Requirements: 0/1 satisfied');
    expect(results[2]?.threw).toContain('Blocked: commit_plan');
  });

  test('judges each call of a batch, which OpenCode runs without telling it of them', () => {
    const read = { tool: 'read', parameters: { filePath: 'a.txt' } };
    const write = { tool: 'write', parameters: { filePath: 'a.txt', content: 'x' } };
    const { results } = play(rigWith(), [created(), batch(read, read), batch(read, write)]);
    expect(results[1]).not.toHaveProperty('threw');
    expect(results[2]?.threw).toContain('Blocked: commit_plan');
  });

  test('sees at each call what is on disk then', () => {
    const rig = rigWith();
    const shell: Step = { hook: 'shell.env', input: { sessionID: ROOT }, output: { env: {} } };
    const first = play(rig, [created(), edit, shell]);
    expect(first.results[1]?.threw).toContain('commit_plan');
    const env = { HOLDPOINT_SESSION_ID: ROOT };
    expect(first.results[2]?.output).toStrictEqual({ env });
    expect(rig.req(['satisfy', 'commit_plan'], { env }).exitCode).toBe(0);
    expect(play(rig, [edit]).results[0]).not.toHaveProperty('threw');
  });

  test('counts a subagent to the session that started it, be it looked up', () => {
    const rig = rigWith();
    const shell: Step = { hook: 'shell.env', input: { sessionID: CHILD }, output: { env: {} } };
    const { results } = play(rig, [calling('bash', { command: 'ls' }, CHILD), shell], {
      sessions: { [CHILD]: { parentID: ROOT, agent: 'general' } },
    });
    expect(results[1]?.output).toStrictEqual({ env: { HOLDPOINT_SESSION_ID: ROOT } });
  });

  test('sends the agent back to its loop, whose session the shell knows, and lets go at our own bound', () => {
    const rig = rigWith();
    const env = { HOLDPOINT_SESSION_ID: ROOT };
    expect(rig.holdpoint(['loop', 'start', '--max', '50', 'Tidy up'], { env }).exitCode).toBe(0);
    const steps: Step[] = [created(), typed('Go.')];
    for (let n = 0; n < 12; n++) steps.push(idle(said(`Done ${n}.`)), echo(n));
    const told = prompts(play(rig, steps));
    expect(JSON.stringify(told[0]?.request)).toContain('Stop hook feedback:\\n[ITERATION 2/50]');
    expect(told[0]?.request).toMatchObject({ body: { agent: 'build', model: { modelID: 'm' } } });
    expect(told).toHaveLength(8);
    expect(prompts(play(rig, [created(), typed('Go.'), idle(said('Done.'))], { mode: 'run' }))).toStrictEqual(
      [],
    );
  });

  test('never lets a mistake of ours or of the server into the host', () => {
    const { results } = play(rigWith(), [typed('Go.'), edit, idle(said('Done.'))], { broken: true });
    expect(results[0]).not.toHaveProperty('threw');
    expect(results[1]?.threw).toContain('commit_plan');
    expect(results[2]).not.toHaveProperty('threw');
  });

  test('does nothing but say so where Holdpoint is not installed', () => {
    const rig = rigWith();
    rig.writeHome(LIBRARY, 'exports.load = () => { throw new Error("no version is left"); };\n');
    const { hooks, results } = play(rig, [created(), edit]);
    expect(hooks).toStrictEqual([]);
    expect(results.some(({ threw }) => threw !== undefined)).toBe(false);
  });

  test('says once what is wrong with the config, and holds nothing then', () => {
    const rig = rigWith('requirements: [\n');
    const played = play(rig, [created(), edit, edit]);
    expect(played.results.some(({ threw }) => threw !== undefined)).toBe(false);
    const shown = toasts(played).map(({ request }) => JSON.stringify(request));
    expect(shown.filter((text) => text.includes(CONFIG_FILE)).length).toBeGreaterThan(0);
    expect(new Set(shown).size).toBe(shown.length);
  });

  test('is silent when switched off', () => {
    const { results, calls } = play(rigWith(), [created(), edit], { env: { HOLDPOINT_DISABLE: '1' } });
    expect(results.some(({ threw }) => threw !== undefined)).toBe(false);
    expect(calls).toStrictEqual([]);
  });
});

test('the commands are written beside the plugin', () => {
  const ground = { project: '/p', home: '/h', env: {} };
  const files = opencodeSetup.installSpec('user', ground).files?.slice(1) ?? [];
  expect(files.map(({ file }) => file)).toContain(join('/h/.config/opencode/command', 'holdpoint-status.md'));
  for (const { text } of files) expect(text).toMatch(/^---\ndescription: "[^"\n]+"\n---\n\n\S/);
});
