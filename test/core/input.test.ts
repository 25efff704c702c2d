import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../src/core/json';
import { makeRig, preTool, type Rig, SILENT, scriptedChunks } from './rig';

const denies = scriptedChunks([
  { name: 'requirements', decide: () => ({ kind: 'deny', reason: 'no', grounds: [] }) },
]);
let rig: Rig;
beforeEach(() => {
  rig = makeRig(denies);
});
afterEach(() => rig.remove());

describe('standard input that is no event', () => {
  test('begins no journal where the project is not known', async () => {
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

  test('when it is of a kind that nobody knows, which concerns nobody', async () => {
    expect(await rig.send({ hook_event_name: 'FromTheFuture' })).toMatchObject(SILENT);
  });
});
