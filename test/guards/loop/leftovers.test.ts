import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { guard } from '../../../src/guards/loop';
import { vouch } from '../../../src/guards/loop/verification';
import * as scene from './scene';

const { S, OWN_DIR, SHARED_DIR, looping, ours, outcomeOf, prompt, saying, stop } = scene;

const TASK = `${OWN_DIR}/loop-prompts/loop-1.txt`;
const IN_STORE = `${SHARED_DIR}/loop-prompts/loop-1.txt`;
const PLAIN = { files: { [IN_STORE]: { kind: 'file', size: 1, mtimeMs: 1 } } } as const;

/** The files that a step takes away, by their keys. */
function gone(event: Parameters<typeof outcomeOf>[0], world: scene.World): string[] {
  return outcomeOf(event, world)
    .changes.filter(({ what }) => what === 'removed a task')
    .filter(({ apply }) => apply('the task') === undefined)
    .map(({ document: { base, path } }) => `${base}:${path}`);
}

describe('the task of a frame that is over', () => {
  const withTask = (more: JsonObject = {}) => ours(1, 10, { prompt_file: TASK, ...more });
  const OWN = ['own:loop-prompts/loop-1.txt'];

  test.each<[string, Parameters<typeof outcomeOf>[0], scene.World, string[]]>([
    ['goes on completion', saying(S), looping([withTask()]), OWN],
    ['goes at a bound', stop(), looping([withTask({ iter: 10 })]), OWN],
    ['goes when its counts are none', stop(), looping([withTask({ iter: 'x' })]), OWN],
    ['goes when a person cancels', prompt('/cancel'), looping([withTask()]), OWN],
    ['goes with the inner frame', saying(S), looping([scene.grind(1), withTask()]), OWN],
    ['stays while the loop goes on', stop(), looping([withTask()]), []],
    ['stays while it is paused', saying('<loop-pause>x</loop-pause>'), looping([withTask()]), []],
    [
      'stays where it may be resumed',
      stop(),
      looping([withTask()], { updated_at: '2020-01-01T00:00:00Z' }),
      [],
    ],
    ['stays where `loop start` did not write the frame', saying(S), looping([withTask({ origin: 'x' })]), []],
    ['stays elsewhere', saying(S), looping([withTask({ prompt_file: '/etc/loop-prompts/a.txt' })]), []],
    [
      'is never another file of ours',
      saying(S),
      looping([withTask({ prompt_file: `${OWN_DIR}/loop.jsonl` })]),
      [],
    ],
    [
      'is never reached by dots',
      saying(S),
      looping([withTask({ prompt_file: `${OWN_DIR}/loop-prompts/../lock` })]),
      [],
    ],
    [
      'goes from a store',
      saying(S),
      looping([withTask({ prompt_file: IN_STORE })], {}, PLAIN),
      ['messages:loop-prompts/loop-1.txt'],
    ],
    [
      'stays in a store where it is no plain file',
      saying(S),
      looping([withTask({ prompt_file: IN_STORE })]),
      [],
    ],
  ])('%s', (_how, event, world, keys) => expect(gone(event, world)).toEqual(keys));
});

test('the command of a frame that is over is forgotten, and the last one takes the file along', () => {
  const set = { command: 'true', at: 1 };
  const after = (vouched: JsonObject) => {
    const world = looping([ours(1, 10, { verify: 'true' })], {}, { vouched });
    const given = { effectResult: { command: 'true', tail: '' } };
    const { changes } = outcomeOf(saying(S), world, scene.CONFIG, given);
    return changes.find(({ document }) => document.path === 'loop-verify.json')?.apply({ commands: vouched });
  };
  expect(after({ 'loop-1': set })).toBeUndefined();
  expect(after({ 'loop-1': set, 'loop-2': set })).toEqual({ commands: { 'loop-2': set } });
});

test('commands are forgotten after a month, unless their frame is still there', () => {
  const now = 40 * 24 * 3_600_000;
  const [old, recent] = [
    { command: 'a', at: 1 },
    { command: 'b', at: now - 1 },
  ];
  const change = vouch('new', { command: 'c' }, now, ['kept']);
  expect(change.apply({ commands: { kept: old, old, recent, odd: 5 }, more: 1 })).toEqual({
    more: 1,
    commands: { kept: old, recent, new: { command: 'c', at: now } },
  });
});

test('a link that leads a task out of the loop’s directory is not followed', () => {
  const known = scene.snapshotOf({
    ...looping([ours(1, 10, { include_prompt: true, prompt_file: 'loop-prompts/a.txt' })]),
    documents: { 'own:loop.jsonl': { kind: 'missing' } },
  });
  const { files = [] } = guard.needs(stop(), scene.CONFIG, known);
  const path = `${SHARED_DIR}/loop-prompts/a.txt`;
  expect(files.filter((ask) => ask.path === path)).toMatchObject([{ within: SHARED_DIR }]);
});
