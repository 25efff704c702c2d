import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newStamp, processStart, processState, shortText } from '../../src/exec/processes';
import { makeRig, type Rig } from '../e2e/rig';
import { makeServerRig, type ServerRig, until } from './server-rig';

let rig: Rig;
let servers: ServerRig;
let child: ChildProcess | undefined;
const serve = (...args: string[]) =>
  rig.holdpoint(['serve', ...args], { env: { HOLDPOINT_RUNTIME_DIR: servers.runtime } });

beforeEach(() => {
  rig = makeRig('');
  servers = makeServerRig(rig);
  child = undefined;
});
afterEach(async () => {
  serve('--stop');
  child?.kill('SIGKILL');
  await servers.stop();
  rig.remove();
});

/** A server that is there and never says anything again. */
async function stoppedServer(): Promise<number> {
  const { child: server } = await servers.serve();
  server.kill('SIGSTOP');
  return server.pid ?? 0;
}

/** A process that does not care for signals. On systems where only its words tell what it is, it passes for a server. */
async function deafProcess(): Promise<number> {
  const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6); console.log('serve.cjs')";
  child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return child.pid ?? 0;
}

/** Makes the place look as a process that took the lock would. */
function lockAs(pid: number, start: string | undefined): void {
  mkdirSync(servers.runtime, { mode: 0o700 });
  const { start: _own, ...stamp } = newStamp();
  const text = shortText({ ...stamp, pid, ...(start !== undefined && { start }) });
  symlinkSync(text, join(servers.runtime, 'lock'));
}

it('is named with its process and what to do', async () => {
  const pid = await stoppedServer();
  expect(serve('--status')).toMatchObject({
    exitCode: 1,
    stdout: `The server (process ${pid}) does not respond. Events wait for it, then are decided without it. End it: holdpoint serve --stop\n`,
  });
  expect(serve('--status', '--json')).toMatchObject({ exitCode: 1, json: { pid, answers: false } });
});

it('is ended by --stop, and nothing of it is left', async () => {
  const pid = await stoppedServer();
  expect(serve('--stop')).toMatchObject({
    exitCode: 0,
    stdout: `Server ${pid} did not respond and was killed.\n`,
  });
  await until(
    () => processState(pid) === 'dead',
    () => `${pid} lives`,
  );
  for (const name of ['s', 'lock']) expect(existsSync(join(servers.runtime, name)), name).toBe(false);
});

it('is killed where it does not hear', async () => {
  const pid = await deafProcess();
  lockAs(pid, processStart(pid));
  expect(serve('--stop').stdout).toBe(`Server ${pid} did not respond and was killed.\n`);
  expect(processState(pid)).toBe('dead');
});

it.skipIf(process.platform !== 'linux')(
  'a process that has only got its number is left alone (needs a kernel that tells when a process began)',
  async () => {
    const pid = await deafProcess();
    lockAs(pid, '1');
    expect(serve('--stop')).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('No server') });
    expect(processState(pid)).toBe('alive');
  },
);

it('makes room for one that is started by hand', async () => {
  const pid = await stoppedServer();
  const { exitCode, stdout, stderr } = serve();
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: `Server ${pid} did not respond and was killed.\n`,
  });
  expect(stdout).toContain(`runs as process ${(await servers.status())?.pid}`);
});

it('makes room for one that events have started, while one that answers does not', async () => {
  const pid = await stoppedServer();
  const second = await servers.serve();
  expect((await servers.status())?.pid).toBe(second.child.pid);
  expect(second.said()).toContain(`(process ${pid}) did not respond and was killed`);
  const third = servers.start();
  expect(await third.ended).toBe(0);
  expect(third.said()).toContain('another server is already running');
  expect((await servers.status())?.pid).toBe(second.child.pid);
});
