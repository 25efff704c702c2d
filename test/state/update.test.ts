import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectLockFile } from '../../src/state/documents';
import { acquireLock, holderOf } from '../../src/state/files';
import { homeLockFile, updateDocuments } from '../../src/state/update';
import { change, json, makeScratch, modeOf, type Scratch } from './scratch';

let scratch: Scratch;
const isHeld = (file: string) => holderOf(file) !== undefined;
const registry = json('.claude/sessions.json', 'home', 'bookkeeping');
const state = json('state.json', 'own');

beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => scratch.remove());

const update = (changes: Parameters<typeof updateDocuments>[1], waitMs = 0) =>
  updateDocuments(scratch.layout, changes, waitMs);

test('documents of the project and of the home are written under their own locks, one after the other', () => {
  const { layout } = scratch;
  const seen: boolean[][] = [];
  const look = () => {
    seen.push([isHeld(projectLockFile(layout)), isHeld(homeLockFile(layout, registry))]);
    return 1;
  };
  const report = update([change(registry, look), change(state, look)]);
  const written = [join(layout.own, 'state.json'), join(layout.home, '.claude/sessions.json')];
  expect(report).toEqual({ ok: true, value: { written, setAside: [], failures: [] } });
  expect(seen).toEqual([
    [true, false],
    [false, true],
  ]);
  expect([...readdirSync(layout.own), ...readdirSync(join(layout.home, '.claude'))]).toEqual([
    'state.json',
    'sessions.json',
  ]);
  expect([modeOf(layout.own), modeOf(join(layout.home, '.claude'))]).toEqual(['700', '700']);
});

test('without the project lock nothing at all is written', () => {
  const held = acquireLock(projectLockFile(scratch.layout), 0);
  const result = update([change(state, () => 1), change(registry, () => 1)]);
  expect(result).toMatchObject({
    ok: false,
    failure: { code: 'lock.timeout', holder: expect.stringContaining(`${process.pid}`) },
  });
  expect(readdirSync(scratch.layout.home)).toEqual([]);
  if (held.ok) held.value.release();
});

test('a home document that cannot be locked fails by itself', () => {
  acquireLock(homeLockFile(scratch.layout, registry), 0);
  const result = update([change(state, () => 1), change(registry, () => 1)]);
  expect(result).toMatchObject({
    ok: true,
    value: {
      written: [join(scratch.layout.own, 'state.json')],
      failures: [{ durability: 'bookkeeping', failure: { code: 'lock.timeout' } }],
    },
  });
});

test('a change that throws fails alone, and the lock is released all the same', () => {
  const bug = () => {
    throw new Error('bug');
  };
  expect(update([change(state, bug), change(registry, () => 1)])).toMatchObject({
    value: {
      written: [expect.stringContaining('sessions.json')],
      failures: [{ failure: { detail: 'bug' } }],
    },
  });
  expect(update([change(state, () => 1)])).toMatchObject({ ok: true });
});

test('no lock is placed behind a link that leads outside', () => {
  symlinkSync(scratch.outside, scratch.layout.own);
  symlinkSync(scratch.outside, join(scratch.layout.home, '.claude'));
  expect(update([change(state, () => 1)])).toMatchObject({
    ok: false,
    failure: { code: 'state.outside', target: scratch.outside },
  });
  expect(update([change(registry, () => 1)])).toMatchObject({
    ok: true,
    value: { failures: [{ failure: { code: 'state.outside' } }] },
  });
  expect(readdirSync(scratch.outside)).toEqual([]);
});

test('a registry linked to a place inside the home is written there', () => {
  const { home } = scratch.layout;
  mkdirSync(join(home, 'dotfiles'));
  symlinkSync('dotfiles', join(home, '.claude'));
  update([change(registry, () => 3)]);
  expect(readFileSync(join(home, 'dotfiles/sessions.json'), 'utf8')).toBe('3\n');
});

test('no changes, no lock, no directory', () => {
  expect(update([])).toMatchObject({ ok: true });
  expect(existsSync(scratch.layout.own)).toBe(false);
});
