import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EDIT, eventsIn } from '../e2e/events';
import { type GatesRig, makeGatesRig } from '../e2e/gates-project';
import { endOf, type HostDocument } from '../e2e/rig';
import { type Client, makeServerRig, type ServerRig, until } from './server-rig';

let rig: GatesRig;
let server: ServerRig;

beforeEach(() => {
  rig = makeGatesRig();
  server = makeServerRig(rig);
});
afterEach(async () => {
  await server.stop();
  rig.remove();
});

const stop = (): HostDocument => ({ ...eventsIn(rig).stop(false), last_assistant_message: 'Done.' });

/** A client with an environment of its own: the server reads it from the process. */
async function clientWith(env: Readonly<Record<string, string>>): Promise<Client & { end(): void }> {
  const child = spawn('sleep', ['60'], { env: rig.environment({ PATH: rig.bin, ...env }) });
  await until(
    () => readFileSync(`/proc/${child.pid}/environ`, 'utf8').includes(rig.bin),
    () => 'the client has not started',
  );
  return {
    env: { HOME: rig.home },
    lines: { cwd: rig.repo, pid: String(child.pid) },
    end: () => void child.kill('SIGKILL'),
  };
}

it.runIf(existsSync('/proc/self/environ'))(
  'what an event runs has the environment of the client (where the kernel tells it)',
  async () => {
    rig.gates({ env: 'command: test "$MOOD" = good\n' });
    await server.serve();
    const [bad, good] = [await clientWith({ MOOD: 'bad' }), await clientWith({ MOOD: 'good' })];
    const held = await server.ask(stop(), bad);
    expect(JSON.parse(held?.stdout ?? '')).toMatchObject({ decision: 'block', status: 'failed' });
    const passed = await server.ask({ ...stop(), prompt_id: 'next' }, good);
    expect(JSON.parse(passed?.stdout ?? '')).toMatchObject({ decision: 'approve', status: 'passed' });
    expect(await server.status()).toMatchObject({ answered: 2, left: {} });
    bad.end();
    good.end();
  },
);

it('a client that does not say who it is runs its checks in a process of its own', async () => {
  rig.gates({ env: 'command: "true"\n' });
  await server.serve();
  expect(
    await server.ask(stop(), { env: { HOME: rig.home }, lines: { cwd: rig.repo, pid: '' } }),
  ).toBeUndefined();
  expect(existsSync(rig.logFile('.execution_state'))).toBe(false);
  expect((await server.status())?.left).toEqual({ environment: 1 });
});

it.runIf(existsSync('/proc/self/environ'))(
  'shows signs of life while a check runs, answers others meanwhile, and ends the check when the client goes (where the kernel tells the environment)',
  async () => {
    rig.gates({ slow: `command: sh -c 'echo $$ > ${join(rig.tmp, 'pid')}; sleep 60'\n` });
    await server.serve();
    const client = await clientWith({});
    const line = connect(server.socket);
    let heard = '';
    line.on('data', (piece) => {
      heard += String(piece);
    });
    line.on('error', () => undefined);
    line.write(server.request(stop(), client));
    await until(
      () => existsSync(join(rig.tmp, 'pid')) && heard.length >= 2,
      () => `heard ${JSON.stringify(heard)}`,
    );
    expect(heard).toMatch(/^\n+$/);
    expect(await server.ask(eventsIn(rig).pre('Edit', EDIT), client)).toMatchObject({ exitCode: 0 });
    const pid = Number(readFileSync(join(rig.tmp, 'pid'), 'utf8'));
    line.destroy();
    await until(
      () => !existsSync(`/proc/${pid}`),
      () => 'the check still runs',
    );
    client.end();
  },
);

it.runIf(existsSync('/proc/self/environ'))(
  'a session waits for the run of another one (where the kernel tells the environment)',
  async () => {
    const checks = '{slow: {command: sleep 1; false}}';
    rig.write(
      '.holdpoint/config.yaml',
      `gates: {entry_points: [{path: src, checks: [slow]}], checks: ${checks}}\n`,
    );
    await server.serve();
    const client = await clientWith({});
    const ends = ['one', 'two'].map((session_id) => server.ask({ ...stop(), session_id }, client));
    for (const held of await Promise.all(ends))
      expect(JSON.parse(held?.stdout ?? '')).toMatchObject({ decision: 'block', status: 'failed' });
    client.end();
  },
);

it.runIf(existsSync('/proc/self/environ'))(
  'what an event runs creates files with the usual permissions (where the kernel tells the environment)',
  async () => {
    const built = join(rig.tmp, 'built');
    rig.gates({ build: `command: touch ${built}\n` });
    await server.serve();
    const client = await clientWith({});
    expect((await server.ask(stop(), client))?.stdout).toContain('"passed"');
    expect(statSync(built).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(statSync(server.socket).mode & 0o777).toBe(0o600);
    client.end();
  },
);

it.runIf(existsSync('/proc/self/environ')).each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'a check goes on when its server gets %s (where the kernel tells the environment)',
  async (signal) => {
    const begun = join(rig.tmp, 'begun');
    rig.gates({ slow: `command: touch ${begun}; sleep 1; false\n` });
    const { child } = await server.serve();
    const client = await clientWith({});
    const held = server.ask(stop(), client);
    await until(
      () => existsSync(begun),
      () => 'the check has not started',
    );
    child.kill(signal);
    expect(JSON.parse((await held)?.stdout ?? '')).toMatchObject({ decision: 'block', status: 'failed' });
    client.end();
  },
);

it('a held stop that a server has counted and not answered is held by the process that the client falls back to', async () => {
  rig.write(
    '.holdpoint/config.yaml',
    'requirements: {plan: {enabled: true, scope: session, stop_only: true, on: edit}}\n',
  );
  await server.serve();
  const client = { env: { HOME: rig.home }, lines: { cwd: rig.repo } };
  await server.ask(eventsIn(rig).pre('Edit', EDIT), client);
  // As the hook line does: a shell that asks the server, then becomes the hook.
  const hook = join(import.meta.dirname, '../../dist/hook.cjs');
  const script = `read -r go; exec '${process.execPath}' '${hook}' --host claude-code`;
  const shell = spawn('/bin/sh', ['-c', script], {
    env: rig.environment({ HOLDPOINT_ASKED: server.runtime }),
  });
  const end = { ...stop(), prompt_id: 'p' };
  expect((await server.ask(end, client))?.stdout).toContain('"block"');
  expect((await endOf(shell, `go\n${JSON.stringify(end)}`)).stdout).toContain('"block"');
  const dir = join(rig.repo, '.git/holdpoint/sessions');
  const [name = ''] = readdirSync(dir);
  const { stops } = JSON.parse(readFileSync(join(dir, name), 'utf8'));
  expect(stops).toMatchObject({ in_row: 1, by_guard: { requirements: 1 } });
});
