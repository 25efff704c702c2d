import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Child, ChildOrder, NotStartedChild } from '../../src/exec/child';
import { startProgram } from '../../src/exec/start-program';

const scratch = mkdtempSync(join(tmpdir(), 'holdpoint start '));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const order = (parts: Partial<ChildOrder> = {}): ChildOrder => ({
  command: 'sh',
  args: ['-c', 'true'],
  cwd: scratch,
  env: { PATH: process.env['PATH'] },
  streams: ['none', 'pipe', 'none'],
  ...parts,
});

/** What a child says on one of its pipes, and how it ends. */
async function heard(child: Child, stream = 1): Promise<readonly [string, unknown]> {
  const pieces: Uint8Array[] = [];
  await new Promise<void>((resolve) => child.pipes[stream]?.listen((bytes) => pieces.push(bytes), resolve));
  return [Buffer.concat(pieces).toString(), await child.ended];
}

function started(child: Child | NotStartedChild | undefined): Child {
  if (child?.kind !== 'started') throw new Error('it was not started');
  return child;
}

const start = startProgram;

describe('a program', () => {
  it('has the arguments, the directory and the environment that it was given, and no others', async () => {
    const args = [
      '-c',
      'printf "<%s>" "$@"; pwd; env | grep -c "^A=ü 1$"; env | grep "^B"',
      'sh',
      'a  b',
      '',
      'ü',
    ];
    const env = { PATH: process.env['PATH'], A: 'ü 1', B: undefined };
    expect(await heard(started(start(order({ args, env }))))).toEqual([
      `<a  b><><ü>${scratch}\n1\n`,
      { kind: 'exited', code: 1 },
    ]);
  });

  it('is the leader of a session, and no further descriptor of ours is open in it', async () => {
    const list = 'ls /proc/$$/fd';
    const usual = spawnSync('sh', ['-c', list], { encoding: 'utf8' }).stdout;
    const child = started(start(order({ args: ['-c', `cut -d " " -f 5,6 /proc/$$/stat; ${list}`] })));
    const [said] = await heard(child);
    expect(said).toBe(`${child.pid} ${child.pid}\n${usual}`);
  });

  it.each([
    ['exit 7', { kind: 'exited', code: 7 }],
    ['kill -9 $$', { kind: 'signalled', signal: 'SIGKILL' }],
  ])('ends as it ends: %s', async (script, end) => {
    expect(
      await started(start(order({ args: ['-c', script], streams: ['none', 'none', 'none'] }))).ended,
    ).toEqual(end);
  });

  it('hears what is written to its pipe, and the writer hears that it is gone', async () => {
    const args = ['-c', 'read -r line <&3; echo "$line" >&3'];
    const child = started(start(order({ args, streams: ['none', 'none', 'none', 'pipe'] })));
    expect(child.pipes[3]?.write('hello\n')).toBe(true);
    expect(await heard(child, 3)).toEqual(['hello\n', { kind: 'exited', code: 0 }]);
    expect(child.pipes[3]?.write('more\n')).toBe(false);
  });

  it('says a megabyte without a gap', async () => {
    const args = ['-c', 'seq 1 200000'];
    const [said] = await heard(started(start(order({ args }))));
    expect(said).toBe(Array.from({ length: 200_000 }, (_, at) => `${at + 1}\n`).join(''));
  });
});

it('leaves no descriptor open, however often a start fails', async () => {
  const open = (): number => readdirSync('/proc/self/fd').length;
  const before = open();
  for (let round = 0; round < 50; round++) {
    const failed = startProgram(order({ command: 'no-such-program' }));
    if (failed.kind === 'failed') await failed.error;
  }
  await new Promise((next) => setTimeout(next, 20));
  expect(open()).toBeLessThanOrEqual(before);
});
