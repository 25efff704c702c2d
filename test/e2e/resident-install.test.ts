import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processState } from '../../src/exec/processes';
import { askServer, endServer } from '../../src/server/control';
import { editIn } from './direct-project';
import { COMPILER_HERE, FORMS_HERE, launchOf, pathWith, runLine, serverAt } from './resident-project';
import { deniedBecause, type Ended, makeRig, type Rig } from './rig';

let rig: Rig;
let env: Record<string, string>;
let socket: string;

beforeEach(() => {
  rig = makeRig();
  env = { HOLDPOINT_RUNTIME_DIR: join(rig.dir, 'run') };
  socket = join(rig.dir, 'run', 's');
});
afterEach(async () => {
  await endServer(socket);
  rig.remove();
});

const edit = (id: string): string => editIn(rig, id);

const install = (...args: string[]): Ended => rig.holdpoint(['install', ...args], { env });

describe.skipIf(FORMS_HERE.length === 0 && COMPILER_HERE === undefined)(
  'install --resident, on a machine that has a C compiler, nc, ncat, perl or socat',
  () => {
    it.each([...new Set(FORMS_HERE.map(({ program }) => program))])(
      'takes %s where nothing else is there',
      (program) => {
        const PATH = pathWith(rig, 'bin', [program, 'cat', 'git', 'sh']);
        const { exitCode, stdout } = rig.holdpoint(['install', '--resident'], { env: { ...env, PATH } });
        expect({ exitCode, stdout }).toEqual({
          exitCode: 0,
          stdout: expect.stringContaining(`reached by ${join(PATH, program)}`),
        });
        expect(launchOf(rig)).toContain(`holdpoint_client='${join(PATH, program)}'`);
      },
    );

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
      expect(removed.stdout).toContain('was ended');
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
      expect(install().stdout).toContain('Every event starts a process of its own again');
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
      expect(processState(pid)).toBe('dead');
      expect(deniedBecause(await runLine(rig, edit('again')))).toContain('commit_plan');
      expect((await serverAt(socket)).answered).toBe(next.answered + 1);
    }, 60_000);

    it.each([['install', '--resident'], ['install'], ['uninstall']])(
      'a server that hangs is ended by %s %s, which says so',
      async (...args) => {
        const pid = await hangingServer();
        const { exitCode, stdout } = rig.holdpoint(args, { env });
        expect(exitCode).toBe(0);
        expect(stdout).toContain(`! The server (process ${pid}) did not answer any more and was ended`);
        expect(processState(pid)).toBe('dead');
        expect(existsSync(socket)).toBe(false);
      },
      60_000,
    );

    it('a server that hangs is named by status and doctor', async () => {
      const pid = await hangingServer();
      expect(rig.holdpoint(['status'], { env }).stdout).toMatch(
        new RegExp(`^Server +process ${pid} is there but does not answer.*holdpoint serve --stop`, 'm'),
      );
      expect(rig.holdpoint(['status', '--json'], { env }).json).toMatchObject({
        server: { running: true, answers: false, pid },
      });
      // Else the events of doctor would have another take its place.
      const starting = join(rig.dir, 'run', 'starting');
      writeFileSync(starting, `${process.pid}\n`);
      utimesSync(starting, Date.now() / 1000 + 3600, Date.now() / 1000 + 3600);
      const { stdout } = rig.holdpoint(['doctor'], { env });
      expect(stdout).toMatch(new RegExp(`! hook.resident +the server \\(process ${pid}\\) does not answer`));
      expect(stdout).toContain('holdpoint serve --stop');
    }, 60_000);

    it.skipIf(FORMS_HERE.length === 0)('is told apart where its client is gone', async () => {
      const PATH = pathWith(rig, 'bin', [FORMS_HERE[0]?.program ?? '', 'cat', 'git', 'sh']);
      rig.holdpoint(['install', '--resident'], { env: { ...env, PATH } });
      const client = /^holdpoint_client='(.*)'$/m.exec(launchOf(rig))?.[1] ?? '';
      rmSync(client);
      expect(deniedBecause(await runLine(rig, edit('1')))).toContain('commit_plan');
      expect(rig.holdpoint(['doctor'], { env }).stdout).toContain(`${client} is gone`);
    });
  },
);

