import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import { examine } from '../../../src/hosts/claude-code/examine';
import { wrongKeys } from '../../../src/hosts/claude-code/known-keys';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdpoint-examine-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const handler = (more: JsonObject = {}): JsonObject => ({ type: 'command', command: 'x', ...more });
const stop = (...hooks: Json[]): JsonObject => ({ hooks: { Stop: [{ hooks }] } });

describe('keys that the client does not take', () => {
  test.each<[string, JsonObject, readonly string[]]>([
    ['none in common settings', { model: 'x', env: { A: '1' }, permissions: { allow: ['Bash(ls)'] } }, []],
    ['none that nobody knows', { somethingNew: 7, hooks: { NewEvent: [] } }, []],
    ['permissions as a text', { permissions: 'x' }, ['permissions']],
    ['a rule that is no text', { permissions: { deny: [7] } }, ['permissions.deny']],
    ['a number in the environment', { env: { A: 1 } }, ['env']],
    ['an event that is no list', { hooks: { Stop: 'x' } }, ['hooks.Stop']],
    ['a group without handlers', { hooks: { Stop: [{ matcher: '' }] } }, ['hooks.Stop[0].hooks']],
    ['a timeout in quotes', stop(handler({ timeout: '5' })), ['hooks.Stop[0].hooks[0].timeout']],
    ['a timeout of nothing', stop(handler({ timeout: 0 })), ['hooks.Stop[0].hooks[0].timeout']],
    ['a handler without a type', stop({ command: 'x' }), ['hooks.Stop[0].hooks[0].type']],
    ['a handler that is a text', stop(handler(), 'x'), ['hooks.Stop[0].hooks[1]']],
  ])('%s', (_what, settings, keys) => {
    expect(wrongKeys(settings)).toEqual(keys);
  });
});

describe("the organisation's settings", () => {
  const ground = (): Parameters<typeof examine>[1] => ({ project: dir, home: dir, env: {} });
  const idsFor = (scope: 'user' | 'project'): string[] =>
    examine(scope, ground(), {}, [join(dir, 'managed')]).map(({ id }) => id);

  test.each<[string, string, JsonObject, readonly string[]]>([
    ['that disable all hooks', 'managed-settings.json', { disableAllHooks: true }, ['hooks-disabled']],
    [
      'that allow their own alone',
      'managed-settings.json',
      { allowManagedHooksOnly: true },
      ['managed-only'],
    ],
    ['in a part', 'managed-settings.d/a.json', { allowManagedHooksOnly: true }, ['managed-only']],
    ['of another kind', 'managed-settings.json', { model: 'x' }, []],
  ])('%s are found once, beside those of the person', (_what, file, settings, ids) => {
    mkdirSync(join(dir, 'managed', 'managed-settings.d'), { recursive: true });
    writeFileSync(join(dir, 'managed', file), JSON.stringify(settings));
    expect(idsFor('user')).toEqual(ids);
    expect(idsFor('project')).toEqual([]);
  });
});
