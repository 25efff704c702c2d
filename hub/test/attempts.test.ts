import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { takeLock } from '../src/db/lock.js';
import { send } from '../src/reach/send.js';
import { approvalRequest, call, cookieOf, decision, PASSPHRASE, SERVED, useHub } from './rig.js';

describe.each(SERVED)('what a hostile machine or guest tries, %s', (storage) => {
  const rig = useHub(storage);
  const login = (name: string, headers: Record<string, string> = {}, passphrase = PASSPHRASE) =>
    call(rig.url, '/api/v1/login', {
      json: { name, passphrase },
      headers: { origin: new URL(rig.url).origin, ...headers },
    });

  test('the cookie of a page is worth nothing without what that page keeps to itself', async () => {
    const page = { 'x-holdpoint-page': 'a'.repeat(64) };
    const cookie = cookieOf(await login('ada', page));
    const origin = new URL(rig.url).origin;
    const machine = await rig.machine();
    const { body } = await machine.post('requests', approvalRequest());
    const answer = (headers: Record<string, string>) =>
      call(rig.url, `/api/v1/requests/${body.id}`, {
        json: { answer: 'approve' },
        headers: { cookie, origin, ...headers },
      });
    // As a server on another port of this host gets it.
    expect((await answer({})).status).toBe(401);
    expect((await answer({ 'x-holdpoint-page': 'b'.repeat(64) })).status).toBe(401);
    expect((await answer({ cookie: cookie.split('.')[0] ?? '' })).status).toBe(401);
    expect((await call(rig.url, '/api/v1/audit', { headers: { cookie } })).status).toBe(401);
    expect((await answer(page)).status).toBe(200);
  });

  test('times and ids that the database does not take are refused, not failed at', async () => {
    const machine = await rig.machine();
    const never = '0000-01-01T00:00:00.000Z';
    const wide = (length: number) => '\u{1f600}'.repeat(length / 2);
    const project = { id: wide(500), name: 'x' };
    const statuses = await Promise.all([
      machine.post('decisions', { decisions: [decision({ at: never })] }),
      machine.post('decisions', { decisions: [decision({ at: '9999-12-31T23:59:59-23:00' })] }),
      machine.post('requests', approvalRequest({ since: never })),
      machine.post('requests', approvalRequest({ project, session: wide(500), rule: wide(300) })),
      machine.post('sessions', { sessions: [{ id: 's', project, at: never }] }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
  });

  test('cursors that nobody gave out are refused', async () => {
    const cursor = (...place: unknown[]) => Buffer.from(JSON.stringify(place)).toString('base64url');
    const wrong = [
      cursor('2026-01-01T00:00:00Z', 'x'),
      cursor('+275760-09-13T00:00:00Z', '1'),
      cursor('2026-01-01T00:00:00Z', '\0'),
    ];
    for (const before of wrong) expect((await rig.admin.get(`decisions?before=${before}`)).status).toBe(422);
    for (const list of ['sessions', 'runs', 'waiting'])
      expect((await rig.admin.get(`${list}?before=${wrong[1]}`)).status).toBe(422);
    for (const before of ['Infinity', '1.5', '9223372036854775808'])
      expect((await rig.admin.get(`audit?before=${before}`)).status).toBe(422);
  });

  test('a flood of sign-ins with made-up names is turned away', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `nobody${index}`);
    const statuses = (await Promise.all(names.map((name) => login(name)))).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect((await login('ada')).status).toBe(200);
  });
});

test('no message goes to a link-local or metadata address that is written as such', async () => {
  for (const host of ['169.254.169.254', '2852039166', '0xa9fea9fe', '[::ffff:169.254.169.254]', '[fe80::1]'])
    await expect(send({ url: `http://${host}/`, body: '', headers: {} })).rejects.toThrow('is not allowed');
});

test('a lock that is a link to nowhere is refused', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hub-'));
  symlinkSync(join(directory, 'nowhere'), join(directory, 'hub.lock'));
  await expect(takeLock(join(directory, 'hub.lock'), directory)).rejects.toThrow('leads nowhere');
  rmSync(directory, { recursive: true });
});
