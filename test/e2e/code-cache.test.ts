import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sumOf } from '../../src/main/code-cache';
import { STRESS, times } from '../stress';
import { EDIT, type Events, eventsIn, SESSION } from './events';
import { commandFile, deniedBecause, makeRig, type Rig } from './rig';

// Only a process of its own stores code.
beforeAll(() => void vi.stubEnv('HOLDPOINT_TEST_PROCESSES', '1'));
afterAll(() => void vi.unstubAllEnvs());

const PAGE = 4096;

let rig: Rig;
let on: Events;
let folder: string;

beforeEach(() => {
  rig = makeRig();
  on = eventsIn(rig);
  folder = join(rig.home, '.config', 'holdpoint', 'code');
});
afterEach(() => rig.remove());

const wordsOf = (bytes: Buffer): Int32Array => new Int32Array(new Uint8Array(bytes).buffer);
const kept = (): string[] => readdirSync(folder).sort();
const deny = (): string => deniedBecause(rig.hook(on.pre('Edit', EDIT)));
/** The stored code of the chunk that judges. */
const judging = (): string => join(folder, kept().find((name) => name.startsWith('decide.')) ?? '');

it('keeps the compiled code of each chunk, for nobody else to read', () => {
  deny();
  expect(kept().map((name) => name.split('.')[0])).toEqual(
    expect.arrayContaining(['run', 'decide', 'guard-requirements', 'compile-config']),
  );
  for (const name of kept()) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

it('what another kind of event runs is added by the first two of it', () => {
  deny();
  const before = statSync(judging()).size;
  rig.req(['satisfy', 'commit_plan', '--session', SESSION]);
  const allowed = Array.from({ length: 4 }, () => {
    expect(rig.hook(on.pre('Edit', EDIT)).stdout).toBe('');
    const { size, mtimeMs } = statSync(judging());
    return { size, mtimeMs };
  });
  expect(allowed[0]?.size).toBeGreaterThan(before);
  expect(allowed.slice(2)).toEqual([allowed[1], allowed[1]]);
});

it('own rules have theirs, which is never that of another text of the same length', () => {
  const words = ['apple', 'grape', 'lemon'].slice(0, times(2, 3));
  for (const word of words) {
    rig.write(
      '.holdpoint/rules/fruit.ts',
      `import { defineRule, hold } from 'holdpoint';
export default defineRule({ name: 'fruit', on: 'edit', decide: () => hold('No ${word}.') });
`,
    );
    rig.write(
      '.holdpoint/rules/push.ts',
      `import { defineRule, hold } from 'holdpoint';
export default defineRule({ name: 'push', on: 'push', decide: () => hold('No push.') });
`,
    );
    rig.holdpoint(['trust', '--accept']);
    const changed = Array.from({ length: 4 }, () => {
      expect(deny()).toContain(`No ${word}.`);
      expect(deniedBecause(rig.hook(on.pre('Bash', { command: 'git push' })))).toContain('No push.');
      const [only, ...others] = kept().filter((name) => name.startsWith('rules-'));
      expect(others).toEqual([]);
      return statSync(join(folder, only ?? '')).ctimeMs;
    });
    // Events that ask other rules do not replace it in turn.
    expect(new Set(changed.slice(1)).size).toBe(1);
  }
});

describe('a damaged cache is passed over', () => {
  const flip = (bytes: Buffer, at: number): Buffer => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 0xff;
    return copy;
  };
  const DAMAGES: [string, (bytes: Buffer) => Buffer][] = [
    ['empty', () => Buffer.alloc(0)],
    ['cut in the middle', (bytes) => bytes.subarray(0, bytes.length / 2 - 100)],
    ['cut to one half', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['one byte flipped in the first half', (bytes) => flip(bytes, 5000)],
    ['one byte flipped in the second half', (bytes) => flip(bytes, bytes.length - 5000)],
    ['zeros', (bytes) => Buffer.alloc(bytes.length)],
    ['the same letter all over', (bytes) => Buffer.alloc(bytes.length, 'x')],
    ['something else', () => Buffer.from('not code at all')],
  ];
  it.each(STRESS ? DAMAGES : DAMAGES.filter((_, at) => at % 2 === 0))('%s', (_, damage) => {
    deny();
    for (const name of kept()) writeFileSync(join(folder, name), damage(readFileSync(join(folder, name))));
    const ended = rig.hook(on.pre('Edit', EDIT));
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(deniedBecause(ended)).toContain('commit_plan');
    expect(deny()).toContain('commit_plan');
  });

  it('whichever of its pages was lost, with its time as it was', () => {
    deny();
    let [lost, unnoticed] = [0, 0];
    for (const name of kept()) {
      const bytes = readFileSync(join(folder, name));
      // The first page has the checksum.
      for (let at = PAGE; at + PAGE <= bytes.length; at += PAGE) {
        const left = Buffer.from(bytes).fill(0, at, at + PAGE);
        lost++;
        if (sumOf(wordsOf(left)) === sumOf(wordsOf(bytes))) unnoticed++;
      }
    }
    expect(lost).toBeGreaterThan(100);
    expect(unnoticed / lost).toBeLessThan(0.01);
  });

  it('a directory or a link in its place', () => {
    deny();
    const [first = '', second = ''] = kept();
    for (const name of [first, second]) rmSync(join(folder, name));
    mkdirSync(join(folder, first));
    symlinkSync('/dev/zero', join(folder, second));
    expect(deny()).toContain('commit_plan');
  });
});

it('works where nothing can be kept, and says nothing of it', () => {
  writeFileSync(join(rig.home, '.config'), 'a file in the way');
  for (let round = 0; round < 2; round++) {
    const ended = rig.hook(on.pre('Edit', EDIT));
    expect(deniedBecause(ended)).toContain('commit_plan');
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
  }
});

it('names that no host sends leave no files of their own', () => {
  rig.hookText('{"hook_event_name":"PreToolUsf","cwd":7}');
  rig.hookText('{"hook_event_name":"Whatever"');
  expect(kept().map((name) => name.split('.')[0])).toEqual(['decide', 'run']);
});

it('what a killed process has left is removed', () => {
  deny();
  const left = `${judging()}.4711.abc.tmp`;
  writeFileSync(left, 'half of it');
  utimesSync(left, 1, 1);
  rmSync(judging());
  deny();
  expect(existsSync(left)).toBe(false);
});

it('an older build is replaced, not piled up', () => {
  deny();
  const current = kept().find((name) => name.startsWith('decide.')) ?? '';
  writeFileSync(join(folder, 'decide.0123456789abcdef-old'), 'old');
  rmSync(join(folder, current));
  deny();
  expect(kept().filter((name) => name.startsWith('decide.'))).toEqual([current]);
});

it('many at once make it without a fault', async () => {
  const all = await Promise.all(Array.from({ length: 16 }, () => rig.startHook(on.pre('Edit', EDIT))));
  for (const ended of all) expect(deniedBecause(ended)).toContain('commit_plan');
  expect(kept().filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

it('the code of another build is not used, though its chunks have the same length and age', () => {
  const dist = join(rig.tmp, 'dist');
  cpSync(dirname(commandFile('hook')), dist, { recursive: true });
  const run = (): string =>
    spawnSync(process.execPath, [join(dist, 'hook.cjs')], {
      input: JSON.stringify(on.pre('Edit', EDIT)),
      env: rig.environment(),
      encoding: 'utf8',
    }).stdout;
  for (let round = 0; round < 3; round++) expect(run()).toContain('Nothing was changed');
  const build = /\.([0-9a-f]{16})-v/.exec(kept().join(' '))?.[1] ?? '';
  const rewrite = (name: string, from: string, to: string): void => {
    const file = join(dist, name);
    const { atime, mtime } = statSync(file);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, to));
    utimesSync(file, atime, mtime);
  };
  rewrite('guard-requirements.cjs', 'Nothing was changed', 'nothing WAS changed');
  rewrite('hook.cjs', build, [...build].reverse().join(''));
  expect(run()).toContain('nothing WAS changed');
});
