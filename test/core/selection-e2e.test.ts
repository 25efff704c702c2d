import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GUARD_NAMES, type GuardName } from '../../src/core/guard';
import { makeRig, preTool, type Rig, SILENT, scriptedChunks } from './rig';

const DIST = process.env['HOLDPOINT_DIST'] ?? fileURLToPath(new URL('../../dist', import.meta.url));

let rig: Rig;
let asked: [GuardName, readonly string[]][];
beforeEach(() => {
  asked = [];
  rig = makeRig(
    scriptedChunks(
      GUARD_NAMES.map((name) => ({
        name,
        decide: (_event, _config, { rules }) => {
          asked.push([name, rules]);
          return { kind: 'nothing' };
        },
      })),
    ),
  );
});
afterEach(() => rig.remove());
const names = (): GuardName[] => asked.map(([name]) => name);

describe('--only', () => {
  test('hands the rules it names to their guard', async () => {
    await rig.send(preTool(), { only: ['branch-guard'] });
    expect(asked).toEqual([['workflow', ['branch-guard']]]);
  });

  test('with a name nobody knows warns, and everybody is asked', async () => {
    const answer = await rig.send(preTool(), { only: ['requirments'] });
    expect(answer).toMatchObject({ stdout: '', exitCode: 0 });
    expect(answer.stderr).toMatch(/^holdpoint: --only: unknown name "requirments";/);
    expect(names()).toEqual([...GUARD_NAMES]);
  });

  test('with a known name beside it warns, and asks the known one', async () => {
    const answer = await rig.send(preTool(), { only: ['requirments', 'gates'] });
    expect(answer.stderr).toContain('requirments');
    expect(names()).toEqual(['gates']);
  });

  test('warns even at an event that nobody watches', async () => {
    const answer = await rig.send({ hook_event_name: 'Notification', message: 'x' }, { only: ['lop'] });
    expect(answer.stderr).toContain('lop');
  });
});

test('a variable switches a guard off', async () => {
  expect(await rig.send(preTool(), { env: { IDLE_LOOP_DISABLE: '1' } })).toMatchObject(SILENT);
  expect(names()).toEqual(GUARD_NAMES.filter((name) => name !== 'loop'));
});

describe('HOLDPOINT_DISABLE', () => {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'holdpoint-hook-'));
    for (const file of ['hook.cjs', 'run.cjs']) copyFileSync(join(DIST, file), join(dir, file));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** The hook without the chunks that judge: whoever looks at the event fails loudly. */
  const runHook = (value: string) =>
    spawnSync(process.execPath, [join(dir, 'hook.cjs')], {
      input: JSON.stringify({ ...preTool(), session_id: 's', cwd: rig.root }),
      env: { PATH: process.env['PATH'], HOME: rig.home, HOLDPOINT_DISABLE: value },
      encoding: 'utf8',
    });

  test('switches everything off before anything is looked at, and says so', () => {
    expect(runHook('1')).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'holdpoint: turned off by HOLDPOINT_DISABLE.\n',
    });
  });

  test('set to nothing switches nothing off', () => {
    const { status, stdout, stderr } = runHook('');
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toContain('allowed unchecked');
  });
});
