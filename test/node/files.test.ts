import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withOwnRequire } from './own-require';

type Files = typeof import('../../src/node/files');

let files: Files;
let dir = '';
const at = (name: string): string => join(dir, name);

withOwnRequire(
  () => import('../../src/node/files'),
  (loaded) => {
    files = loaded;
  },
);
beforeEach(() => {
  dir = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'holdpoint-node-')));
  fs.writeFileSync(at('plain'), 'grüße\n');
  fs.symlinkSync('plain', at('link'));
  fs.mkdirSync(at('folder'));
});

afterEach(() => fs.rmSync(dir, { recursive: true }));

/** What a call comes to: its value, or what tells its error. */
function outcome(work: () => unknown): unknown {
  try {
    return { value: work() };
  } catch (error) {
    const { name, code, message, syscall, errno, path } = error as NodeJS.ErrnoException;
    return { name, code, message, syscall, errno, path };
  }
}

/** Paths of every kind, those that a caller could make up too. */
const PATHS = [
  'plain',
  'link',
  'folder',
  'missing',
  'plain/below',
  'folder/../plain',
  'pl\0ain',
  '',
] as const;

describe('the stand-ins tell what Node tells', () => {
  it.each(PATHS)('of %j', (name) => {
    const path = name === '' ? '' : at(name);
    const calls: readonly ((own: typeof fs | Files) => unknown)[] = [
      (own) => own.existsSync(path),
      (own) => own.readFileSync(path, 'utf8'),
      (own) => own.readlinkSync(path),
      (own) => own.realpathSync.native(path),
      (own) => own.realpathSync(path),
      (own) => own.unlinkSync(`${path}-gone`),
      (own) => own.renameSync(`${path}-gone`, path),
      (own) => own.mkdirSync(path),
      (own) => own.openSync(path, 'wx', 0o600),
      (own) => own.symlinkSync('anything', path),
    ];
    for (const call of calls) {
      // What these make would be in the way of the other.
      if (/wx|mkdir|symlink/.test(String(call)) && !fs.existsSync(path)) continue;
      expect(outcome(() => call(files))).toEqual(outcome(() => call(fs)));
    }
  });

  it.each(PATHS)('of what %j is', (name) => {
    const path = name === '' ? '' : at(name);
    for (const way of ['statSync', 'lstatSync'] as const) {
      const silent = { throwIfNoEntry: false };
      expect(outcome(() => members(files[way](path)))).toEqual(outcome(() => members(fs[way](path))));
      expect(outcome(() => members(files[way](path, silent)))).toEqual(
        outcome(() => members(fs[way](path, silent))),
      );
    }
  });
});

function members(stats: fs.Stats | undefined): unknown {
  if (stats === undefined) return undefined;
  const { atime, mtime, ctime, birthtime, atimeMs: _, ...numbers } = stats;
  const kinds = [
    stats.isFile(),
    stats.isDirectory(),
    stats.isSymbolicLink(),
    stats.isFIFO(),
    stats.isSocket(),
  ];
  const devices = [stats.isBlockDevice(), stats.isCharacterDevice()];
  const times = [stats.mtime, stats.ctime, stats.birthtime].map(Number);
  return { ...numbers, kinds, devices, times, isDated: stats.atime instanceof Date };
}

describe('reading and writing', () => {
  it('reads pieces from any place into any place', () => {
    fs.writeFileSync(at('long'), 'abcdefghij');
    const fd = files.openSync(at('long'), fs.constants.O_RDONLY);
    const bytes = new Uint8Array(8).fill(46);
    expect(files.readSync(fd, bytes, 1, 3, null)).toBe(3);
    expect(files.readSync(fd, bytes, 5, 3, 7)).toBe(3);
    expect(files.readSync(fd, bytes, 0, 0, null)).toBe(0);
    expect(Buffer.from(bytes).toString()).toBe('.abc.hij');
    expect(files.readSync(fd, bytes, 0, 8, 100)).toBe(0);
    files.closeSync(fd);
    expect(outcome(() => files.readSync(fd, bytes, 0, 8, null))).toMatchObject({ code: 'EBADF' });
  });

  it.each([
    [-1, 4],
    [4, 5],
    [0, 9],
    [0.5, 2],
    [9, 0],
  ])('leaves a piece that does not fit to Node: %d, %d', (offset, length) => {
    const fd = files.openSync(at('plain'), 'r');
    const read = (own: typeof fs | Files) =>
      outcome(() => own.readSync(fd, new Uint8Array(8), offset, length, 0));
    expect(read(files)).toEqual(read(fs));
    files.closeSync(fd);
  });

  it('writes texts and bytes, and tells how much', () => {
    const fd = files.openSync(at('new'), 'wx', 0o600);
    expect(files.writeSync(fd, 'größer')).toBe(8);
    expect(files.writeSync(fd, Buffer.from('abcdef'), 2)).toBe(4);
    expect(files.writeSync(fd, new Uint8Array([10]))).toBe(1);
    expect(files.writeSync(fd, new Uint8Array([65, 66, 67]), 1, 1, 1)).toBe(1);
    expect(files.writeSync(fd, 'Z', 0)).toBe(1);
    files.fsyncSync(fd);
    expect(files.fstatSync(fd).size).toBe(13);
    files.closeSync(fd);
    expect(fs.readFileSync(at('new'), 'utf8')).toBe('ZBößercdef\n');
    expect(fs.statSync(at('new')).mode & 0o777).toBe(0o600);
  });

  it('fails as Node does', () => {
    const fd = files.openSync(at('plain'), fs.constants.O_RDONLY);
    for (const data of ['text', new Uint8Array([1, 2])]) {
      expect(outcome(() => files.writeSync(fd, data))).toEqual(
        outcome(() => fs.writeSync(fd, data as string)),
      );
    }
    files.closeSync(fd);
    for (const call of ['closeSync', 'fsyncSync', 'fstatSync'] as const) {
      expect(outcome(() => files[call](fd))).toEqual(outcome(() => fs[call](fd)));
    }
  });

  it('makes directories, links and other names', () => {
    expect(files.mkdirSync(at('a/b/c'), { recursive: true, mode: 0o700 })).toBe(at('a'));
    expect(fs.statSync(at('a/b')).mode & 0o777).toBe(0o700);
    expect(files.mkdirSync(at('a/b/c'), { recursive: true })).toBeUndefined();
    files.symlinkSync('some words that are no file', at('words'));
    expect(files.readlinkSync(at('words'))).toBe('some words that are no file');
    files.renameSync(at('words'), at('a/words'));
    files.unlinkSync(at('a/words'));
    expect(fs.readdirSync(at('a'))).toEqual(['b']);
  });
});
