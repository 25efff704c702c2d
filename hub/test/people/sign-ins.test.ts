import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashPassphrase, isPassphrase } from '../../src/people/passphrases.js';
import { type Caller, caller, type TestHub, testHub } from './in-process.js';

const day = 24 * 3600 * 1000;
const passphrase = 'correct horse battery';

describe('sign-ins', () => {
  let hub: TestHub;
  let nobody: Caller;
  const login = (name: string, said = passphrase) => nobody('POST', 'login', { name, passphrase: said });

  beforeAll(async () => {
    hub = await testHub();
    nobody = caller(hub.url);
    const links = [await hub.invite(), await hub.invite(), await hub.invite()];
    const answers = await Promise.all(
      links.map((code, n) => nobody('POST', 'setup', { code, name: ['ada', 'eve', 'eva'][n], passphrase })),
    );
    // Setup links of several starts: one of them makes the first person, and no other works after it.
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
    await hub.db.query("update people set name = 'ada'");
  });
  afterAll(() => hub.remove());

  test('end after 7 days without use, and after 30 days at most', async () => {
    const idle = caller(hub.url, (await login('ada')).cookie);
    const used = caller(hub.url, (await login('ada')).cookie);
    for (let days = 6; days < 30; days += 6) {
      hub.pass(6 * day);
      expect((await used('GET', 'me')).status).toBe(200);
      if (days > 6) expect((await idle('GET', 'me')).status).toBe(401);
    }
    hub.pass(6 * day - 3600_000);
    expect((await used('GET', 'me')).status).toBe(200);
    hub.pass(2 * 3600_000);
    expect((await used('GET', 'me')).status).toBe(401);
  });

  test('an invitation ends after 24 hours and is for one name where it says so', async () => {
    const named = await hub.invite({ name: 'bob', role: 'viewer' });
    const wrong = await nobody('POST', 'setup', { code: named, name: 'eve', passphrase });
    expect([wrong.status, wrong.body.error.message]).toEqual([422, 'name: This invitation is for bob.']);
    expect((await nobody('POST', 'setup', { code: named, passphrase })).body).toMatchObject({ name: 'bob' });
    const late = await hub.invite();
    hub.pass(day + 1000);
    expect((await nobody('POST', 'setup', { code: late, name: 'carl', passphrase })).status).toBe(403);
  });

  test('two at once with one code make one person', async () => {
    const code = await hub.invite();
    const names = ['one', 'two', 'three', 'four'];
    const answers = await Promise.all(
      names.map((name) => nobody('POST', 'setup', { code, name, passphrase })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
  });

  test('names differ by more than their case; a removed name is free again, without the old sign-ins', async () => {
    const taken = await nobody('POST', 'setup', { code: await hub.invite(), name: 'ADA', passphrase });
    expect([taken.status, taken.body.error.code]).toEqual([409, 'name-taken']);
    const ada = caller(hub.url, (await login('Ada')).cookie);
    const dora = await nobody('POST', 'setup', { code: await hub.invite(), name: 'dora', passphrase });
    const { items } = (await ada('GET', 'people')).body;
    const id = items.find((person: { name: string }) => person.name === 'dora').id;
    expect((await ada('DELETE', `people/${id}`)).status).toBe(204);
    expect((await login('dora')).status).toBe(401);
    const code = await hub.invite({ role: 'viewer' });
    const back = await nobody('POST', 'setup', { code, name: 'Dora', passphrase });
    expect(back.body).toMatchObject({ name: 'Dora', role: 'viewer' });
    expect((await caller(hub.url, dora.cookie)('GET', 'me')).status).toBe(401);
  });

  test('429 is for one name, says when to try again, and then it works', async () => {
    for (let n = 0; n < 10; n++) expect((await login('ada', 'wrong-wrong')).status).toBe(401);
    const { status, headers } = await login('ada');
    const seconds = Number(headers.get('retry-after'));
    expect([status, seconds > 280 && seconds <= 300]).toEqual([429, true]);
    expect((await login('Dora')).status).toBe(200);
    hub.pass(seconds * 1000);
    expect((await login('ada')).status).toBe(200);
    const [row] = await hub.db.query<{ n: number }>('select count(*)::int as n from attempts');
    expect(row?.n).toBe(0);
  });

  test('the last admin stays, also where two admins remove each other at once', async () => {
    const ada = caller(hub.url, (await login('ada')).cookie);
    const { items } = (await ada('GET', 'people')).body;
    const admins: { id: string; name: string }[] = items.filter(
      (one: { role: string }) => one.role === 'admin',
    );
    for (const one of admins.filter(({ name }) => name !== 'ada')) await ada('DELETE', `people/${one.id}`);
    const { cookie } = await nobody('POST', 'setup', { code: await hub.invite(), name: 'zoe', passphrase });
    const zoe = caller(hub.url, cookie);
    const people = (await ada('GET', 'people')).body.items as { id: string; name: string }[];
    const idOf = (name: string) => people.find((one) => one.name === name)?.id;
    const answers = await Promise.all([
      ada('DELETE', `people/${idOf('zoe')}`),
      zoe('DELETE', `people/${idOf('ada')}`),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, expect.toBeOneOf([401, 409])]);
    const [left] = await hub.db.query<{ n: number }>(
      "select count(*)::int as n from people where role = 'admin' and removed_at is null",
    );
    expect(left?.n).toBe(1);
  });

  test('the audit tells it all, in pages, without secrets', async () => {
    const [row] = await hub.db.query<{ name: string }>(
      "select name from people where role = 'admin' and removed_at is null",
    );
    const admin = caller(hub.url, (await login(row?.name ?? '')).cookie);
    const actions = new Set<string>();
    let before = '';
    let text = '';
    do {
      const { body } = await admin('GET', `audit?limit=7${before && `&before=${before}`}`);
      expect(body.items.length).toBeLessThanOrEqual(7);
      for (const { action } of body.items) actions.add(action);
      text += JSON.stringify(body);
      before = body.next ?? '';
    } while (before);
    expect([...actions]).toEqual(
      expect.arrayContaining(['person added', 'person removed', 'person invited', 'signed in']),
    );
    expect(text).not.toMatch(/hps_|hpi_|scrypt|horse/);
  });
});

test('passphrases: salted, checked in the same time for an unknown name, by letters and not by their bytes', async () => {
  const [first, second] = [await hashPassphrase('pässword'), await hashPassphrase('pässword')];
  expect(first).not.toBe(second);
  expect(first).toMatch(/^scrypt\$32768\$8\$1\$/);
  expect(await isPassphrase('pa\u0308ssword', first)).toBe(true);
  expect(await isPassphrase('password', first)).toBe(false);
  // Processor time, in turns, and the least of each: what else the machine does must not count.
  const work = async (stored: string | null) => {
    const before = process.cpuUsage();
    await isPassphrase('something else', stored);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const taken: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  for (let n = 0; n < 7; n++) {
    taken.known.push(await work(first));
    taken.unknown.push(await work(null));
  }
  const ratio = Math.min(...taken.unknown) / Math.min(...taken.known);
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});