describe.skipIf(COMPILER_HERE === undefined)('install --resident, on a machine that has a C compiler', () => {
  const clientOf = (): string => join(rig.home, '.config/holdpoint/client');

  it('compiles a client, names it, and takes it out again', async () => {
    expect(install('--resident').stdout).toContain(`reached by ${clientOf()}`);
    expect(statSync(clientOf()).mode & 0o111).toBe(0o111);
    await runLine(rig, edit('1'));
    const { answered } = await serverAt(socket);
    expect(deniedBecause(await runLine(rig, edit('2')))).toContain('commit_plan');
    expect((await askServer(socket))?.answered).toBe(answered + 1);
    expect(rig.holdpoint(['status'], { env }).stdout).toContain(`reached by ${clientOf()}`);
    expect(rig.holdpoint(['doctor'], { env }).stdout).toContain(`reached by ${clientOf()}`);
    expect(rig.holdpoint(['uninstall'], { env }).stdout).toContain('was ended');
    expect(existsSync(clientOf())).toBe(false);
  });

  it('refuses nothing where it cannot do its work', () => {
    install('--resident');
    const run = (more: Record<string, string>): (number | string | null)[] => {
      const { status, stderr } = spawnSync(clientOf(), ['?'], {
        env: rig.environment(more),
        encoding: 'utf8',
      });
      return [status, stderr];
    };
    const sentence = 'holdpoint: this program is run by ~/.config/holdpoint/launch.\n';
    expect(run({})).toEqual([1, sentence]);
    expect(run({ COPILOT_CLI: '1' })).toEqual([0, sentence]);
  });

  it('leaves one that is right as it is, and replaces one that is not', () => {
    install('--resident');
    const first = statSync(clientOf());
    install('--resident');
    expect(statSync(clientOf()).ino).toBe(first.ino);
    writeFileSync(clientOf(), 'of an older version');
    install('--resident');
    expect(statSync(clientOf()).size).toBe(first.size);
  });

  it('keeps it where `init` writes the launch file anew', () => {
    install('--resident');
    const before = launchOf(rig);
    rig.holdpoint(['init', '--yes'], { env });
    expect(launchOf(rig)).toBe(before);
    expect(existsSync(clientOf())).toBe(true);
  });

  it('does without where its client is gone, and doctor says so', async () => {
    install('--resident');
    await runLine(rig, edit('1'));
    await serverAt(socket);
    rmSync(clientOf());
    expect(deniedBecause(await runLine(rig, edit('2')))).toContain('commit_plan');
    expect(rig.holdpoint(['doctor'], { env }).stdout).toContain(`${clientOf()} is gone`);
  });
});

it.skipIf(FORMS_HERE.length === 0)(
  'takes another program where the compiler does not work (needs nc, ncat, perl or socat)',
  () => {
    const program = FORMS_HERE[0]?.program ?? '';
    const PATH = pathWith(rig, 'bin', [program, 'cat', 'git', 'sh', 'no-such-compiler']);
    renameSync(join(PATH, 'no-such-compiler'), join(PATH, 'cc'));
    const { stdout } = rig.holdpoint(['install', '--resident'], { env: { ...env, PATH } });
    expect(stdout).toContain(`reached by ${join(PATH, program)}`);
    expect(existsSync(join(rig.home, '.config/holdpoint/client'))).toBe(false);
  },
);

it('says so where nothing reaches a server, and installs as ever', async () => {
  const PATH = pathWith(rig, 'bin', ['cat', 'git', 'sh']);
  const { exitCode, stdout } = rig.holdpoint(['install', '--resident'], { env: { ...env, PATH } });
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    'Nothing on this machine reaches a socket (looked for: cc, gcc, clang, nc, ncat, perl, socat).',
  );
  expect(deniedBecause(await runLine(rig, edit('1')))).toContain('commit_plan');
});

it('says so where the directory of the socket is not ours alone', () => {
  const { exitCode, stdout } = rig.holdpoint(['install', '--resident'], {
    env: { HOLDPOINT_RUNTIME_DIR: rig.repo },
  });
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining('can be entered by others'),
  });
});
