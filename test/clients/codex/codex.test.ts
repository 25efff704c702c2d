import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json';
import { hookHash, labelOf } from '../../../src/hosts/codex/hook-hash';
import type { Rig } from '../../e2e/rig';
import { inClient } from '../in-client';
import { installed } from '../installed';
import { install, makeProject, type Played, play } from '../other-project';
import type { Step } from '../scripted-server';
import { responses } from './model';

const PLAN = 'inherit: false\nrequirements: {commit_plan: {enabled: true}}\n';
const shell = (cmd: string): Step => ({ tool: 'exec_command', input: { cmd } });
const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch\nEOF\n";

/** What `/hooks` would write when a person trusts all that is installed. */
function trust({ repo }: Rig): string {
  const file = join(repo, '.codex/hooks.json');
  const { hooks } = JSON.parse(readFileSync(file, 'utf8')) as {
    hooks: Record<string, [{ hooks: [JsonObject] }]>;
  };
  return Object.entries(hooks)
    .map(([event, [group]]) => {
      return `[hooks.state."${file}:${labelOf(event)}:0:0"]\ntrusted_hash = "${hookHash(event, group.hooks[0])}"\n`;
    })
    .join('\n');
}

function run(rig: Rig, steps: readonly Step[], states: string): Promise<Played> {
  return play(rig, responses, steps, (url) => {
    rig.writeHome(
      '.codex/config.toml',
      [
        'model = "scripted"',
        'model_provider = "scripted"',
        '[model_providers.scripted]',
        `name = "scripted"\nbase_url = "${url}/v1"\nenv_key = "SCRIPTED_KEY"\nwire_api = "responses"`,
        'request_max_retries = 0\nstream_max_retries = 0',
        `[projects."${rig.repo}"]\ntrust_level = "trusted"`,
        '[analytics]\nenabled = false',
        states,
      ].join('\n'),
    );
    const program = installed('codex').path ?? '';
    const quiet = ['--disable', 'plugins', '--disable', 'apps', '--dangerously-bypass-approvals-and-sandbox'];
    return { command: [program, 'exec', '--json', ...quiet, 'Do the work.'], env: { SCRIPTED_KEY: 'none' } };
  });
}

inClient('codex', 'Codex', () => {
  it('is denied a patch, reads why, and may make it after `req satisfy` in its own shell', async () => {
    const rig = makeProject(PLAN);
    install(rig, 'codex');
    const req = `'${process.execPath}' '${join(process.env['HOLDPOINT_DIST'] ?? join(process.cwd(), 'dist'), 'req.cjs')}'`;
    const { asked } = await run(
      rig,
      [shell(patch), shell(`test ! -e a.txt && ${req} satisfy commit_plan`), shell(patch), { say: 'Done.' }],
      trust(rig),
    );
    expect(asked[0]).toContain('req satisfy commit_plan');
    expect(asked[1]).toContain('## Blocked: commit_plan');
    expect(asked[2]).toContain("Satisfied 'commit_plan'");
    expect(readFileSync(join(rig.repo, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('is held at the end of its turn until the loop hears its signal', async () => {
    const rig = makeProject('inherit: false\n');
    install(rig, 'codex');
    const holdpoint = `'${process.execPath}' '${join(process.env['HOLDPOINT_DIST'] ?? join(process.cwd(), 'dist'), 'holdpoint.cjs')}'`;
    const { asked } = await run(
      rig,
      [
        shell(`${holdpoint} loop start 'Tidy up.'`),
        { say: 'Half of it.' },
        { say: '<loop-done>COMPLETE</loop-done>' },
        { say: 'Too many.' },
      ],
      trust(rig),
    );
    expect(asked[1]).toContain('Loop started');
    expect(asked[2]).toContain('[ITERATION 2/10]');
    expect(asked).toHaveLength(3);
  });

  it('does not run what nobody has trusted, and `doctor` says so', async () => {
    const rig = makeProject(PLAN);
    install(rig, 'codex');
    await run(rig, [shell(patch), { say: 'Done.' }], '');
    expect(existsSync(join(rig.repo, 'a.txt'))).toBe(true);
    expect(rig.holdpoint(['doctor']).stdout).toContain('codex-untrusted');
    await run(rig, [{ say: 'Done.' }], trust(rig));
    expect(rig.holdpoint(['doctor']).stdout).toContain('codex-trusted');
  });
});
