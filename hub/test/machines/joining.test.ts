import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Caller, caller, type TestHub, testHub } from '../people/in-process.js';

let hub: TestHub;
let anyone: Caller;
beforeAll(async () => {
  hub = await testHub();
  anyone = caller(hub.address);
});
afterAll(() => hub.remove());

const invite = (name: string | null = null) => hub.invite({ purpose: 'machine', role: null, name });
const names = async () =>
  (await hub.db.query<{ name: string }>('select name from machines')).map(({ name }) => name);

test('names: as wanted, as the invitation says, with a number where taken', async () => {
  const joined = async (code: string, name?: string) =>
    (await anyone('POST', 'join', { code, name })).body.name;
  const told: string[] = [];
  for (let n = 0; n < 3; n++) told.push(await joined(await invite(), ' box '));
  told.push(await joined(await invite('ci'), 'box'), await joined(await invite()));
  expect(told).toEqual(['box', 'box-2', 'box-3', 'ci', 'machine']);
  expect((await names()).sort()).toEqual(told);
});

test('at the same moment too', async () => {
  const codes = await Promise.all(Array.from({ length: 5 }, () => invite()));
  const answers = await Promise.all(codes.map((code) => anyone('POST', 'join', { code, name: 'twin' })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect((await names()).filter((name) => name.startsWith('twin'))).toHaveLength(5);
});

test('when a machine was last seen is known', async () => {
  const { body } = await anyone('POST', 'join', { code: await invite(), name: 'seen' });
  const headers = { authorization: `Bearer ${body.token}` };
  expect((await fetch(`${hub.address}/api/v1/keys`, { headers })).status).toBe(200);
  await vi.waitFor(
    async () => {
      const [row] = await hub.db.query('select last_seen from machines where id = $1', [body.machine]);
      expect(row).toEqual({ last_seen: expect.any(Date) });
    },
    { timeout: 5000, interval: 100 },
  );
});

test('codes that were used, have expired or are of a person say so; ten of them are enough', async () => {
  const used = await invite();
  await anyone('POST', 'join', { code: used, name: 'x' });
  const person = await hub.invite();
  const late = await invite();
  hub.pass(24 * 3600_000 + 1000);
  const messages = [
    [used, /used already/],
    [late, /expired/],
    [person, /a person/],
    ['hpi_unknown', /not known/],
  ] as const;
  for (const [code, message] of messages) {
    const { status, body } = await anyone('POST', 'join', { code, name: 'x' });
    expect([status, body.error.message]).toEqual([403, expect.stringMatching(message)]);
  }
  for (let n = messages.length; n < 10; n++) await anyone('POST', 'join', { code: 'hpi_no', name: 'x' });
  const limited = await anyone('POST', 'join', { code: await invite(), name: 'x' });
  expect(limited.status).toBe(429);
  expect(limited.headers.get('retry-after')).toBe('300');
  hub.pass(5 * 60_000 + 1000);
  expect((await anyone('POST', 'join', { code: await invite(), name: 'x' })).status).toBe(200);
});
