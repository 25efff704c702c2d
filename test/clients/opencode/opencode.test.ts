import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { call, say, type Turn } from '../../../src/cli/try/client/turn';
import { type HostPlayed, type HostProject, projectFor } from '../host-project';
import { inClient } from '../in-client';
import { installed } from '../installed';

const CONFIG = `inherit: false
requirements:
  commit_plan: {enabled: true, scope: session, trigger_tools: [{tool: Bash, command_pattern: touch}]}
`;
const SETTINGS = {
  model: 'anthropic/scripted',
  small_model: 'anthropic/scripted',
  autoupdate: false,
  share: 'disabled',
  permission: 'allow',
};

const PROGRAM = installed('opencode').path ?? '';
const TALK = fileURLToPath(new URL('talk-to-server.mjs', import.meta.url));

let project: HostProject;
afterEach(() => project.remove());

const bash = (command: string): Turn =>
  call({ name: 'bash', input: { command, description: 'as scripted' } });

/** OpenCode fetches this for every folder with plugins, and waits for it. */
function bringPackage(dir: string): void {
  const packages = dirname(dirname(dirname(installed('opencode-plugin').path ?? '')));
  mkdirSync(dir, { recursive: true });
  symlinkSync(packages, join(dir, 'node_modules'));
  cpSync(join(dirname(packages), 'package-lock.json'), join(dir, 'package-lock.json'));
  writeFileSync(join(dir, 'package.json'), '{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}\n');
}

/** `opencode run`, or any other call of it. */
function play(turns: readonly Turn[], called?: readonly string[]): Promise<HostPlayed> {
  bringPackage(join(project.repo, '.opencode'));
  bringPackage(join(project.home, '.config', 'opencode'));
  return project.play(turns, (url, env) => {
    const models = {
      scripted: { name: 'Scripted', tool_call: true, limit: { context: 200_000, output: 8_000 } },
    };
    const options = { baseURL: `${url}/v1`, apiKey: 'test-key' };
    const provider = { anthropic: { npm: '@ai-sdk/anthropic', name: 'Scripted', options, models } };
    project.write('opencode.json', JSON.stringify({ ...SETTINGS, provider }));
    return {
      path: called === undefined ? PROGRAM : process.execPath,
      args: called ?? ['run', '--format', 'json', 'Do the work.'],
      env: {
        ...env,
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      },
    };
  });
}

inClient('opencode', 'OpenCode', () => {
  it('is denied a command with a reason that the model reads, and its shell knows the session', async () => {
    project = projectFor('opencode', CONFIG);
    const turns = [bash('touch a.txt'), bash('req satisfy commit_plan'), bash('touch b.txt'), say('Done.')];
    const { asked } = await play(turns);
    expect(asked[0]?.news).toContain('## Requirements: 0/1 satisfied');
    expect(asked[1]?.news).toContain('## Blocked: commit_plan');
    expect(asked[2]?.news).toContain("Satisfied 'commit_plan'");
    expect(['a.txt', 'b.txt'].map((file) => existsSync(join(project.repo, file)))).toStrictEqual([
      false,
      true,
    ]);
  });

  it('is sent back to its loop by the server until it says that it is done', async () => {
    project = projectFor('opencode', CONFIG);
    const done = '<loop-done>COMPLETE</loop-done>';
    const turns = [
      bash('holdpoint loop start --max 9 tidy'),
      say('One.'),
      say('Two.'),
      say(done),
      say('Too much.'),
    ];
    const { asked } = await play(turns, [TALK, PROGRAM, 'Do the work.']);
    expect(asked.map(({ news }) => /ITERATION \d/.exec(news)?.[0])).toStrictEqual([
      undefined,
      undefined,
      'ITERATION 2',
      'ITERATION 3',
    ]);
    expect(project.holdpoint(['loop', 'log', '--json']).stdout).toContain('COMPLETE');
  });
});
