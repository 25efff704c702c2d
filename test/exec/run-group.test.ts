import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pidsIn, scratch, sh, stillAlive } from './run-rig';

interface Case {
  /** `$P` is the file to which each process writes its number. */
  readonly script: string;
  readonly processes: number;
  readonly timeoutMs?: number;
  readonly end: Record<string, unknown>;
}

const NOTE = 'echo $$ >> "$P"';
const LATE = { kind: 'timed-out', afterMs: 300 };

const CASES: Readonly<Record<string, Case>> = {
  'a program past its time': { script: `${NOTE}; exec sleep 60`, processes: 1, timeoutMs: 300, end: LATE },
  'a program that does not want to end': {
    script: `trap '' TERM INT HUP; ${NOTE}; while :; do sleep 60; done`,
    processes: 1,
    timeoutMs: 300,
    end: LATE,
  },
  'children and grandchildren past their time': {
    script: `${NOTE}; sh -c '${NOTE}; sh -c "${NOTE.replaceAll('$', '\\$').replaceAll('"', '\\"')}; exec sleep 60" & wait' & wait`,
    processes: 3,
    timeoutMs: 300,
    end: LATE,
  },
  'a grandchild that does not want to end, under a leader that does': {
    script: `sh -c 'trap "" TERM; ${NOTE}; while :; do sleep 60; done' & ${NOTE}; wait`,
    processes: 2,
    timeoutMs: 300,
    end: LATE,
  },
  'a stopped program': { script: `${NOTE}; kill -STOP $$`, processes: 1, timeoutMs: 300, end: LATE },
  'what a leader leaves in the background, holding its pipes': {
    script: `sh -c '${NOTE}; exec sleep 60' & until [ -s "$P" ]; do sleep 0.01; done; echo bye`,
    processes: 1,
    end: { kind: 'exited', code: 0, stdout: 'bye\n' },
  },
  'what a leader leaves in the background, holding nothing': {
    script: `sh -c '${NOTE}; exec sleep 60' >/dev/null 2>&1 & until [ -s "$P" ]; do sleep 0.01; done; exit 3`,
    processes: 1,
    end: { kind: 'exited', code: 3 },
  },
  'what a leader leaves that does not want to end': {
    script: `sh -c 'trap "" TERM; ${NOTE}; while :; do sleep 60; done' & until [ -s "$P" ]; do sleep 0.01; done; exit 4`,
    processes: 1,
    end: { kind: 'exited', code: 4 },
  },
};

describe('nothing is left of', () => {
  test.each(Object.entries(CASES))('%s', async (name, { script, processes, timeoutMs, end }) => {
    const file = join(scratch, `${name}.pids`);
    const env = { PATH: process.env['PATH'], P: file };
    const result = await sh(script, { env, ...(timeoutMs && { timeoutMs }) });
    expect(result).toMatchObject(end);
    const pids = pidsIn(file);
    expect(pids).toHaveLength(processes);
    expect(await stillAlive(pids)).toEqual([]);
    // What is left would run for a minute.
    expect(result.durationMs).toBeLessThan(30_000);
  });
});

test('a program gets time to put things in order when its own is over', async () => {
  const script = `trap 'echo cleaned; exit 0' TERM; echo begun; while :; do sleep 0.05; done`;
  expect(await sh(script, { timeoutMs: 300 })).toMatchObject({ ...LATE, stdout: 'begun\ncleaned\n' });
});

describe.runIf(process.platform === 'linux')(
  'a process that gave itself a session of its own (Linux, with setsid)',
  () => {
    const file = join(scratch, 'escaped.pids');
    const env = { PATH: process.env['PATH'], P: file };

    test.each([
      ['holds the pipes', `exec sleep 60`],
      ['talks for ever', `while :; do echo on and on; done`],
    ])('is not waited for though it %s', async (_, rest) => {
      const script = `rm -f "$P"; setsid sh -c '${NOTE}; ${rest}' & until [ -s "$P" ]; do sleep 0.01; done; echo bye`;
      const result = await sh(script, { env, maxBytesInMemory: 1000 });
      const [escaped = 0] = pidsIn(file);
      try {
        expect(result).toMatchObject({ kind: 'exited', code: 0 });
        expect(result.durationMs).toBeLessThan(30_000);
        expect(readFileSync(`/proc/${escaped}/stat`, 'utf8')).toContain(`${escaped} (`);
      } finally {
        process.kill(escaped, 'SIGKILL');
      }
      expect(await stillAlive([escaped])).toEqual([]);
    });
  },
);
