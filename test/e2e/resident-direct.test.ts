import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askServer, endServer } from '../../src/server/control';
import { clientOf, editIn, type Handler, handlerIn, settingsOf, startDirectly } from './direct-project';
import { COMPILER_HERE, runLine, serverAt } from './resident-project';
import { at, commandFile, deniedBecause, type Ended, makeRig, type Rig } from './rig';

describe.skipIf(COMPILER_HERE === undefined)(
  'an entry that the host starts without a shell (needs a C compiler)',
  () => {
    let rig: Rig;
    let dist: string;
    let env: Record<string, string>;
    let socket: string;
    let handler: Handler;

    beforeAll(() => {
      rig = makeRig();
      dist = join(rig.tmp, 'dist of a package');
      cpSync(dirname(commandFile('hook')), dist, { recursive: true });
      env = { HOLDPOINT_RUNTIME_DIR: join(rig.dir, 'run') };
      socket = join(rig.dir, 'run', 's');
      const { status, stderr } = product('install', '--user', '--resident', '--direct');
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      handler = handlerIn(settingsOf(rig));
    });
    afterEach(() => endServer(socket));
    afterAll(() => rig.remove());

    const product = (...args: string[]) =>
      spawnSync(process.execPath, [join(dist, 'holdpoint.cjs'), ...args], {
        cwd: rig.repo,
        env: rig.environment(env),
        encoding: 'utf8',
      });

    let calls = 0;
    const run = (more: Record<string, string> = {}, pad = ''): Promise<Ended> =>
      startDirectly(rig, handler, editIn(rig, `toolu_${++calls}`, { pad }), more);

    /** Every decision has a name of its own. */
    const said = ({ stdout, stderr, exitCode }: Ended) => [
      stdout.replace(/holdpoint why \w+/, ''),
      stderr,
      exitCode,
    ];

    async function withServer(): Promise<number> {
      // One that is about to end still counts as one that starts.
      for (let tries = 0; (await askServer(socket)) === undefined && tries < 100; tries++) await run();
      return (await serverAt(socket)).answered;
    }

    it('is decided without a server, which it starts, and by the server from then on', async () => {
      expect(existsSync(socket)).toBe(false);
      const first = await run({ NODE_EXTRA_CA_CERTS: join(rig.tmp, 'no such file.pem') });
      expect(deniedBecause(first)).toContain('commit_plan');
      // Node itself warns of certificates that it cannot read, so the launch file has kept them from it.
      expect(first.stderr).toBe('');
      const { answered } = await serverAt(socket);
      expect(deniedBecause(await run())).toContain('commit_plan');
      expect((await askServer(socket))?.answered).toBe(answered + 1);
    });

    it('eight at once are answered as one process each would answer', async () => {
      const answered = await withServer();
      const events = Array.from({ length: 8 }, (_, index) => editIn(rig, `at-once-${index}`));
      const direct = await Promise.all(events.map((event) => startDirectly(rig, handler, event)));
      expect((await askServer(socket))?.answered).toBe(answered + 8);
      const alone = events.map((event) =>
        rig.hookText(event, { args: ['--host', 'claude-code'], cwd: rig.repo }),
      );
      expect(direct.map(said)).toEqual(alone.map(said));
    });

    it('beside the line of a shell the same call is denied by both and counted once', async () => {
      await withServer();
      const event = editIn(rig, 'twice', { session_id: 'of-two-lines' });
      const both = await Promise.all([startDirectly(rig, handler, event), runLine(rig, event)]);
      for (const one of both) expect(deniedBecause(one)).toContain('commit_plan');
      const metrics = rig.readJson('.git/requirements/sessions/oftwolin.json');
      expect(at(metrics, 'tools', 'Edit')).toMatchObject({ count: 1, blocked_count: 1 });
    });

    it.each([
      ['a small event', ''],
      ['an event that no pipe takes at once', 'ü'.repeat(100_000)],
    ])('goes on to the hook where the server was killed, with %s', async (_what, pad) => {
      await withServer();
      process.kill((await serverAt(socket)).pid, 'SIGKILL');
      expect(deniedBecause(await run({}, pad))).toContain('commit_plan');
    });

    it.skipIf(process.getuid?.() !== 0)(
      'asks nobody whose socket is somebody else’s (needs root)',
      async () => {
        const answered = await withServer();
        chownSync(socket, 65_534, 65_534);
        expect(deniedBecause(await run())).toContain('commit_plan');
        expect((await askServer(socket))?.answered).toBe(answered);
      },
    );

    it('asks nobody where something else lies in the place of the socket', async () => {
      writeFileSync(socket, '');
      expect(deniedBecause(await run())).toContain('commit_plan');
    });

    it('becomes the launch file where a host gives it no arguments', async () => {
      expect(
        deniedBecause(await startDirectly(rig, { command: handler.command }, editIn(rig, 'bare'))),
      ).toContain('commit_plan');
    });

    it('says so where the launch file is gone', async () => {
      const launch = join(rig.home, '.config/holdpoint/launch');
      const kept = readFileSync(launch);
      // A server that is still starting would answer in its stead.
      await withServer();
      await endServer(socket);
      rmSync(launch);
      const ended = await run();
      writeFileSync(launch, kept);
      expect(ended).toMatchObject({
        exitCode: 1,
        stdout: '',
        stderr: expect.stringContaining('holdpoint: not installed on this machine'),
      });
    });

    it('is found by doctor and status where its program is gone', () => {
      expect(product('status').stdout).toContain('Holdpoint armed');
      renameSync(clientOf(rig), `${clientOf(rig)}.away`);
      const doctor = product('doctor');
      expect(doctor.status).toBe(1);
      expect(doctor.stdout).toMatch(
        /✗ hook\.program .*client without a shell, and that is gone or cannot be run/,
      );
      expect(doctor.stdout).toContain('holdpoint install --host claude-code --user --resident --direct');
      expect(product('status').stdout).toMatch(/^Holdpoint off: .*client, which is gone or cannot be run/m);
      renameSync(`${clientOf(rig)}.away`, clientOf(rig));
    });

    it('goes on to the copy where the package was moved, and doctor says so', async () => {
      await withServer();
      renameSync(dist, `${dist}.away`);
      const { pid } = await serverAt(socket);
      // A server looks once a second whether its files are still there.
      while ((await askServer(socket))?.pid === pid) {
        expect(deniedBecause(await run())).toContain('commit_plan');
      }
      expect(deniedBecause(await run())).toContain('commit_plan');
      const { stdout } = rig.holdpoint(['doctor'], { env });
      expect(stdout).toContain('its copy is used');
      renameSync(`${dist}.away`, dist);
    });
  },
);
