import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endServer } from '../../src/server/control';
import { EDIT, eventsIn } from '../e2e/events';
import { commandFile, makeRig, type Rig } from '../e2e/rig';
import { times } from '../stress';
import { makeServerRig, type ServerRig, type Started, until } from './server-rig';

let rig: Rig;
let servers: ServerRig;

beforeEach(() => {
  rig = makeRig('');
  servers = makeServerRig(rig);
});
afterEach(async () => {
  await servers.stop();
  rig.remove();
});

const event = () => eventsIn(rig).pre('Edit', EDIT);

describe('one server for a user', () => {
  it('of many that are started at once one stays', async () => {
    const all = Array.from({ length: times(8, 50) }, () => servers.start());
    const said = () => all.map((one) => one.said()).join('');
    const isAlive = ({ child }: Started) => child.exitCode === null && child.signalCode === null;
    await until(() => all.filter(isAlive).length === 1, said);
    await until(async () => (await servers.status()) !== undefined, said);
    const [stayed] = all.filter(isAlive);
    expect((await servers.status())?.pid).toBe(stayed?.child.pid);
    // On a machine with too much to do, one that has begun may be replaced as if it hung; that is told.
    for (const { child } of all.filter((one) => one !== stayed))
      if (child.exitCode !== 0)
        expect(said()).toContain(`(process ${child.pid}) did not respond and was killed`);
  });

  it('the socket of one that was killed is in nobody’s way', async () => {
    const first = await servers.serve();
    first.child.kill('SIGKILL');
    await first.ended;
    expect(existsSync(servers.socket)).toBe(true);
    const second = await servers.serve();
    expect((await servers.status())?.pid).toBe(second.child.pid);
  });

  it('nobody but the user reaches it', async () => {
    await servers.serve();
    expect(statSync(servers.runtime).mode & 0o777).toBe(0o700);
    expect(lstatSync(servers.socket).mode & 0o777).toBe(0o600);
  });

  it('a directory that others may enter gets none, and hears why', async () => {
    mkdirSync(servers.runtime, { mode: 0o755 });
    const refused = servers.start();
    expect(await refused.ended).toBe(1);
    expect(refused.said()).toContain('is open to other users');
  });

  it('ends when somebody has taken its socket away', async () => {
    const started = await servers.serve(['--idle', '60']);
    rmSync(servers.socket);
    expect(await started.ended).toBe(0);
    expect(started.said()).toContain('ended: replaced');
  });
});

describe('the end of a server', () => {
  it('comes by itself when nobody asks any more', async () => {
    // It may be over before anybody could ask it.
    const started = servers.start(['--idle', '1']);
    expect(await started.ended).toBe(0);
    expect(started.said()).toMatch(/listening on .*ended: idle/s);
    expect(existsSync(servers.socket)).toBe(false);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('comes by %s, and leaves no socket', async (signal) => {
    const started = await servers.serve();
    started.child.kill(signal);
    expect(await started.ended).toBe(0);
    expect(existsSync(servers.socket)).toBe(false);
  });

  it('can be asked for', async () => {
    const started = await servers.serve();
    expect(await endServer(servers.socket)).toMatchObject({
      kind: 'obeyed',
      status: { pid: started.child.pid },
    });
    expect(await started.ended).toBe(0);
    expect(await endServer(servers.socket)).toEqual({ kind: 'nobody' });
  });

  it.each([
    ['', 0],
    [', though its clock was set back', 3_600_000],
  ])('comes when its files are replaced%s; no event is answered by an old build', async (_, backMs) => {
    const dist = join(rig.dir, 'dist');
    cpSync(dirname(commandFile('serve')), dist, { recursive: true });
    const serve = join(dist, 'serve.cjs');
    const clock = `const { now } = Date; Date.now = () => now() - (process.uptime() > 1 ? ${backMs} : 0);\n`;
    writeFileSync(serve, clock + readFileSync(serve, 'utf8'));
    const started = await servers.serve(['--idle', '60'], dist);
    const client = { lines: { dist } };
    expect(await servers.ask(event(), client)).toMatchObject({ exitCode: 0 });
    utimesSync(join(dist, 'decide.cjs'), 1, 1);
    expect(await started.ended).toBe(0);
    expect(started.said()).toContain('ended: upgrade');
    expect(await servers.ask(event(), client)).toBeUndefined();
  });
});

const NONSENSE: Readonly<Record<string, string>> = {
  'a browser': 'GET / HTTP/1.1\r\nHost: x\r\n\r\n\n\n',
  'another version': 'HP2\n\n{}',
  nothing: '',
  'a header without end': 'HP1\n'.repeat(30_000),
  'an unknown wish': 'HP1\nask=more\n\n',
};

describe('clients that are none', () => {
  it('do not get an answer, and disturb nobody', async () => {
    await servers.serve();
    for (const [what, text] of Object.entries(NONSENSE)) {
      expect(await servers.sendText(text), what).toBe('alone\n');
      expect(await servers.ask(event()), what).toMatchObject({ exitCode: 0 });
    }
  });

  it('a document of more than 16 MB is left to a process of its own', async () => {
    await servers.serve();
    const large = { ...event(), text: 'x'.repeat(17 * 1024 * 1024) };
    expect(await servers.sendText(servers.request(large))).toBe('alone\n');
  });

  it('one that says nothing keeps nobody waiting and is let go', async () => {
    await servers.serve();
    const silent = connect(servers.socket);
    const gone = new Promise((resolve) => silent.on('close', resolve));
    silent.on('error', () => undefined);
    expect(await servers.ask(event())).toMatchObject({ exitCode: 0 });
    await gone;
  });
});
