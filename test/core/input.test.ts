import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fail } from '../../src/core/failure';
import { handleEvent } from '../../src/core/hook';
import type { Json } from '../../src/core/json';
import { makeRig, preTool, type Rig, SILENT, scriptedChunks, spoken } from './rig';

const denies = scriptedChunks([
  { name: 'requirements', decide: () => ({ kind: 'deny', reason: 'no', grounds: [] }) },
]);
let rig: Rig;
beforeEach(() => {
  rig = makeRig(denies);
});
afterEach(() => rig.remove());

describe('standard input that is no event lets everything pass, with one line for people', () => {
  test.each<[string, string, RegExp]>([
    ['nothing', '', /is empty/],
    ['white space', ' \n\t', /is empty/],
    ['no JSON', 'hello', /is not JSON \(at its start\)/],
    ['half a document', '{"a": 1', /is not JSON/],
    ['a list', '[1]', /is a list, not/],
    ['null', 'null', /is null, not/],
    ['a number', '7', /is a number, not/],
    ['a document without a name', '{}', /names no event/],
    ['a document whose name is a number', '{"hook_event_name": 5}', /names no event/],
  ])('%s', async (_, text, words) => {
    const answer = await rig.sendText(text, { env: { CLAUDE_PROJECT_DIR: rig.root } });
    expect(answer).toMatchObject({ stdout: '', exitCode: 0 });
    expect(answer.stderr).toMatch(words);
    expect(answer.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(rig.journal()).toMatchObject([
      { decision: 'nothing', failures: [{ code: expect.stringMatching(/^input\./) }] },
    ]);
  });

  test('also where it could not be read at all', async () => {
    const input = fail({ code: 'input.too-large', bytes: 2, limit: 1 } as const);
    const answer = await handleEvent(input, { host: undefined, only: [], env: {}, chunks: denies, now: 0 });
    expect(answer).toMatchObject({
      stdout: '',
      exitCode: 0,
      stderr: expect.stringContaining('larger than 1 bytes'),
    });
  });

  test('and no journal is begun where the project is not known', async () => {
    await rig.sendText('hello');
    expect(existsSync(rig.layout.own)).toBe(false);
  });
});

describe('an event is understood', () => {
  const isDenied = async (text: string): Promise<boolean> =>
    (await rig.sendText(text)).stdout.includes('"deny"');
  const event = () => ({ ...preTool(), session_id: 's', cwd: rig.root });

  test('with a byte order mark', async () => {
    expect(await isDenied(`\ufeff${JSON.stringify(event())}`)).toBe(true);
  });

  test('on many lines', async () => {
    expect(await isDenied(`\r\n${JSON.stringify(event(), null, 2)}\r\n`)).toBe(true);
  });

  test.each<[string, Record<string, Json>]>([
    ['an input that is a list', { tool_input: [1] }],
    ['an input that is missing', { tool_input: null }],
    ['a name of a tool that is a number', { tool_name: 5 }],
    ['a prompt id that is a list', { prompt_id: [] }],
    ['a member called __proto__', JSON.parse('{"__proto__": {"kind": "x"}}')],
  ])('though it has %s', async (_, odd) => {
    expect(await isDenied(JSON.stringify({ ...event(), ...odd }))).toBe(true);
  });

  test('though it names no session, of which it tells', async () => {
    const answer = await rig.send({ ...preTool(), session_id: null });
    expect(spoken(answer)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(answer.stderr).toMatch(/PreToolUse names no session/);
  });

  test('when it is of a kind that nobody knows, which concerns nobody', async () => {
    expect(await rig.send({ hook_event_name: 'FromTheFuture' })).toMatchObject(SILENT);
  });
});
