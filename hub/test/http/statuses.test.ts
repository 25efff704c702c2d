import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/db/database.js';
import { hashOf, newToken } from '../../src/hub.js';
import { type TestHub, testHub } from '../people/in-process.js';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

async function ask(url: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(url + path, { redirect: 'manual', ...init });
  const text = await answer.text();
  const json = answer.headers.get('content-type')?.startsWith('application/json');
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    error: json ? JSON.parse(text).error : undefined,
  };
}

/** Writes all parts to one connection and gives the statuses of all answers. */
async function statuses(url: string, parts: readonly (string | Buffer)[]): Promise<string[]> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  for (const part of parts) if (!socket.write(part)) await once(socket, 'drain');
  await once(socket, 'close');
  return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1] ?? '');
}

const last = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
const MB = 1024 * 1024;

describe('statuses', () => {
  let hub: TestHub;
  let cookie = '';
  let token = '';
  let failing: 'at once' | 'never answers' | null = null;
  const login = '/api/v1/login';
  const signedIn = () => ({ cookie, origin: hub.url });

  beforeAll(async () => {
    hub = await testHub({
      database: (db): Database => ({
        ...db,
        query: (sql, values) =>
          failing === 'at once'
            ? Promise.reject(new Error('connection to secret-host lost'))
            : failing
              ? new Promise(() => {})
              : db.query(sql, values),
      }),
    });
    const answer = await fetch(`${hub.url}/api/v1/setup`, {
      method: 'POST',
      body: JSON.stringify({ code: await hub.invite(), name: 'ada', passphrase: 'correct horse battery' }),
    });
    expect(answer.status).toBe(200);
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    token = newToken('hpm_');
    await hub.db.query('insert into machines (id, name, token_hash, created_at) values ($1, $2, $3, now())', [
      'm1',
      'box',
      hashOf(token),
    ]);
  });
  afterAll(() => hub.remove());

  test('400 for what is not JSON or not UTF-8, 422 with a path for a wrong shape', async () => {
    for (const body of ['', '{', 'name=ada', Buffer.from([0x7b, 0xff, 0x7d]), '{"name":"a"}}'])
      expect([body, (await ask(hub.url, login, { method: 'POST', body })).status]).toEqual([body, 400]);
    for (const [body, path] of [
      ['{"name":"ada"}', 'passphrase'],
      ['{"name":5,"passphrase":"x"}', 'name'],
      ['[]', 'The body'],
      ['null', 'The body'],
      ['"text"', 'The body'],
    ] as const) {
      const { status, error } = await ask(hub.url, login, { method: 'POST', body });
      expect([body, status, error?.message.startsWith(path)]).toEqual([body, 422, true]);
    }
    const { status, error } = await ask(hub.url, '/api/v1/settings/reach', {
      method: 'PUT',
      headers: signedIn(),
      body: '{"webhook":{"url":"https://x.example","secret":"short"}}',
    });
    expect([status, error?.message]).toEqual([422, 'webhook.secret: A secret needs at least 16 characters.']);
    const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
    const nested = await ask(hub.url, login, { method: 'POST', body: `{"name":${deep}}` });
    expect([nested.status, nested.error?.message]).toEqual([422, expect.stringContaining('nested')]);
    const brackets = JSON.stringify({ name: `\\"${'['.repeat(200)}`, passphrase: 'x' });
    expect((await ask(hub.url, login, { method: 'POST', body: brackets })).status).toBe(422);
    expect((await ask(hub.url, '/api/v1/people/%00', { headers: signedIn() })).status).toBe(400);
  });

  test('text that the database cannot hold is stored with a replacement', async () => {
    const body = '{"name":"a\\u0000\\ud800","passphrase":"whatever"}';
    expect((await ask(hub.url, login, { method: 'POST', body })).status).toBe(401);
  });

  test('413 over 8 MB, announced or not, and the connection goes on', async () => {
    const post = `POST ${login} HTTP/1.1\r\nHost: localhost\r\n`;
    const megabytes = (n: number) => Array.from({ length: n }, () => Buffer.alloc(MB, 0x20));
    const announced = [`${post}Content-Length: ${12 * MB}\r\n\r\n`, ...megabytes(12), last];
    expect(await statuses(hub.url, announced)).toEqual(['413', '200']);
    const chunks = megabytes(12).flatMap((chunk) => ['100000\r\n', chunk, '\r\n']);
    const chunked = [`${post}Transfer-Encoding: chunked\r\n\r\n`, ...chunks, '0\r\n\r\n', last];
    expect(await statuses(hub.url, chunked)).toEqual(['413', '200']);
    const allowed = [`${post}Content-Length: ${8 * MB}\r\n\r\n`, ...megabytes(8), last];
    expect(await statuses(hub.url, allowed)).toEqual(['400', '200']);
    const { error } = await ask(hub.url, login, { method: 'POST', body: Buffer.alloc(9 * MB, 0x20) });
    expect(error).toEqual({ code: 'too-large', message: expect.stringContaining('8 MB') });
  });

  test('an unread body is no part of the next request', async () => {
    const body = '{"name":"ada"}';
    const post = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const parts = [post('/api/v1/people/invite') + post(login) + last];
    expect(await statuses(hub.url, parts)).toEqual(['401', '422', '200']);
  });

  test('401 before 404; with credentials 404', async () => {
    for (const path of [
      '/api/v1/nothing',
      '/api/',
      '/api/v2/decisions',
      '/api/v1/people',
      '/api/v1/machines/x',
    ]) {
      expect([path, (await ask(hub.url, path)).status]).toEqual([path, 401]);
      const wrong = { authorization: 'Bearer hpm_wrong-wrong-wrong', cookie: 'holdpoint_hub=hps_wrong' };
      expect([path, (await ask(hub.url, path, { headers: wrong })).status]).toEqual([path, 401]);
    }
    for (const headers of [signedIn(), { authorization: `Bearer ${token}` }]) {
      const missing = await ask(hub.url, '/api/v1/nothing', { headers });
      expect([missing.status, missing.error?.code]).toEqual([404, 'not-found']);
    }
    const method = await ask(hub.url, '/api/v1/people', { method: 'PATCH', headers: signedIn() });
    expect([method.status, method.error?.code]).toEqual([404, 'not-found']);
    expect((await ask(hub.url, '/assets/none.js')).status).toBe(404);
  });

  test('403 for the wrong kind of credential; 401 says when a machine was revoked', async () => {
    const bearer = { authorization: `Bearer ${token}` };
    expect((await ask(hub.url, '/api/v1/people', { headers: bearer })).error?.code).toBe('person-only');
    const keys = await ask(hub.url, '/api/v1/keys', { headers: signedIn() });
    expect([keys.status, keys.error?.code]).toEqual([403, 'machine-only']);
    expect((await ask(hub.url, '/api/v1/keys', { headers: bearer })).status).toBe(200);
    const revoke = await ask(hub.url, '/api/v1/machines/m1', { method: 'DELETE', headers: signedIn() });
    expect(revoke.status).toBe(204);
    const revoked = await ask(hub.url, '/api/v1/keys', { headers: bearer });
    expect([revoked.status, revoked.error?.code]).toEqual([401, 'revoked']);
    const again = await ask(hub.url, '/api/v1/machines/m1', { method: 'DELETE', headers: signedIn() });
    expect(again.status).toBe(404);
  });

  test('a Host that is not ours is refused', async () => {
    const answers = new Map<string, string | undefined>();
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '169.254.169.254',
      'localhost',
      '127.0.0.1:1',
      '[::1]:80',
      'LOCALHOST',
    ]) {
      const parts = [`GET /api/v1/me HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`];
      answers.set(host, (await statuses(hub.url, parts))[0]);
    }
    expect(Object.fromEntries(answers)).toEqual({
      'evil.example': '421',
      'localhost.evil.example': '421',
      '169.254.169.254': '421',
      localhost: '401',
      '127.0.0.1:1': '401',
      '[::1]:80': '401',
      LOCALHOST: '401',
    });
  });

  test('500 with an id that stands in the log, and nothing of the inside', async () => {
    failing = 'at once';
    const answer = await ask(hub.url, '/api/v1/me', { headers: { cookie } });
    const health = await ask(hub.url, '/healthz');
    const metrics = await ask(hub.url, '/metrics');
    failing = 'never answers';
    const hanging = await ask(hub.url, '/healthz');
    failing = null;
    expect(answer.status).toBe(500);
    expect(answer.text).not.toMatch(/secret-host|at |\.ts/);
    const id = /[0-9a-f]{12}/.exec(answer.error?.message ?? '')?.[0];
    expect(hub.log.find((entry) => entry['id'] === id)).toMatchObject({
      level: 'error',
      error: 'connection to secret-host lost',
    });
    expect([health.status, hanging.status, metrics.status]).toEqual([503, 503, 200]);
    expect(metrics.text).not.toContain('requests_open');
    expect(metrics.text).toMatch(/request_seconds_count\{.*route="\/api\/v1\/me",status="500"\} [1-9]/);
    expect((await ask(hub.url, '/healthz')).text).toBe('ok\n');
  });

  test('metrics name routes, not ids', async () => {
    await ask(hub.url, '/api/v1/people/some-id', { method: 'DELETE', headers: signedIn() });
    await ask(hub.url, '/api/v1/people', { headers: signedIn() });
    await ask(hub.url, '/api/v1/nothing', { headers: signedIn() });
    const { text, headers } = await ask(hub.url, '/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain/);
    expect(text).toContain('route="/api/v1/people/:id",status="404"');
    expect(text).toContain('method="GET",route="/api/v1/people",status="200"');
    expect(text).toContain('route="other",status="404"');
    expect(text).not.toContain('some-id');
    expect(text).toMatch(/^holdpoint_hub_requests_open 0$/m);
    for (const line of text.trim().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) \S+ .+|[a-z_]+(\{.*\})? [\d.e+-]+)$/);
  });

  test('headers of every answer, errors too', async () => {
    for (const path of ['/healthz', '/api/v1/me', '/nothing.js']) {
      const { headers } = await ask(hub.url, path);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('strict-transport-security')).toBe(null);
    }
  });
});
