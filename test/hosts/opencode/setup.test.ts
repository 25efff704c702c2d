import { expect, test } from 'vitest';
import { opencodeSetup } from '../../../src/hosts/opencode/setup';

const wishes = { start: { shell: '', library: 'l' }, stopSeconds: 60, failClosed: false };
const ground = { project: '/w', home: '/h', env: {} };

test.each([
  ['the project’s', 'project', {}, '/w/.opencode/plugin/holdpoint.js'],
  ['a person’s', 'user', {}, '/h/.config/opencode/plugin/holdpoint.js'],
  ['one elsewhere', 'user', { XDG_CONFIG_HOME: '/x' }, '/x/opencode/plugin/holdpoint.js'],
] as const)('the plugin lies in a folder of OpenCode: %s', (_, scope, env, file) => {
  expect(opencodeSetup.sheet(scope, { ...ground, env }, wishes).file).toBe(file);
});

test('it is said at install that `run` cannot be held', () => {
  expect(opencodeSetup.afterwards('project').join(' ')).toContain('In `opencode run` no stop can be refused');
});
