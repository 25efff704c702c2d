import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort, type HubProcess, runHub, sql, startHub } from './processes.mjs';
import {
  approvalRequest,
  call,
  codeIn,
  decision,
  keyId,
  newRig,
  PASSPHRASE,
  Person,
  personByCode,
  type Rig,
  STORAGES,
  type Storage,
  signedBy,
} from './rig.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function rigOn(storage: Storage, options: { fresh?: boolean } = {}): Promise<Rig> {
  const { rig, remove } = await newRig(storage, options);
  ends.push(remove);
  return rig;
}

async function withAdmin(rig: Rig): Promise<Rig> {
  await rig.start();
  rig.admin = await personByCode(rig.url, codeIn(rig.hub.setup ?? ''), 'ada');
  return rig;
}

const command = (rig: Rig, args: string[], input?: string) =>
  runHub([...args, ...rig.where], { home: rig.home, ...(input === undefined ? {} : { input }) });

async function refusal(starting: Promise<HubProcess>): Promise<{ code: number; stderr: string }> {
  const hub = await starting.catch((error: { code: number; stderr: string }) => error);
  if ('pid' in hub) {
    await hub.kill();
    throw new Error('The hub started.');
  }
  return hub;
}

describe.each(STORAGES)('storage, %s', (storage) => {
  test('it stops in time with streams open, and everything is there afterwards', async () => {
    const rig = await withAdmin(await rigOn(storage));
    expect(rig.url).toMatch(/^http:\/\/localhost:\d+$/);
    const machine = await rig.machine();
    await machine.post('decisions', { decisions: [decision({ session: 'kept' })] });
    const asked = approvalRequest();
    const { body } = await machine.post('requests', asked);
    const streams = [await machine.stream(), await rig.admin.stream()];
    const begun = Date.now();
    expect(await rig.hub.stop()).toEqual({ code: 0, signal: null });
    expect(Date.now() - begun).toBeLessThan(5000);
    await Promise.all(streams.map(({ stream }) => stream?.ended));

    await rig.start();
    expect(rig.hub.setup ?? null).toBeNull();
    const again = rig.again(machine);
    const admin = new Person(rig.url, 'ada', rig.admin.signIn);
    expect((await admin.get('decisions?session=kept')).body.items).toHaveLength(1);
    expect((await again.post('requests', asked)).body.id).toBe(body.id);
    const stream = await again.stream();
    await admin.post(`requests/${body.id}`, { answer: 'approve' });
    const { data } = await stream.next(({ event }) => event === 'approval');
    expect(signedBy(machine.key, String(data['statement']), String(data['signature']))).toBe(true);
    stream.close();
  });

  test('its files are readable by the owner alone, the key is no part of the log', async () => {
    const rig = await withAdmin(await rigOn(storage));
    const file = join(rig.data, 'hub.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('BEGIN PRIVATE KEY');
    const secret = readFileSync(file, 'utf8').split('\n')[1] ?? '';
    const machine = await rig.machine();
    await machine.post('decisions', { decisions: [decision()] });
    await rig.hub.stop();
    const log = rig.hub.stderr() + rig.hub.lines.slice(1).join('\n');
    for (const text of [secret, machine.joined.token, PASSPHRASE]) expect(log).not.toContain(text);
    for (const line of log.split('\n').filter(Boolean)) expect(() => JSON.parse(line)).not.toThrow();
    // The mode of the directory keeps others out of every file in it.
    expect(statSync(rig.data).mode & 0o077).toBe(0);
  });

  test('a key from the environment, from a file, and one that is none', async () => {
    const pair = generateKeyPairSync('ed25519');
    const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const spki = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const rig = await rigOn(storage, { fresh: true });
    await rig.start({ env: { HOLDPOINT_HUB_KEY: pem } });
    rig.admin = await personByCode(rig.url, codeIn(rig.hub.setup ?? ''), 'ada');
    expect(keyId((await rig.machine()).key)).toBe(keyId(spki));
    expect(readdirSync(rig.data)).not.toContain('hub.key');
    await rig.hub.stop();
    const broken = await refusal(
      startHub({ data: rig.data, database: rig.database, env: { HOLDPOINT_HUB_KEY: 'nonsense' } }),
    );
    expect(broken.code).toBe(1);
    expect(broken.stderr).toMatch(/key/i);
  });

  test('a name of no key, once there is one, does not retire it', async () => {
    const rig = await rigOn(storage);
    await rig.start();
    await rig.hub.stop();
    const args = ['--key', join(rig.data, 'hub.kye')];
    const mistyped = await refusal(startHub({ data: rig.data, database: rig.database, args }));
    expect([mistyped.code, mistyped.stderr]).toEqual([1, expect.stringContaining('hub.kye is not the hub')]);
    expect(readdirSync(rig.data)).not.toContain('hub.kye');
    await rig.start();
    expect(rig.hub.stderr()).not.toContain('join again');
  });

  test('commands work while the hub runs, and while it does not', async () => {
    const rig = await rigOn(storage);
    const add = await command(
      rig,
      ['user', 'add', 'bob', '--role', 'approver', '--passphrase-stdin'],
      PASSPHRASE,
    );
    expect([add.stderr, add.code]).toEqual([add.stderr, 0]);
    const plain = await command(rig, ['user', 'add', 'vera', '--passphrase-stdin'], `${PASSPHRASE}\n`);
    expect([plain.stderr, plain.code]).toEqual([plain.stderr, 0]);
    const short = await command(rig, ['user', 'add', 'sam', '--passphrase-stdin'], '1234567');
    expect([short.code, short.stderr]).toEqual([1, expect.stringMatching(/8|eight/)]);
    const unknown = await command(rig, ['revoke', 'nobody', '--json']);
    expect(unknown.code).toBe(1);
    expect(JSON.parse(unknown.stdout)).toEqual({ error: { message: unknown.stderr.trimEnd() } });
    const early = JSON.parse((await command(rig, ['invite', '--name', 'laptop', '--json'])).stdout);
    expect(early.code).toMatch(/^hpi_/);

    await rig.start();
    expect(rig.hub.setup ?? null).toBeNull();
    const headers = { origin: new URL(rig.url).origin };
    const signIn = (name: string) =>
      call(rig.url, '/api/v1/login', { json: { name, passphrase: PASSPHRASE }, headers });
    const bob = new Person(rig.url, 'bob', await signIn('bob'));
    expect((await bob.get('me')).body['role']).toBe('approver');
    expect((await new Person(rig.url, 'vera', await signIn('vera')).get('me')).body['role']).toBe('viewer');
    const joined = await call(rig.url, '/api/v1/join', { json: { code: early.code, name: 'laptop' } });
    expect(joined.status).toBe(200);

    const late = JSON.parse((await command(rig, ['invite', '--json'])).stdout);
    expect(late).toMatchObject({ url: rig.url, code: expect.stringMatching(/^hpi_/) });
    const second = await call(rig.url, '/api/v1/join', { json: { code: late.code, name: 'desk' } });
    expect(second.status).toBe(200);
    const machines = await command(rig, ['machines']);
    expect(machines.stdout).toMatch(/laptop[\s\S]*desk|desk[\s\S]*laptop/);

    expect((await command(rig, ['revoke', 'laptop'])).code).toBe(0);
    expect((await command(rig, ['revoke', second.body.machine])).code).toBe(0);
    for (const { token } of [joined.body, second.body]) {
      const answer = await call(rig.url, '/api/v1/keys', { headers: { authorization: `Bearer ${token}` } });
      expect(answer.status).toBe(401);
    }
    expect((await command(rig, ['user', 'remove', 'bob'])).code).toBe(0);
    expect((await bob.get('me')).status).toBe(401);
    await rig.hub.stop();

    const list = await command(rig, ['user', 'list']);
    expect(list.stdout).toContain('vera');
    expect(list.stdout).not.toContain('bob');
    for (const wrong of [
      ['revoke', 'nobody'],
      ['user', 'remove', 'nobody'],
      ['import', '/nowhere.jsonl'],
    ]) {
      const { code, stderr } = await command(rig, wrong);
      expect([wrong, code]).toEqual([wrong, 1]);
      expect(stderr.trim()).toMatch(/^[^\n]+$/);
    }
  });

  test('behind HTTPS: links, cookies and Origin are those of the public address', async () => {
    const rig = await rigOn(storage);
    const url = 'https://hub.example.org';
    const port = await freePort();
    await rig.start({ args: ['--public-url', url], port });
    expect(rig.hub.url).toBe(url);
    expect(rig.hub.setup ?? '').toMatch(/^https:\/\/hub\.example\.org\//);
    const at = `http://localhost:${port}`;
    const json = { code: codeIn(rig.hub.setup ?? ''), name: 'ada', passphrase: PASSPHRASE };
    for (const origin of ['http://hub.example.org', 'https://evil.example', 'http://localhost:1']) {
      const wrong = await call(at, '/api/v1/setup', { json, headers: { origin } });
      expect([origin, wrong.status]).toEqual([origin, 403]);
    }
    const made = await call(at, '/api/v1/setup', { json, headers: { origin: url } });
    expect(made.status).toBe(200);
    expect(made.headers.getSetCookie()[0]).toMatch(/; *Secure/i);
  });

  test('a port that is taken, a flag that does not exist', async () => {
    const rig = await rigOn(storage);
    const server = createServer().listen(0, 'localhost');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const taken = await refusal(startHub({ data: rig.data, database: rig.database, port }));
    server.close();
    expect(taken.code).toBe(1);
    expect(taken.stderr).toContain(String(port));
    const odd = await runHub(['--nonsense'], { home: rig.home });
    expect(odd.code).toBeGreaterThan(0);
    expect(odd.stderr).toContain('--nonsense');
  });

  test('listens on loopback unless told otherwise', async ({ skip }) => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === 'IPv4' && !one.internal);
    if (outside === undefined) skip();
    const rig = await rigOn(storage);
    await rig.start();
    const { port } = new URL(rig.url);
    await expect(fetch(`http://${outside?.address}:${port}/healthz`)).rejects.toThrow();
  });
});

