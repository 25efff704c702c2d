import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EDIT, eventsIn, SESSION } from './events';
import { deniedBecause, type Ended, makeRig, type Rig, startsTold } from './rig';

const NAMES = ['plan', 'adr', 'tests', 'docs'];
const FOUR = `{inherit: false, requirements: {${NAMES.map((name) => `${name}: {enabled: true, scope: session}`).join()}}}\n`;
const COMPUTED =
  '{inherit: false, requirements: {size: {enabled: true, type: dynamic, calculator: "echo 1", thresholds: {block: 5}}}}\n';

let rig: Rig;
afterEach(() => rig.remove());

function started(): string {
  const file = join(rig.tmp, 'started');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function edit(): Ended {
  const env = { NODE_OPTIONS: `--require ${join(rig.repo, 'watcher.cjs')}` };
  return rig.hook(eventsIn(rig).pre('Edit', EDIT), { env });
}

beforeEach(() => {
  rig = makeRig(FOUR);
  rig.write('watcher.cjs', startsTold(join(rig.tmp, 'started')));
});

it('a denied call starts no process, at the first event and later', () => {
  for (let round = 0; round < 3; round++) expect(deniedBecause(edit())).toContain('plan');
  expect(started()).toBe('');
});

it('an allowed call starts no process', () => {
  rig.req(['satisfy', ...NAMES, '--session', SESSION]);
  for (let round = 0; round < 3; round++)
    expect(edit()).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  expect(started()).toBe('');
});

it('a command starts none either, whatever a rule asks of it', () => {
  rig.write(
    '.holdpoint/config.yaml',
    'requirements: {edits: {enabled: true, on: [edit, commit, push, network]}}\n',
  );
  const env = { NODE_OPTIONS: `--require ${join(rig.repo, 'watcher.cjs')}` };
  const held = (command: string): Ended => rig.hook(eventsIn(rig).pre('Bash', { command }), { env });
  deniedBecause(held('git commit -m "a message" && git push'));
  deniedBecause(held("sed -i 's/a/b/' src/a.js"));
  expect(held('sh "a script.sh"')).toMatchObject({ stdout: '', stderr: '' });
  expect(started()).toBe('');
});

it('a value that a command has to tell is noticed, so the watcher does watch', () => {
  rig.write('.claude/requirements.yaml', COMPUTED);
  expect(edit()).toMatchObject({ exitCode: 0, stdout: '' });
  expect(started()).not.toBe('');
});
