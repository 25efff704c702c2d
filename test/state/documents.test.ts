import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findDocument, readDocument } from '../../src/state/documents';
import type { Scratch } from './scratch';
import { json, makeScratch } from './scratch';

let scratch: Scratch;
let file: string;
const ref = json('requirements/main.json');
const text = { ...ref, format: 'text' } as const;

beforeEach(() => {
  scratch = makeScratch();
  file = join(scratch.layout.git, 'requirements/main.json');
  mkdirSync(join(scratch.layout.git, 'requirements'));
});
afterEach(() => scratch.remove());

describe('a document is present with its text as version', () => {
  test.each([
    ['an object', '{ "a": [1] }\n', { a: [1] }],
    ['null', 'null', null],
    ['an object behind a byte order mark', '\ufeff{}', {}],
  ])('%s', (_name, content, value) => {
    writeFileSync(file, content);
    expect(readDocument(scratch.layout, ref)).toEqual({ kind: 'present', value, version: content });
  });

  test('text as it is, even if empty', () => {
    writeFileSync(file, '');
    expect(readDocument(scratch.layout, text)).toEqual({ kind: 'present', value: '', version: '' });
    writeFileSync(file, 'a\n{');
    expect(readDocument(scratch.layout, text)).toEqual({ kind: 'present', value: 'a\n{', version: 'a\n{' });
  });
});

test('a file that is not there is missing, with or without its directory', () => {
  expect(readDocument(scratch.layout, ref)).toEqual({ kind: 'missing' });
  expect(readDocument(scratch.layout, json('nowhere/at/all.json'))).toEqual({ kind: 'missing' });
});

describe('a document is unreadable when it', () => {
  test.each<[string, (at: string) => void, string]>([
    ['is cut off', (at) => writeFileSync(at, '{"a":'), 'is not valid JSON'],
    ['is empty', (at) => writeFileSync(at, ''), 'is empty'],
    ['is a directory', (at) => mkdirSync(at), 'is a directory'],
    ['is a pipe', (at) => execFileSync('mkfifo', [at]), 'is not a regular file'],
    [
      'is larger than 16 MB',
      (at) => writeFileSync(at, Buffer.alloc(16 * 1024 * 1024 + 1)),
      'is larger than 16 MB',
    ],
  ])('%s', (_name, make, why) => {
    make(file);
    expect(readDocument(scratch.layout, ref)).toMatchObject({
      kind: 'unreadable',
      file,
      why: expect.stringContaining(why),
    });
  });

  test('is a link to itself, for who wants to write it; to read, it is nothing', () => {
    symlinkSync(file, file);
    const why = expect.stringContaining('broken symlink');
    expect(findDocument(scratch.layout, ref)).toMatchObject({ kind: 'unreadable', path: file, why });
    expect(readDocument(scratch.layout, ref)).toEqual({ kind: 'missing' });
  });

  test('lies where a file stands in place of its directory', () => {
    writeFileSync(file, '{}');
    expect(readDocument(scratch.layout, json('requirements/main.json/x.json'))).toMatchObject({
      kind: 'unreadable',
      why: 'cannot be read (ENOTDIR)',
    });
  });
});

describe('links', () => {
  test('a file that links out of its base is unreadable, and the target is named', () => {
    const target = join(scratch.outside, 'secret.json');
    writeFileSync(target, '{"satisfied":true}');
    symlinkSync(target, file);
    const why = `is reached by a symlink that leaves ${scratch.layout.git}: ${target}`;
    expect(readDocument(scratch.layout, ref)).toEqual({ kind: 'unreadable', file, why });
  });

  test('so is a file in a directory that links out of it', () => {
    writeFileSync(join(scratch.outside, 'main.json'), '{}');
    renameSync(join(scratch.layout.git, 'requirements'), join(scratch.dir, 'moved'));
    symlinkSync(scratch.outside, join(scratch.layout.git, 'requirements'));
    expect(readDocument(scratch.layout, ref)).toMatchObject({
      kind: 'unreadable',
      why: expect.stringContaining(scratch.outside),
    });
  });

  test('a directory whose name only begins like the base is outside', () => {
    mkdirSync(`${scratch.layout.git}-other`);
    symlinkSync(`${scratch.layout.git}-other`, join(scratch.layout.git, 'elsewhere'));
    expect(readDocument(scratch.layout, json('elsewhere/x.json')).kind).toBe('unreadable');
  });

  test('our own directory is no way out either', () => {
    symlinkSync(scratch.outside, scratch.layout.own);
    expect(readDocument(scratch.layout, json('x.json', 'own')).kind).toBe('unreadable');
  });

  test('links that stay inside are followed', () => {
    writeFileSync(join(scratch.layout.git, 'real.json'), '1');
    symlinkSync('../real.json', file);
    symlinkSync('requirements', join(scratch.layout.git, 'alias'));
    expect(readDocument(scratch.layout, json('alias/main.json'))).toMatchObject({
      kind: 'present',
      value: 1,
    });
  });

  test('a home that itself is a link is a home', () => {
    const home = join(scratch.dir, 'linked-home');
    symlinkSync(scratch.layout.home, home);
    mkdirSync(join(home, 'dotfiles'));
    symlinkSync(join(home, 'dotfiles'), join(home, '.claude'));
    writeFileSync(join(home, '.claude/sessions.json'), '2');
    const found = readDocument({ ...scratch.layout, home }, json('.claude/sessions.json', 'home'));
    expect(found).toMatchObject({ kind: 'present', value: 2 });
  });
});
