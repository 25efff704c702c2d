import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processState } from '../../src/exec/processes';
import { askServer, endServer } from '../../src/server/control';
import { shareCompiledCode } from './compiled-code';
import { editIn, launchOf, NC, PATH_WITH_NC, pathWith, runLine, serverAt } from './resident-project';
import { deniedBecause, type Ended, makeRig, type Rig } from './rig';

let rig: Rig;
let env: Record<string, string>;
let socket: string;

beforeEach(() => {
  rig = makeRig();
  shareCompiledCode(rig.home);
  env = { HOLDPOINT_RUNTIME_DIR: join(rig.dir, 'run'), PATH: PATH_WITH_NC };
  socket = join(rig.dir, 'run', 's');
});
afterEach(async () => {
  await endServer(socket);
  rig.remove();
});

const edit = (id: string): string => editIn(rig, id);

const install = (...args: string[]): Ended => rig.holdpoint(['install', ...args], { env });

describe('install --resident', () => {
  it('names the program that reaches the server', () => {
    const { exitCode, stdout } = install('--resident');
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining(`reached by ${NC}`),
    });
    expect(launchOf(rig)).toContain(`holdpoint_client='${NC}'`);
  });

  it('--dry-run says that it would change how events are answered', () => {
    const dryRun = (): string => install('--resident', '--dry-run').stdout;
    install();
    expect(dryRun()).toBe('~/.config/holdpoint/launch would have a server answer events.\n');
    install('--resident');
    expect(dryRun()).toBe('Already installed. Nothing to do.\n');
  });

  it('has the first event start a server, which answers the next, until all is taken out', async () => {
    expect(install('--resident').exitCode).toBe(0);
    expect(deniedBecause(await runLine(rig, edit('1')))).toContain('commit_plan');
    const { pid, answered } = await serverAt(socket);
    expect(deniedBecause(await runLine(rig, edit('2')))).toContain('commit_plan');
    expect(await askServer(socket)).toMatchObject({ pid, answered: answered + 1 });
    expect(rig.holdpoint(['status'], { env }).stdout).toMatch(new RegExp(`^Server +process ${pid}, `, 'm'));
    const doctor = rig.holdpoint(['doctor'], { env }).stdout;
    expect(doctor).toMatch(
      new RegExp(`✓ hook.resident +the server \\(process ${pid}, .*\\), reached by .* holds a commit`),
    );

    expect(install('--resident').stdout).toContain('A server answers events');
    expect(await askServer(socket)).toMatchObject({ pid });
    const removed = rig.holdpoint(['uninstall'], { env });
    expect(removed.stdout).toContain('has been stopped');
    expect(await askServer(socket)).toBeUndefined();
    expect(existsSync(join(rig.dir, 'run'))).toBe(false);
  });

  it('is undone by a plain install, and kept by init', async () => {
    install('--resident');
    await runLine(rig, edit('1'));
    await serverAt(socket);
    rig.holdpoint(['init', '--yes'], { env });
    expect(launchOf(rig)).toContain('holdpoint_socket=');
    expect(await askServer(socket)).toBeDefined();
    expect(install().stdout).toContain('Every event starts its own process again');
    expect(launchOf(rig)).not.toContain('holdpoint_socket=');
    expect(await askServer(socket)).toBeUndefined();
    expect(rig.holdpoint(['doctor'], { env }).stdout).toContain('no server: every event');
  });

  /** A server that an event has started, and that says nothing any more. */
  async function hangingServer(): Promise<number> {
    install('--resident');
    await runLine(rig, edit('first'));
    const { pid } = await serverAt(socket);
    process.kill(pid, 'SIGSTOP');
    return pid;
  }

  it('a server that hangs is given up by one event, and the next ones soon have another', async () => {
    const pid = await hangingServer();
    let turn = 0;
    do {
      expect(deniedBecause(await runLine(rig, edit(`hangs ${++turn}`)))).toContain('commit_plan');
    } while ((await askServer(socket, 100)) === undefined && turn < 5);
    const next = await serverAt(socket);
    expect(next.pid).not.toBe(pid);
    // It gives its place up a moment before it ends.
    await expect.poll(() => processState(pid)).toBe('dead');
    expect(deniedBecause(await runLine(rig, edit('again')))).toContain('commit_plan');
    expect((await serverAt(socket)).answered).toBe(next.answered + 1);
  });

  it.each([['install', '--resident'], ['install'], ['uninstall']])(
    'a server that hangs is ended by %s %s, which says so',
    async (...args) => {
      const pid = await hangingServer();
      const { exitCode, stdout } = rig.holdpoint(args, { env });
      expect(exitCode).toBe(0);
      expect(stdout).toContain(`! The server (process ${pid}) did not respond and was killed`);
      // It gives its place up a moment before it ends.
      await expect.poll(() => processState(pid)).toBe('dead');
      expect(existsSync(socket)).toBe(false);
    },
  );

  it('a server that hangs is named by status and doctor', async () => {
    const pid = await hangingServer();
    expect(rig.holdpoint(['status'], { env }).stdout).toMatch(
      new RegExp(`^Server +process ${pid} does not respond.*holdpoint serve --stop`, 'm'),
    );
    expect(rig.holdpoint(['status', '--json'], { env }).json).toMatchObject({
      server: { running: true, answers: false, pid },
    });
    // Else the events of doctor would have another take its place.
    const starting = join(rig.dir, 'run', 'starting');
    writeFileSync(starting, `${process.pid}\n`);
    utimesSync(starting, Date.now() / 1000 + 3600, Date.now() / 1000 + 3600);
    const { stdout } = rig.holdpoint(['doctor'], { env });
    expect(stdout).toMatch(new RegExp(`! hook.resident +the server \\(process ${pid}\\) does not respond`));
    expect(stdout).toContain('holdpoint serve --stop');
  });

  it('is told apart where its client is gone', async () => {
    const PATH = pathWith(rig, 'bin', ['nc', 'cat', 'git', 'sh']);
    rig.holdpoint(['install', '--resident'], { env: { ...env, PATH } });
    rmSync(join(PATH, 'nc'));
    expect(deniedBecause(await runLine(rig, edit('1')))).toContain('commit_plan');
    expect(rig.holdpoint(['doctor'], { env }).stdout).toContain(`${join(PATH, 'nc')} is missing`);
  });

  it.each([
    ['knows nothing of sockets', 'exit 1'],
    ['drops what it is given', 'cat >/dev/null'],
    ['says something of its own', 'cat; echo hello'],
  ])('does without an nc that %s, and says so', async (_what, script) => {
    const PATH = pathWith(rig, 'bin', ['cat', 'git', 'sh']);
    writeFileSync(join(PATH, 'nc'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const { exitCode, stdout } = rig.holdpoint(['install', '--resident'], { env: { ...env, PATH } });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`can pass events to a server (tried: ${join(PATH, 'nc')}).`);
    expect(launchOf(rig)).not.toContain('holdpoint_socket=');
    expect(deniedBecause(await runLine(rig, edit('1')))).toContain('commit_plan');
  });
});

it('says so where nothing reaches a server, and installs as ever', async () => {
  const PATH = pathWith(rig, 'bin', ['cat', 'git', 'sh']);
  const { exitCode, stdout } = rig.holdpoint(['install', '--resident'], { env: { ...env, PATH } });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('No program on this machine can talk to a socket (looked for nc).');
  expect(deniedBecause(await runLine(rig, edit('1')))).toContain('commit_plan');
});

it('says so where the directory of the socket is not ours alone', () => {
  const { exitCode, stdout } = rig.holdpoint(['install', '--resident'], {
    env: { HOLDPOINT_RUNTIME_DIR: rig.repo },
  });
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining('is open to other users'),
  });
});
