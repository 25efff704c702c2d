import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanByHand } from '../../../../src/guards/gates/run/logs';

let dir: string;
let logDir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdpoint-clean-'));
  logDir = join(dir, 'logs');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function put(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(join(logDir, path, '..'), { recursive: true });
    writeFileSync(join(logDir, path), path);
  }
}

function all(): string[] {
  return readdirSync(logDir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(logDir.length + 1))
    .sort();
}

describe('clean', () => {
  it('makes no directory where there is none', () => {
    expect(cleanByHand(logDir)).toEqual({ kind: 'nothing' });
    expect(existsSync(logDir)).toBe(false);
  });

  it.each([
    ['leaves the archive alone without new logs', ['previous/old.log'], ['previous/old.log'], 'nothing'],
    [
      'replaces the archive by the new logs',
      ['new.1.log', 'previous/old.log', 'previous/check_src_c.1.json'],
      ['previous/new.1.log'],
      'archived',
    ],
    [
      'counts a console log alone',
      ['console.1.log', 'previous/old.log'],
      ['previous/console.1.log'],
      'archived',
    ],
    [
      'moves the state, and does not let the archive go for it alone',
      ['.execution_state', 'previous/old.log'],
      ['previous/.execution_state', 'previous/old.log'],
      'archived',
    ],
    [
      'keeps what survives sessions',
      ['a.1.log', '.debug.log', '.debug.log.1', '.gate-cache.json'],
      ['.debug.log', '.debug.log.1', '.gate-cache.json', 'previous/a.1.log'],
      'archived',
    ],
    [
      'touches no foreign file, neither here nor in the archive',
      ['a.1.json', 'notes.md', 'server.log', 'sub/b.1.log', 'previous/notes.md', 'previous/sub/c.1.log'],
      [
        'notes.md',
        'previous/a.1.json',
        'previous/notes.md',
        'previous/sub/c.1.log',
        'server.log',
        'sub/b.1.log',
      ],
      'archived',
    ],
    ['removes the older program’s reference', ['.session_ref', 'a.1.log'], ['previous/a.1.log'], 'archived'],
  ] as const)('%s', (_name, before, after, kind) => {
    put(...before);
    expect(cleanByHand(logDir).kind).toBe(kind);
    expect(all()).toEqual(after);
  });

  it('refuses while a run goes on and says whose it is', () => {
    put('a.1.log');
    writeFileSync(join(logDir, '.gauntlet-run.lock'), String(process.pid));
    expect(cleanByHand(logDir)).toMatchObject({ kind: 'locked', holder: { pid: process.pid } });
    expect(existsSync(join(logDir, 'a.1.log'))).toBe(true);
  });

  it('does not follow a link in the archive’s place', () => {
    put('a.1.log');
    mkdirSync(join(dir, 'elsewhere'));
    writeFileSync(join(dir, 'elsewhere', 'b.1.log'), 'theirs');
    symlinkSync(join(dir, 'elsewhere'), join(logDir, 'previous'));
    expect(cleanByHand(logDir)).toMatchObject({ kind: 'failed', why: expect.stringContaining('previous') });
    expect(readFileSync(join(dir, 'elsewhere', 'b.1.log'), 'utf8')).toBe('theirs');
    expect(all()).toContain('a.1.log');
  });
});
