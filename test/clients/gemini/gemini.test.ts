import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Rig } from '../../e2e/rig';
import { inClient } from '../in-client';
import { installed } from '../installed';
import { install, makeProject, type Played, play } from '../other-project';
import type { Step } from '../scripted-server';
import { generateContent } from './model';

const PLAN = 'inherit: false\nrequirements: {commit_plan: {enabled: true}}\n';
const shell = (command: string): Step => ({
  tool: 'run_shell_command',
  input: { command, description: 'work' },
});
const write: Step = { tool: 'write_file', input: { file_path: 'a.txt', content: 'one\n' } };

const QUIET = {
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { disableAutoUpdate: true, enableAutoUpdate: false },
};

function ours(name: string): string {
  return `'${process.execPath}' '${join(process.env['HOLDPOINT_DIST'] ?? join(process.cwd(), 'dist'), `${name}.cjs`)}'`;
}

function run(rig: Rig, steps: readonly Step[]): Promise<Played> {
  rig.writeHome('.gemini/settings.json', JSON.stringify(QUIET));
  return play(rig, generateContent, steps, (url) => ({
    command: [
      process.execPath,
      installed('gemini').path ?? '',
      ...[
        '-p',
        'Do the work.',
        '-m',
        'gemini-2.5-pro',
        '--approval-mode',
        'yolo',
        '--output-format',
        'stream-json',
      ],
    ],
    env: {
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
  }));
}

inClient('gemini', 'Gemini CLI', () => {
  it('is denied a write, reads why, and may write after `req satisfy` in its own shell', async () => {
    const rig = makeProject(PLAN);
    install(rig, 'gemini');
    const satisfy = shell(`test ! -e a.txt && ${ours('req')} satisfy commit_plan`);
    const { asked } = await run(rig, [write, satisfy, write, { say: 'Done.' }]);
    expect(asked[0]).toContain('req satisfy commit_plan');
    expect(asked[1]).toContain('## Blocked: commit_plan');
    expect(asked[2]).toContain("Satisfied 'commit_plan'");
    expect(readFileSync(join(rig.repo, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('is held at the end of its turn until the loop hears its signal', async () => {
    const rig = makeProject(PLAN);
    install(rig, 'gemini');
    const { asked } = await run(rig, [
      shell(`${ours('holdpoint')} loop start 'Tidy up.'`),
      { say: 'Half of it.' },
      { say: 'More of it.' },
      { say: '<loop-done>COMPLETE</loop-done>' },
      { say: 'Too many.' },
    ]);
    expect(asked[1]?.includes('Loop started')).toBe(true);
    expect(asked[2]).toContain('Stop hook feedback:\\n[ITERATION 2/10]');
    expect(asked[3]).toContain('[ITERATION 3/10]');
    expect(asked).toHaveLength(4);
  });
});
