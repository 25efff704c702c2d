import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeChange } from '../../../src/cli/install/files';
import { installedState } from '../../../src/cli/install/installed-state';
import { type FileChange, type InstallRequest, planInstall } from '../../../src/cli/install/plan';

let dir: string;
let file: string;
let request: InstallRequest;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdpoint-install-'));
  file = join(dir, '.claude', 'settings.json');
  mkdirSync(join(dir, '.git'));
  const ground = { project: dir, home: join(dir, 'home'), env: {} };
  const commonDir = join(dir, '.git');
  request = {
    target: ground,
    commonDir,
    scope: 'project',
    hosts: ['claude-code'],
    replace: false,
    failClosed: false,
    start: 'one-shot',
  };
});
afterEach(() => rmSync(dir, { recursive: true }));

function onlyChange(): FileChange {
  const [change] = planInstall(request).changes;
  if (change === undefined) throw new Error('nothing was planned');
  return change;
}

const state = (): string | undefined =>
  installedState(request.target, request.commonDir).find((each) => each.file === file)?.state;

it.each<[string, string | undefined, string | undefined]>([
  ['that another program has changed', '{"a":1}', '{"a":2}'],
  ['that another program has made', undefined, '{"a":2}'],
  ['that another program has removed', '{"a":1}', undefined],
])('a file %s since it was read is left alone', (_name, before, meanwhile) => {
  mkdirSync(join(dir, '.claude'));
  if (before !== undefined) writeFileSync(file, before);
  const change = onlyChange();
  rmSync(file, { force: true });
  if (meanwhile !== undefined) writeFileSync(file, meanwhile);
  expect(() => writeChange(change, request.target)).toThrow('was changed by another program');
  expect(readdirSync(join(dir, '.claude'))).toEqual(meanwhile === undefined ? [] : ['settings.json']);
  if (meanwhile !== undefined) expect(readFileSync(file, 'utf8')).toBe(meanwhile);
});

it('the state of a file is told by its entries', () => {
  expect(state()).toBe('none');
  writeChange(onlyChange(), request.target);
  expect(state()).toBe('whole');
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, whole.replace('"timeout": 600', '"timeout": 601'));
  expect(state()).toBe('other');
  writeFileSync(file, whole.replace('"Stop"', '"Step"'));
  expect(state()).toBe('partial');
  writeFileSync(file, `${whole}// end`);
  expect(state()).toBe('unreadable');
});
