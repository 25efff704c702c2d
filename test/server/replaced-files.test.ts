import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { requireForEvents } from '../../src/server/require-for-events';

type Files = typeof import('node:fs');

const own = createRequire(import.meta.url);
const given = requireForEvents(own);
const files = given('node:fs') as Files;

let dir: string;
const at = (name: string): string => join(dir, name);

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdpoint-replaced-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** How many open files of ours lie in the directory, those too that have no name any more. */
function openHere(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(dir);
    } catch {
      return false;
    }
  }).length;
}

function replace(text: string): void {
  writeFileSync(at('new'), text);
  files.renameSync(at('new'), at('file'));
}

describe('a file that an event replaces', () => {
  it.runIf(existsSync('/proc/self/fd'))('is let go soon, however many there were', async () => {
    writeFileSync(at('file'), 'first');
    for (let count = 1; count <= 200; count++) replace(`${count}`);
    expect(readFileSync(at('file'), 'utf8')).toBe('200');
    expect(openHere()).toBeLessThanOrEqual(64);
    await vi.waitUntil(() => openHere() === 0);
    replace('again');
    await vi.waitUntil(() => openHere() === 0);
  });

  it('need not have been there', () => {
    replace('only');
    expect(readdirSync(dir)).toEqual(['file']);
  });

  it('is the link itself where there is one', () => {
    writeFileSync(at('elsewhere'), 'untouched');
    symlinkSync(at('elsewhere'), at('file'));
    replace('plain');
    expect(readFileSync(at('elsewhere'), 'utf8')).toBe('untouched');
    expect(readFileSync(at('file'), 'utf8')).toBe('plain');
  });

  it('stays where the rename fails, with the error of Node', async () => {
    mkdirSync(at('file'));
    expect(() => replace('no')).toThrow(/EISDIR|EEXIST|ENOTEMPTY|EPERM/);
    await vi.waitUntil(() => !existsSync('/proc/self/fd') || openHere() === 0);
  });
});

it('all else that chunks ask for is Node’s own', () => {
  expect(files.readFileSync).toBe(own('node:fs').readFileSync);
  expect(files.constants).toBe(own('node:fs').constants);
  expect(given('node:path')).toBe(own('node:path'));
});
