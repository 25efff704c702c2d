import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  endEvent,
  makeRig,
  partsWith,
  preTool,
  type Rig,
  realChunks,
  SILENT,
  spoken,
  startEvent,
  stopEvent,
} from './rig';

let rig: Rig;
beforeEach(() => {
  rig = makeRig(realChunks);
});
afterEach(() => rig.remove());

const PLAN = '  plan:\n    enabled: true\n    trigger_tools: [Edit]\n    message: Plan first.\n';
const BROKEN = 'requirements:\n  plan: [\n';

describe('a config that does not parse', () => {
  beforeEach(() => void rig.write('.holdpoint/config.yaml', BROKEN));

  test.each<[string, () => Parameters<Rig['send']>[0]]>([
    ['a tool', () => preTool('Edit')],
    ['a stop', () => stopEvent()],
  ])('lets %s pass, and says so each time', async (_, event) => {
    for (let time = 0; time < 2; time++) {
      const answer = await rig.send(event());
      expect(answer.exitCode).toBe(0);
      expect(answer.stdout).not.toMatch(/decision/i);
      expect(answer.stderr).toMatch(
        /^holdpoint: the config could not be read \(\.holdpoint\/config\.yaml:\d+:\d+\)/,
      );
      expect(answer.stderr.split('\n')).toHaveLength(2);
    }
    expect(rig.journal()[0]).toMatchObject({
      decision: 'nothing',
      failures: [{ code: 'config.unreadable' }],
    });
    expect(rig.record()?.degraded).toMatchObject([{ code: 'config.unreadable', told: false }]);
  });

  test('is told to the person at the end of the turn', async () => {
    expect((await rig.send(preTool('Edit'))).stdout).toBe('');
    expect(spoken(await rig.send(stopEvent()))['systemMessage']).toContain(
      'Holdpoint failed in this session (config.unreadable .holdpoint/config.yaml:',
    );
  });

  test.each<[string, () => Parameters<Rig['send']>[0]]>([
    [
      'after a tool',
      () => ({ hook_event_name: 'PostToolUse', tool_name: 'Edit', tool_input: {}, tool_response: {} }),
    ],
    ['of a prompt', () => ({ hook_event_name: 'UserPromptSubmit', prompt: 'x' })],
    ['at the end of a session', () => endEvent()],
  ])('is not spoken of where nothing could have been held: %s', async (_, event) => {
    expect(await rig.send(event())).toMatchObject(SILENT);
  });

  test('is told at the start of a session, with the place', async () => {
    const answer = spoken(await rig.send(startEvent()));
    expect(answer['systemMessage']).toMatch(/a problem in the config.*config\.yaml/s);
    expect(answer).toMatchObject({
      hookSpecificOutput: { additionalContext: expect.stringContaining('config.yaml') },
    });
  });

  test('is told again at the next start, since it still is broken', async () => {
    await rig.send(startEvent());
    expect((await rig.send(startEvent())).stdout).toContain('config.yaml');
  });

  test('is enforced again as soon as it is mended, and the next session hears of the gap', async () => {
    await rig.send(preTool('Edit'));
    rig.write('.holdpoint/config.yaml', `requirements:\n${PLAN}`);
    expect((await rig.send(preTool('Edit'))).stdout).toContain('"deny"');
    expect((await rig.send({ ...startEvent(), session_id: 'next' })).stdout).toContain('config.unreadable');
  });

  test('does not switch off what another file says', async () => {
    mkdirSync(join(rig.root, '.claude'));
    writeFileSync(join(rig.root, '.claude/requirements.yaml'), `requirements:\n${PLAN}`);
    const answer = await rig.send(preTool('Edit'));
    expect(answer.stdout).toContain('"deny"');
    expect(answer.stderr).toContain('.holdpoint/config.yaml');
  });
});

describe('a mistake in one part of the config', () => {
  beforeEach(
    () => void rig.write('.holdpoint/config.yaml', `requirements:\n${PLAN}  other:\n    enabled: 7\n`),
  );

  test('leaves the rest enforced, in silence', async () => {
    expect(await rig.send(preTool('Edit'))).toMatchObject({
      stdout: expect.stringContaining('"deny"'),
      stderr: '',
    });
  });

  test('is told at the start of a session', async () => {
    expect((await rig.send(startEvent())).stdout).toMatch(/config\.yaml:\d+/);
  });

  test('is told before keys that are only ignored', async () => {
    const ignored = ['agent_teams', 'diff_scope', 'lazy_dev', 'obsidian', 'qdrant', 'retrieval'];
    const hooks = ignored.map((key) => `  ${key}: {}\n`).join('');
    rig.write('.holdpoint/config.yaml', `hooks:\n${hooks}requirements:\n${PLAN}  other:\n    enabled: 7\n`);
    expect((await rig.send(startEvent())).stdout).toMatch(/ignored:\\n\S+yaml:\d+:\d+: error: `enabled`/);
  });
});

describe('a compiler that fails', () => {
  test('lets the event pass, loudly', async () => {
    rig.remove();
    rig = makeRig({
      ...realChunks,
      part: partsWith({
        compileProject: () => {
          throw new Error("Cannot find module './compile-config.cjs'");
        },
      }),
    });
    const answer = await rig.send(preTool('Edit'));
    expect(answer).toMatchObject({ stdout: '', exitCode: 0 });
    expect(answer.stderr).toMatch(/the config could not be read \(Cannot find module/);
    expect(rig.record()?.degraded).toMatchObject([{ code: 'config.unreadable' }]);
  });
});

test('`on_error: hold` in a config is obeyed', async () => {
  rig.remove();
  rig = makeRig({
    ...realChunks,
    guard: (name) => ({
      ...realChunks.guard(name),
      decide: () => {
        throw new Error('broken');
      },
    }),
  });
  rig.write('.holdpoint/config.yaml', `requirements:\n${PLAN}guards:\n  requirements:\n    on_error: hold\n`);
  expect((await rig.send(preTool('Edit'))).stdout).toContain('on_error: hold');
  expect(existsSync(join(rig.root, '.git/requirements'))).toBe(false);
});