describe('embedded', () => {
  test('two hubs on one directory: the second is refused, the first goes on', async () => {
    const rig = await withAdmin(await rigOn('embedded'));
    const machine = await rig.machine();
    const { code, stderr } = await refusal(startHub({ data: rig.data }));
    expect(code).toBe(1);
    expect(stderr).toMatch(/already|another/i);
    expect((await machine.post('decisions', { decisions: [decision()] })).status).toBe(200);
    await rig.hub.kill();
    // A lock that a killed hub left behind is no lock.
    await rig.start();
    const again = new Person(rig.url, 'ada', rig.admin.signIn);
    expect((await again.get('decisions')).body.items).toHaveLength(1);
  });
});

describe.runIf(STORAGES.includes('postgres'))('postgres', () => {
  test('two hubs on one database serve together', async () => {
    const first = await withAdmin(await rigOn('postgres'));
    const other = await rigOn('embedded', { fresh: true });
    const key = ['--key', join(first.data, 'hub.key')];
    const second = await startHub({ data: other.data, database: first.database, args: key });
    ends.push(() => second.kill());
    const machine = await first.machine();
    const elsewhere = new Person(second.url, 'ada', first.admin.signIn);
    const [own, seen] = [await machine.stream(), await elsewhere.stream()];
    const { body } = await machine.post('requests', approvalRequest());
    await seen.next(({ event, data }) => event === 'request' && data['id'] === body.id);
    expect((await elsewhere.post(`requests/${body.id}`, { answer: 'approve' })).status).toBe(200);
    const { data } = await own.next(({ event }) => event === 'approval');
    expect(signedBy(machine.key, String(data['statement']), String(data['signature']))).toBe(true);
    expect((await first.admin.post(`requests/${body.id}`, { answer: 'reject' })).status).toBe(409);
    for (const stream of [own, seen]) stream.close();
  });

  test('four hubs start at once on an empty database', async () => {
    const rig = await rigOn('postgres');
    const others = await Promise.all([1, 2, 3, 4].map(() => rigOn('embedded', { fresh: true })));
    const key = join(rig.data, 'shared.key');
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    writeFileSync(key, pem, { mode: 0o600 });
    const hubs = await Promise.all(
      others.map(({ data }) => startHub({ data, database: rig.database, args: ['--key', key] })),
    );
    for (const hub of hubs) ends.push(() => hub.kill());
    for (const hub of hubs) expect((await call(hub.url, '/healthz')).status).toBe(200);
  });

  test('a database of a later version is refused and left alone', async () => {
    const rig = await rigOn('postgres');
    await rig.start();
    await rig.hub.stop();
    const database = rig.database ?? '';
    const versions = await sql(database, 'select version from schema_version order by version');
    await rig.start();
    await rig.hub.stop();
    expect(await sql(database, 'select version from schema_version order by version')).toEqual(versions);
    await sql(database, 'insert into schema_version (version, at) values (999, now())');
    const { code, stderr } = await refusal(startHub({ data: rig.data, database }));
    expect(code).toBe(1);
    expect(stderr).toMatch(/999|later|newer/i);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(3);
  });

  test('a database that does not answer', async () => {
    const rig = await rigOn('embedded');
    const { code, stderr } = await refusal(
      startHub({ data: rig.data, database: 'postgres://hub:hidden-secret@127.0.0.1:1/nothing' }),
    );
    expect(code).toBe(1);
    expect(stderr).toContain('127.0.0.1');
    expect(stderr).not.toContain('hidden-secret');
  });
});
