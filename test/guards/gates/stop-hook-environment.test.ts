import { expect, test } from 'vitest';
import { withEnvironment } from '../../../src/guards/gates/config';

const CONFIG = { enabled: true, intervalMinutes: 10, reverify: true };

test.each([
  [{}, CONFIG],
  [{ GAUNTLET_STOP_HOOK_ENABLED: 'false' }, { ...CONFIG, enabled: false }],
  [{ GAUNTLET_STOP_HOOK_ENABLED: ' 0 ' }, { ...CONFIG, enabled: false }],
  [{ GAUNTLET_STOP_HOOK_ENABLED: 'FALSE' }, { ...CONFIG, enabled: false }],
  [{ GAUNTLET_STOP_HOOK_ENABLED: 'maybe' }, CONFIG],
  [{ GAUNTLET_STOP_HOOK_ENABLED: '' }, CONFIG],
  [{ GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: '0' }, { ...CONFIG, intervalMinutes: 0 }],
  [{ GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: ' 25 ' }, { ...CONFIG, intervalMinutes: 25 }],
  [{ GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: '-1' }, CONFIG],
  [{ GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: '1.5' }, CONFIG],
  [{ GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: '10abc' }, CONFIG],
  [{ GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: '1e3' }, CONFIG],
  [{ GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: '' }, CONFIG],
])('%j', (env, expected) => {
  const values: Record<string, string> = env;
  expect(withEnvironment(CONFIG, (name) => values[name] ?? '')).toEqual(expected);
});

test.each(['true', '1', ' True '])('%j switches on what the config has switched off', (word) => {
  const off = { ...CONFIG, enabled: false };
  expect(withEnvironment(off, (name) => (name === 'GAUNTLET_STOP_HOOK_ENABLED' ? word : ''))).toEqual(CONFIG);
});
