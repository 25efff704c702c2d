import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authenticator } from './authenticator.js';
import { type Caller, caller, type TestHub, testHub } from './in-process.js';

describe('passkeys', () => {
  let hub: TestHub;
  let nobody: Caller;
  beforeAll(async () => {
    hub = await testHub();
    nobody = caller(hub.url);
  });
  afterAll(() => hub.remove());

  const begin = async (who: Caller, body: object = {}) => {
    const { status, body: begun } = await who('POST', 'passkeys/register/begin', body);
    expect([status, begun]).toEqual([200, expect.anything()]);
    return begun;
  };
  const login = async (authenticator: Authenticator, origin = hub.url) => {
    const { body } = await nobody('POST', 'passkeys/login/begin', {});
    const response = authenticator.signIn(body.options, origin);
    return nobody('POST', 'passkeys/login/finish', { id: body.id, response });
  };

  test('an invited person registers one, is signed in, and signs in with it later', async () => {
    const authenticator = new Authenticator();
    const who = { code: await hub.invite({ role: 'approver' }), name: 'grace' };
    const begun = await begin(nobody, who);
    expect(begun.options).toMatchObject({
      rp: { id: 'localhost', name: 'Holdpoint' },
      user: { name: 'grace' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const response = authenticator.register(begun.options, hub.url);
    const finish = await nobody('POST', 'passkeys/register/finish', { ...who, id: begun.id, response });
    expect([finish.status, finish.body]).toMatchObject([200, { name: 'grace', role: 'approver' }]);
    expect((await caller(hub.url, finish.cookie)('GET', 'me')).body).toMatchObject({ name: 'grace' });

    const later = await login(authenticator);
    expect([later.status, later.body]).toMatchObject([200, { name: 'grace' }]);
    expect((await caller(hub.url, later.cookie)('GET', 'me')).status).toBe(200);
    const [row] = await hub.db.query<{ counter: number }>('select counter from passkeys');
    expect(row?.counter).toBe(1);

    await hub.db.query(
      `insert into challenges (id, challenge, purpose, expires_at)
       select n::text, 'x', 'login', now() + interval '4 minutes' from generate_series(1, 10100) as n`,
    );
    expect((await login(authenticator)).status, 'in a flood of sign-ins').toBe(200);

    const again = await nobody('POST', 'passkeys/register/begin', who);
    expect([again.status, again.body.error.code]).toEqual([403, 'code']);
  });

  test('whoever is signed in adds one, and not the same twice', async () => {
    const code = await hub.invite({ role: 'viewer' });
    const { cookie } = await nobody('POST', 'setup', { code, name: 'mary', passphrase: 'eight or more' });
    const mary = caller(hub.url, cookie);
    const authenticator = new Authenticator();
    const begun = await begin(mary);
    const response = authenticator.register(begun.options, hub.url);
    expect((await mary('POST', 'passkeys/register/finish', { id: begun.id, response })).status).toBe(200);
    const replayed = await mary('POST', 'passkeys/register/finish', { id: begun.id, response });
    expect([replayed.status, replayed.body.error.code]).toEqual([401, 'passkey']);
    const second = await begin(mary);
    expect(second.options.excludeCredentials).toEqual([expect.objectContaining({ id: response.id })]);
    const same = { id: second.id, response: authenticator.register(second.options, hub.url) };
    expect((await mary('POST', 'passkeys/register/finish', same)).status).toBe(409);
    expect((await login(authenticator)).body).toMatchObject({ name: 'mary' });
  });

  test('refused: another origin, an old counter, no user verification, a replay, a late answer, a stranger', async () => {
    const authenticator = new Authenticator();
    const who = { code: await hub.invite(), name: 'joan' };
    const begun = await begin(nobody, who);
    const response = authenticator.register(begun.options, hub.url);
    await nobody('POST', 'passkeys/register/finish', { ...who, id: begun.id, response });
    expect((await login(authenticator)).status).toBe(200);

    expect((await login(authenticator, 'http://localhost:1')).status).toBe(401);
    authenticator.counter = 0;
    expect((await login(authenticator)).status).toBe(401);
    authenticator.counter = 10;
    authenticator.verifiesUser = false;
    expect((await login(authenticator)).status).toBe(401);
    authenticator.verifiesUser = true;

    const { body } = await nobody('POST', 'passkeys/login/begin', {});
    const good = { id: body.id, response: authenticator.signIn(body.options, hub.url) };
    expect((await nobody('POST', 'passkeys/login/finish', good)).status).toBe(200);
    expect((await nobody('POST', 'passkeys/login/finish', good)).status).toBe(401);

    const slow = (await nobody('POST', 'passkeys/login/begin', {})).body;
    hub.pass(6 * 60_000);
    const late = { id: slow.id, response: authenticator.signIn(slow.options, hub.url) };
    expect((await nobody('POST', 'passkeys/login/finish', late)).status).toBe(401);

    expect((await login(new Authenticator())).status).toBe(401);
    const [joan] = await hub.db.query<{ id: string }>("select id from people where name = 'joan'");
    const { cookie } = await login(authenticator);
    const { cookie: other } = await nobody('POST', 'setup', {
      code: await hub.invite(),
      name: 'root',
      passphrase: 'eight or more',
    });
    expect((await caller(hub.url, other)('DELETE', `people/${joan?.id}`)).status).toBe(204);
    expect((await login(authenticator)).status).toBe(401);
    expect((await caller(hub.url, cookie)('GET', 'me')).status).toBe(401);
  });

  test('passkeys need a name, and https unless it is localhost', async () => {
    for (const [publicUrl, says] of [
      ['http://127.0.0.1:4610', 'not the address 127.0.0.1'],
      ['https://[2001:db8::1]', 'need a host name'],
      ['http://hub.example.org', 'need https'],
    ] as const) {
      const other = await testHub({ publicUrl, beside: hub });
      const ask = caller(other.address, undefined, publicUrl);
      const { status, body } = await ask('POST', 'passkeys/login/begin', {});
      expect([status, body.error.message]).toEqual([422, expect.stringContaining(says)]);
      await other.remove();
    }
  });
});
