import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ancestry } from '../../src/exec/ancestry';
import { findHostProcess, processStart } from '../../src/exec/processes';

const started: ChildProcess[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    process.kill(-child.pid!, 'SIGKILL');
    await gone;
  }
});

/** Starts a line of processes; the innermost prints its number and waits for the end of its input. */
async function innermost(command: string, ...args: string[]): Promise<number> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  started.push(child);
  const [chunk] = await once(child.stdout!, 'data');
  return Number(String(chunk).trim());
}

/** The `:` at the end keeps a shell from becoming its last command. */
function nested(shells: number): string {
  let line = 'echo $$; cat; :';
  for (let depth = 1; depth < shells; depth++) line = `sh -c '${line.replaceAll("'", "'\\''")}'; :`;
  return line;
}

const me = () => ({ pid: process.pid, start: processStart(process.pid) });

const pidsFrom = (pid: number) => ancestry(pid).map((one) => one.pid);

describe('the host is', () => {
  it('the process it names', async () => {
    const pid = await innermost('sh', '-c', nested(1));
    const host = findHostProcess({ CLAUDE_PID: String(pid) }, process.pid);
    expect(host.pid).toBe(pid);
    expect(host.start).toBe(processStart(pid));
  });

  const NOT_NAMED = ['', '0', '-1', '1e3', 'abc', '4194305', '99999999999999999999'];
  it.each(NOT_NAMED)('not looked for in %j', (named) => {
    expect(findHostProcess({ CLAUDE_PID: named }, process.pid).pid).toBe(process.pid);
  });

  it('our parent when that is no shell', () => {
    expect(findHostProcess({}, process.pid)).toEqual(
      process.platform === 'linux' ? me() : { pid: process.pid },
    );
  });

  it('our parent when it cannot be looked at', () => {
    expect(findHostProcess({}, 4_194_305)).toEqual({ pid: 4_194_305 });
  });
});

describe.runIf(process.platform === 'linux')('upward from our parent (Linux), the host is', () => {
  it.each([1, 2, 5])('behind %d shells', async (shells) => {
    expect(findHostProcess({}, await innermost('sh', '-c', nested(shells)))).toEqual(me());
  });

  it('behind env, timeout and bash', async () => {
    const pid = await innermost('env', 'A=b', 'timeout', '60', 'bash', '-c', 'echo $$; cat; :');
    expect(findHostProcess({}, pid)).toEqual(me());
  });

  it('our parent when there are too many shells', async () => {
    const pid = await innermost('sh', '-c', nested(9));
    expect(findHostProcess({}, pid).pid).toBe(pid);
  });

  it('the first program that is no shell, whatever stands above it', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'holdpoint-host-'));
    try {
      const agent = join(dir, 'an agent) S (1');
      copyFileSync('/bin/sh', agent);
      const line = `"${agent}" -c 'echo $$; sh -c "echo \\$\\$; cat; :"; :'; :`;
      const child = spawn('sh', ['-c', line], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
      started.push(child);
      let printed = '';
      while (printed.split('\n').length < 3) printed += String((await once(child.stdout!, 'data'))[0]);
      const [host, inner] = printed.split('\n').map(Number);
      expect(findHostProcess({}, inner!)).toEqual({ pid: host, start: processStart(host!) });
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

describe('the processes above one are', () => {
  it.runIf(process.platform === 'linux')(
    'each the parent of the one before, up to the first (Linux)',
    async () => {
      const pid = await innermost('sh', '-c', nested(3));
      const line = pidsFrom(pid);
      expect(line[0]).toBe(pid);
      expect(line.indexOf(process.pid)).toBe(3);
      expect(new Set(line).size).toBe(line.length);
      expect(pidsFrom(process.ppid)).toEqual(line.slice(4));
    },
  );

  it('only itself where nothing can be read, and none for no process', () => {
    expect(pidsFrom(4_194_305)).toEqual([]);
    expect(pidsFrom(0)).toEqual([]);
  });
});
