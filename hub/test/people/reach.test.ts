import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashOf, newToken } from '../../src/hub.js';
import { isBlocked, safeLookup } from '../../src/reach/send.js';
import { type Caller, caller, type TestHub, testHub } from './in-process.js';

interface Message {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('reach', () => {
  let hub: TestHub;
  let admin: Caller;
  let server: Server;
  let url = '';
  const got: Message[] = [];
  /** What the other side answers next; 200 when there is nothing left. */
  const answers: number[] = [];
  const token = newToken('hpm_');
  const secret = 'a secret of the webhook';
  let counter = 0;

  beforeAll(async () => {
    hub = await testHub();
    const nobody = caller(hub.url);
    const setup = { code: await hub.invite(), name: 'ada', passphrase: 'correct horse battery' };
    admin = caller(hub.url, (await nobody('POST', 'setup', setup)).cookie);
    await hub.db.query(
      "insert into machines (id, name, token_hash, created_at) values ('m1', 'box', $1, now())",
      [hashOf(token)],
    );
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      got.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(answers.shift() ?? 200, { location: 'http://169.254.169.254/' }).end();
      server.emit('got');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await hub.remove();
    server.close();
  });

  /** Opens a request as a machine does. */
  const ask = async () => {
    const answer = await fetch(`${hub.url}/api/v1/requests`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({
        decision: `d${counter}`,
        project: { id: 'p1', name: 'shöp' },
        rule: 'deploy',
        description: 'Ask first.',
        scope: 'session',
        session: `s${counter++}`,
        branch: 'main',
        plan: 'the plan of the agent',
        since: new Date().toISOString(),
      }),
    });
    expect(answer.status).toBe(200);
  };
  const messages = async (n: number) => {
    while (got.length < n) await once(server, 'got');
    return got.splice(0);
  };

  test('a request is told once on both ways, signed, with names and a link and nothing else', async () => {
    const ntfy = { url: `${url}/topic`, token: 'tk_123' };
    const put = await admin('PUT', 'settings/reach', { webhook: { url: `${url}/hook`, secret }, ntfy });
    expect(put.body).toEqual({
      webhook: { url: `${url}/hook`, hasSecret: true },
      ntfy: { url: `${url}/topic`, hasToken: true },
    });
    await ask();
    const both = await messages(2);
    const webhook = both.find(({ path }) => path === '/hook');
    const [, t, v1] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(webhook?.headers['x-holdpoint-signature'])) ?? [];
    expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${webhook?.body}`).digest('hex'));
    expect(Math.abs(Number(t) - Date.now() / 1000)).toBeLessThan(60);
    expect(JSON.parse(webhook?.body ?? '')).toEqual({
      v: 1,
      kind: 'request',
      id: expect.any(String),
      rule: 'deploy',
      project: 'shöp',
      branch: 'main',
      machine: 'box',
      since: expect.any(String),
      link: `${hub.url}/#waiting`,
      text: 'deploy waits for a person in shöp on main.',
    });
    const topic = both.find(({ path }) => path === '/topic');
    expect(topic?.body).toBe('deploy waits for a person in shöp on main.');
    expect(topic?.headers).toMatchObject({
      title: 'Holdpoint: approval needed',
      click: `${hub.url}/#waiting`,
      priority: 'high',
      authorization: 'Bearer tk_123',
    });
    await ask();
    expect(await messages(2)).toHaveLength(2);
    expect(got).toEqual([]);
  });

  test('two hubs on one database tell it once; one that starts later tells what nobody was told', async () => {
    await admin('PUT', 'settings/reach', { webhook: { url: `${url}/hook` }, ntfy: null });
    const second = await testHub({ beside: hub });
    await ask();
    await ask();
    await messages(2);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(got).toEqual([]);
    await second.remove();
    await hub.db.query(
      `insert into requests (id, machine_id, decision_id, project_id, rule, session, since)
       values ('r1', 'm1', 'd', 'p1', 'unseen', 'unseen', now())`,
    );
    const third = await testHub({ beside: hub });
    expect((await messages(1))[0]?.body).toContain('unseen waits for a person in shöp.');
    await third.remove();
  });

  test('three tries, then the log and the metrics; a refusal is not tried again', async () => {
    answers.push(503, 500, 200);
    await ask();
    await messages(3);
    answers.push(404);
    await ask();
    await messages(1);
    answers.push(302);
    await ask();
    await messages(1);
    answers.push(500, 500, 500);
    await ask();
    await messages(3);
    while (!hub.log.some(({ error }) => String(error).includes('500')))
      await new Promise((resolve) => setTimeout(resolve, 20));
    const failures = hub.log.filter(({ message }) => message === 'the webhook could not be reached');
    expect(failures.map(({ error }) => error)).toEqual(
      [404, 302, 500].map((status) => `The other side answered with ${status}.`),
    );
    expect(JSON.stringify(hub.log)).not.toContain(secret);
    const metrics = await (await fetch(`${hub.url}/metrics`)).text();
    expect(metrics).toMatch(/^holdpoint_hub_reach_failed_total 3$/m);
    expect(got).toEqual([]);
  });

  test('the test button says what went wrong', async () => {
    answers.length = 0;
    expect((await admin('POST', 'settings/reach/test', {})).status).toBe(200);
    expect((await messages(1))[0]?.body).toContain('"kind":"test"');
    answers.push(403);
    const { status, body } = await admin('POST', 'settings/reach/test', {});
    expect([status, body.error.message]).toEqual([502, 'Webhook: The other side answered with 403.']);
    got.length = 0;
    await admin('PUT', 'settings/reach', { webhook: null, ntfy: null });
    expect((await admin('POST', 'settings/reach/test', {})).status).toBe(409);
  });

  test('secrets are kept for the same host only, and given back never', async () => {
    const put = (body: unknown) => admin('PUT', 'settings/reach', body);
    expect((await put({ webhook: { url: 'https://a.example/1', secret }, ntfy: null })).status).toBe(200);
    expect((await put({ webhook: { url: 'https://a.example/2' }, ntfy: null })).status).toBe(200);
    const moved = await put({ webhook: { url: 'https://b.example/' }, ntfy: null });
    expect([moved.status, moved.body.error.message]).toEqual([
      422,
      expect.stringContaining('webhook.secret'),
    ]);
    await put({ webhook: null, ntfy: { url: 'https://a.example/t', token: 'tk_1' } });
    expect((await put({ webhook: null, ntfy: { url: 'https://a.example/u' } })).body.ntfy.hasToken).toBe(
      true,
    );
    expect((await put({ webhook: null, ntfy: { url: 'https://b.example/u' } })).body.ntfy.hasToken).toBe(
      false,
    );
    for (const wrong of ['ftp://a.example', 'file:///etc/passwd', 'https://u:p@a.example', 'a.example'])
      expect((await put({ webhook: { url: wrong, secret }, ntfy: null })).status).toBe(422);
    expect(JSON.stringify((await admin('GET', 'audit')).body)).not.toMatch(/a secret of|tk_1/);
  });
});

test('names that lead to link-local or metadata addresses are not asked', async () => {
  const bad = ['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1', 'fd00:ec2::254', '100.100.100.200'];
  expect(bad.filter((address) => !isBlocked(address))).toEqual([]);
  expect(['127.0.0.1', '::1', '10.0.0.1', '192.0.2.1', '2001:db8::1'].filter(isBlocked)).toEqual([]);
  const found = await new Promise((resolve) =>
    safeLookup('localhost', { all: true }, (error, addresses) => resolve(error ?? addresses)),
  );
  expect(found).toEqual(expect.arrayContaining([{ address: '127.0.0.1', family: 4 }]));
});
