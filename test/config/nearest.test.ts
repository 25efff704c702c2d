import { expect, test } from 'vitest';
import { nearest } from '../../src/config/diagnostics';

const KNOWN = ['enabled', 'type', 'scope', 'trigger_tools', 'message', 'stop_only', 'paths'];

test.each([
  ['enabeld', 'enabled'],
  ['enable', 'enabled'],
  ['typo', 'type'],
  ['tpye', 'type'],
  ['scop', 'scope'],
  ['triggerTools', 'trigger_tools'],
  ['trigger-tool', 'trigger_tools'],
  ['STOP_ONLY', 'stop_only'],
  ['path', 'paths'],
  ['title', undefined],
  ['adr_path', undefined],
  ['owner', undefined],
  ['', undefined],
])('%s is taken for %s', (name, meant) => {
  expect(nearest(name, KNOWN)).toBe(meant);
});

test('the closest of several is named, the first of equals', () => {
  expect(nearest('stap', ['stamp', 'step', 'stop'])).toBe('stamp');
  expect(nearest('message', ['messages', 'message'])).toBe('message');
});
