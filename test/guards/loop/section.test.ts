import { expect, test } from 'vitest';
import { LOOP_DEFAULTS } from '../../../src/guards/loop/state';
import { printed, readAll } from '../../config/scratch';

const FILE = '.holdpoint/config.yaml';

function loopOf(text: string) {
  return readAll({ [FILE]: text }).guards.find(({ name }) => name === 'loop')?.config;
}

test('a project that says nothing of loops has the defaults', () => {
  const loops = readAll({}).guards.filter(({ name }) => name === 'loop');
  expect(loops).toEqual([{ name: 'loop', onError: 'allow', config: LOOP_DEFAULTS }]);
  expect(loopOf('loop: {}\n')).toEqual(LOOP_DEFAULTS);
});

test('every key has its effect', () => {
  const bounds = 'max_iterations: 20, grind_max: 7, max_minutes: 90.5, max_tokens: 500000, ttl_seconds: 60';
  const rest = 'stall: off, near_miss: false, include_prompt: true, output: exit0-json';
  expect(loopOf(`loop: {${bounds}, ${rest}}\n`)).toEqual({
    maxIterations: 20,
    grindMax: 7,
    maxMinutes: 90.5,
    maxTokens: 500000,
    stall: false,
    nearMiss: false,
    includePrompt: true,
    ttlSeconds: 60,
    output: 'exit0-json',
  });
});

test.each([
  ['max_iterations: 0', 'max_iterations'],
  ['max_iterations: 1.5', 'max_iterations'],
  ['max_iterations: 1000001', 'max_iterations'],
  ['max_iterations: "10"', 'max_iterations'],
  ['max_minutes: 0', 'max_minutes'],
  ['stall: maybe', 'stall'],
  ['max_iteration: 5', 'max_iteration'],
])('%s is an error that switches off no more than itself', (line, key) => {
  const read = readAll({ [FILE]: `loop:\n  grind_max: 9\n  ${line}\n` });
  expect(printed(read)).toContain(key);
  const loop = read.guards.find(({ name }) => name === 'loop');
  expect(loop?.config).toMatchObject({ ...LOOP_DEFAULTS, grindMax: 9 });
});
