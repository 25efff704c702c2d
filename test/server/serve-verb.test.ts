import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeRig, type Rig } from '../e2e/rig';
import { makeServerRig, type ServerRig } from './server-rig';

let rig: Rig;
let servers: ServerRig;
const serve = (...args: string[]) =>
  rig.holdpoint(['serve', ...args], { env: { HOLDPOINT_RUNTIME_DIR: servers.runtime } });

beforeEach(() => {
  rig = makeRig('');
  servers = makeServerRig(rig);
});
afterEach(() => {
  serve('--stop');
  rig.remove();
});

it('starts a server that stays, tells of it and ends it', async () => {
  expect(serve('--status')).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('No server') });
  expect(serve()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('runs as process') });
  const status = await servers.status();
  expect(serve('--status', '--json').json).toMatchObject({ pid: status?.pid, answered: 0 });
  expect(serve(), 'once more').toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`${status?.pid}`),
  });
  expect(serve('--stop')).toMatchObject({ exitCode: 0, stdout: `Server ${status?.pid} has stopped.\n` });
  expect(await servers.status()).toBeUndefined();
  expect(serve('--stop').exitCode).toBe(1);
});

it('looks where the lines of this home look, wherever a shell would', async () => {
  serve();
  rig.writeHome(
    '.config/holdpoint/launch',
    `holdpoint_socket='${servers.socket}'\nholdpoint_client='/bin/nc'\n`,
  );
  const { exitCode, json } = rig.holdpoint(['serve', '--status', '--json']);
  expect({ exitCode, json }).toMatchObject({ exitCode: 0, json: { pid: (await servers.status())?.pid } });
});

it('says why none has started', () => {
  const env = { HOLDPOINT_RUNTIME_DIR: join(rig.tmp, 'missing', 'deeper') };
  const { exitCode, stderr } = rig.holdpoint(['serve'], { env });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('cannot be created');
});

it.each<[string[], string]>([
  [['--idle', 'soon'], '--idle takes a number of seconds above 0.'],
  [['--idle', '0'], '--idle takes a number of seconds above 0.'],
])('refuses %j and says what is wrong', (args, sentence) => {
  const { exitCode, stdout, stderr } = serve(...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(sentence);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

it('says in the terminal that one is there already', async () => {
  serve();
  const pid = (await servers.status())?.pid;
  expect(serve('--foreground')).toMatchObject({
    exitCode: 1,
    stderr: `A server is already running, process ${pid}. End it first: holdpoint serve --stop\n`,
  });
});

it('says who starts one where it is installed, and what happens where it is not', () => {
  expect(serve('--status').stdout).toContain('Every event starts its own process');
  rig.writeHome(
    '.config/holdpoint/launch',
    `holdpoint_socket='${servers.socket}'\nholdpoint_client='/bin/nc'\n`,
  );
  expect(serve('--status').stdout).toBe('No server is running; the next event starts it.\n');
});
