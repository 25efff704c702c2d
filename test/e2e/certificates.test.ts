import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type GatesRig, makeGatesRig } from './gates-project';
import { at } from './rig';

let rig: GatesRig;
beforeEach(() => {
  rig = makeGatesRig();
});
afterEach(() => rig.remove());

/** The line for the end of turns that `install` writes. */
function installedLine(): string {
  expect(rig.holdpoint(['install', '--local']).exitCode).toBe(0);
  const [group] = at(rig.readJson('.claude/settings.local.json'), 'hooks', 'Stop') as [
    { hooks: [{ command: string }] },
  ];
  return group.hooks[0].command;
}

it('certificates that a host’s line takes from the hook reach its checks and its reviewers', () => {
  rig.write('.gauntlet/reviews/q.md', 'Look.\n');
  rig.gates(
    { c: 'command: echo "$NODE_EXTRA_CA_CERTS" > ../of-check\n' },
    'entry_points: [{ path: src, checks: [c], reviews: [q] }]',
  );
  rig.program(
    'claude',
    `cat > /dev/null; echo "$NODE_EXTRA_CA_CERTS" > of-reviewer; echo '{"status":"pass"}'`,
  );
  const event = { session_id: 's', hook_event_name: 'Stop', stop_hook_active: false, cwd: rig.repo };
  const certificates = join(rig.tmp, 'no such file.pem');
  const env = rig.environment({ PATH: rig.bin, NODE_EXTRA_CA_CERTS: certificates });
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', installedLine()], {
    cwd: rig.repo,
    env,
    input: JSON.stringify(event),
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toMatchObject({ status: 'passed' });
  // Node itself warns of a file that it cannot read, so it was not asked to.
  expect(stderr).toBe('');
  for (const name of ['of-check', 'of-reviewer'])
    expect(readFileSync(join(rig.repo, name), 'utf8')).toBe(`${certificates}\n`);
});
