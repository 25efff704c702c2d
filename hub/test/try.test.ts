import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const TRY = fileURLToPath(new URL('../try.mjs', import.meta.url));

/** The processes with this text in their environment, where the system tells. */
function processesWith(text: string): string[] {
  const mentions = (pid: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text);
    } catch {
      return false;
    }
  };
  return process.platform === 'linux'
    ? readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && mentions(pid))
    : [];
}

it.each([
  ['at once', undefined],
  ['once an agent is held', /is held/],
])('the trial ends with everything that it has started: a signal %s', async (_when, line) => {
  const dir = mkdtempSync(join(tmpdir(), 't-'));
  try {
    const child = spawn(process.execPath, [TRY], { env: { PATH: process.env['PATH'], TMPDIR: dir } });
    const ended = once(child, 'exit');
    if (line === undefined) while (readdirSync(dir).length === 0) await wait(5);
    else for await (const text of createInterface({ input: child.stdout })) if (line.test(text)) break;
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect([readdirSync(dir), processesWith(dir)]).toEqual([[], []]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
