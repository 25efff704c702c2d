import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFileFact } from '../../src/core/context';

let dir = '';
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-facts-')));
  for (const name of ['store/tasks', 'other', 'store-2']) mkdirSync(join(dir, name), { recursive: true });
  for (const name of ['store/plain', 'store/tasks/deep', 'other/secret', 'store-2/near']) {
    writeFileSync(join(dir, name), 'words');
  }
  symlinkSync('plain', join(dir, 'store/link-inside'));
  symlinkSync('../other/secret', join(dir, 'store/link-out'));
  symlinkSync('../other', join(dir, 'store/dir-out'));
  symlinkSync('nowhere', join(dir, 'store/dangling'));
  symlinkSync('store', join(dir, 'alias'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('a file that has to lie below a directory', () => {
  it.each([
    ['is read there', 'store/plain', 'store', 'file'],
    ['is read deeper down', 'store/tasks/deep', 'store', 'file'],
    ['is read by a link that stays inside', 'store/link-inside', 'store', 'file'],
    ['is read where the directory itself is a link', 'alias/plain', 'alias', 'file'],
    ['is not read by a link that leads out', 'store/link-out', 'store', 'unreadable'],
    ['is not read in a directory that leads out', 'store/dir-out/secret', 'store', 'unreadable'],
    ['is not read in a directory whose name only begins alike', 'store-2/near', 'store', 'unreadable'],
    ['is missing where a link leads nowhere', 'store/dangling', 'store', 'missing'],
  ])('%s', (_how, path, within, kind) => {
    const fact = readFileFact(dir, { path: join(dir, path), within: join(dir, within), maxTextBytes: 9 });
    expect(fact.kind).toBe(kind);
    expect('text' in fact ? fact.text : '').toBe(kind === 'file' ? 'words' : '');
  });
});
