import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { call, say, type Turn } from '../../../src/cli/try/client/turn';
import { type HostPlayed, type HostProject, projectFor } from '../host-project';
import { inClient } from '../in-client';
import { installed } from '../installed';

const CONFIG = `inherit: false
requirements:
  commit_plan: {enabled: true, scope: session, trigger_tools: [{tool: Bash, command_pattern: touch}]}
`;

let project: HostProject;
afterEach(() => project.remove());

const bash = (command: string): Turn =>
  call({ name: 'bash', input: { command, description: 'as scripted' } });

/** One headless run; the folder is trusted and nobody is asked. */
function play(...turns: Turn[]): Promise<HostPlayed> {
  const options = ['--output-format', 'json', '--allow-all-tools', '--allow-all-paths', '--no-auto-update'];
  return project.play(turns, (url, env) => ({
    path: installed('copilot').path ?? '',
    args: ['-p', 'Do the work.', ...options],
    env: {
      ...env,
      COPILOT_HOME: join(env['HOME'] ?? '', '.copilot'),
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_ALLOW_ALL: 'true',
      COPILOT_PROVIDER_TYPE: 'anthropic',
      COPILOT_PROVIDER_BASE_URL: url,
      COPILOT_PROVIDER_API_KEY: 'test-key',
      COPILOT_MODEL: 'claude-sonnet-4',
    },
  }));
}

inClient('copilot', 'Copilot CLI', () => {
  it.each(['copilot', 'claude-code'])(
    'is denied a command with a reason that the model reads, by the entries for %s',
    async (host) => {
      project = projectFor(host, CONFIG);
      const { asked } = await play(
        bash('touch a.txt'),
        bash('req satisfy commit_plan'),
        bash('touch b.txt'),
        say('Done.'),
      );
      expect(asked[1]?.news).toContain('## Blocked: commit_plan');
      expect(asked[2]?.news).toContain("Satisfied 'commit_plan'");
      expect(['a.txt', 'b.txt'].map((file) => existsSync(join(project.repo, file)))).toStrictEqual([
        false,
        true,
      ]);
    },
  );

  it('is sent back to its loop until it says that it is done, and each event is decided once', async () => {
    project = projectFor('copilot', CONFIG);
    expect(project.holdpoint(['install', '--host', 'claude-code']).exitCode).toBe(0);
    const { asked } = await play(
      bash('holdpoint loop start --max 9 tidy'),
      say('One.'),
      say('Two.'),
      say('<loop-done>COMPLETE</loop-done>'),
    );
    expect(asked.map(({ news }) => /ITERATION \d/.exec(news)?.[0])).toStrictEqual([
      undefined,
      undefined,
      'ITERATION 2',
      'ITERATION 3',
    ]);
    expect(project.holdpoint(['loop', 'log', '--json']).stdout).toContain('COMPLETE');
  });
});
