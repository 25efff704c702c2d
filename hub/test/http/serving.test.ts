import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHub } from '../../src/http/serve.js';
import { hashOf, newToken } from '../../src/hub.js';
import { caller, type TestHub, testHub } from '../people/in-process.js';

describe('serving', () => {
  let hub: TestHub;
  let page = '';
  let cookie = '';
  beforeAll(async () => {
    page = mkdtempSync(join(tmpdir(), 'hub-page-'));
    mkdirSync(join(page, 'assets'));
    writeFileSync(join(page, 'index.html'), '<!doctype html><title>Holdpoint</title>');
    writeFileSync(join(page, 'assets/app-abc123.js'), 'export const x = 1;\n'.repeat(100));
    writeFileSync(join(page, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    hub = await testHub({ page });
    const setup = { code: await hub.invite(), name: 'ada', passphrase: 'correct horse battery' };
    cookie = (await caller(hub.url)('POST', 'setup', setup)).cookie;
  });
  afterAll(async () => {
    await hub.remove();
    rmSync(page, { recursive: true });
  });

  const machine = async (id: string) => {
    const token = newToken('hpm_');
    await hub.db.query('insert into machines (id, name, token_hash, created_at) values ($1, $1, $2, now())', [
      id,
      hashOf(token),
    ]);
    return token;
  };
  const stream = async (url: string, headers: Record<string, string>): Promise<IncomingMessage> => {
    const [answer] = (await once(get(`${url}/api/v1/stream`, { headers }), 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    await once(answer, 'data');
    answer.resume();
    return answer;
  };

  test('the page: index.html never cached, hashed files for ever, etag and gzip', async () => {
    for (const path of ['/', '/index.html', '/waiting']) {
      const answer = await fetch(hub.url + path);
      expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 200, 'no-store']);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
    const asset = await fetch(`${hub.url}/assets/app-abc123.js`);
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(asset.headers.get('content-encoding')).toBe('gzip');
    expect((await asset.text()).length).toBe(2000);
    const etag = asset.headers.get('etag') ?? '';
    const again = await fetch(asset.url, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const head = await fetch(`${hub.url}/icon.svg`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, expect.stringContaining('svg')]);
    for (const path of ['/../serve.ts', '/%2e%2e/secret.txt', '/assets/%2e%2e/%2e%2e/x.js', '/assets/app.js'])
      expect((await fetch(hub.url + path)).status).toBe(404);
  });

  test('a revoked machine and whoever signed out lose their streams at once; metrics count the open ones', async () => {
    const token = await machine('m1');
    const [box, other] = [
      await stream(hub.url, { authorization: `Bearer ${token}` }),
      await stream(hub.url, { authorization: `Bearer ${await machine('m2')}` }),
    ];
    const person = await stream(hub.url, { cookie });
    const open = async () =>
      /^holdpoint_hub_streams_open (\d+)$/m.exec(await (await fetch(`${hub.url}/metrics`)).text())?.[1];
    expect(await open()).toBe('3');
    const ada = caller(hub.url, cookie);
    await Promise.all([once(box, 'end'), ada('DELETE', 'machines/m1')]);
    expect(await open()).toBe('2');
    await Promise.all([once(person, 'end'), ada('POST', 'logout')]);
    expect(await open()).toBe('1');
    expect(other.readableEnded).toBe(false);
    other.destroy();
  });

  test('behind a proxy: https cookies and HSTS, its word about addresses, its name as Host', async () => {
    const publicUrl = 'https://hub.example.org';
    const proxied = await testHub({ publicUrl, beside: hub });
    const ask = (headers: Record<string, string>, json?: unknown) => {
      const body = json === undefined ? '' : JSON.stringify(json);
      const socket = connect(Number(new URL(proxied.address).port), '127.0.0.1');
      const lines = Object.entries({
        'content-length': String(body.length),
        connection: 'close',
        ...headers,
      });
      socket.write(
        `POST /api/v1/login HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
      );
      return socket
        .setEncoding('utf8')
        .toArray()
        .then((parts) => parts.join(''));
    };
    const host = 'hub.example.org';
    const good = await ask({ host, origin: publicUrl }, { name: 'ada', passphrase: 'correct horse battery' });
    expect(good).toMatch(/^HTTP\/1\.1 200/);
    expect(good).toMatch(
      /set-cookie: holdpoint_hub=hps_[\w-]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict/i,
    );
    expect(good).toMatch(/strict-transport-security: max-age=31536000/i);
    expect(await ask({ host, origin: 'http://hub.example.org' }, {})).toMatch(/^HTTP\/1\.1 403/);
    expect(await ask({ host: 'other.example.org' }, {})).toMatch(/^HTTP\/1\.1 421/);
    const wrong = { name: 'ada', passphrase: 'wrong-wrong' };
    const from = (forwarded: string) => ask({ host, 'x-forwarded-for': forwarded }, wrong);
    for (let n = 0; n < 10; n++) expect(await from(`10.0.0.${n}, 203.0.113.7`)).toMatch(/ 401 /);
    expect(await from('203.0.113.7')).toMatch(/^HTTP\/1\.1 429/);
    expect(await from('203.0.113.8')).toMatch(/^HTTP\/1\.1 401/);
    for (let n = 0; n < 10; n++) expect(await from(`2001:db8::${n}:1`)).toMatch(/ 401 /);
    expect(await from('2001:db8:0:0:ffff::1')).toMatch(/^HTTP\/1\.1 429/);
    expect(await from('2001:db8:0:1::1')).toMatch(/^HTTP\/1\.1 401/);
    await proxied.remove();
  });

  test('without a proxy, nobody chooses the address that they are counted under', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) {
      const answer = await fetch(`${hub.url}/api/v1/login`, {
        method: 'POST',
        headers: { 'x-forwarded-for': `203.0.113.${n}` },
        body: JSON.stringify({ name: 'nobody', passphrase: 'wrong-wrong' }),
      });
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    const post = httpRequest(`http://127.0.0.1:${new URL(hub.url).port}/api/v1/login`, {
      method: 'POST',
      localAddress: '127.0.0.2',
    }).end(JSON.stringify({ name: 'nobody', passphrase: 'wrong-wrong' }));
    const [answer] = (await once(post, 'response')) as [IncomingMessage];
    expect(answer.resume().statusCode).toBe(429);
  });

  test('localhost is both loopback addresses; a taken port is refused', async () => {
    const port = Number(new URL(hub.url).port);
    expect(new URL(hub.url).hostname).toBe('localhost');
    for (const host of ['127.0.0.1', '[::1]'])
      expect((await fetch(`http://${host}:${port}/healthz`)).status).toBe(200);
    const options = { db: hub.db, keys: hub.hub.keys, log: () => {} };
    await expect(startHub({ ...options, port })).rejects.toThrow(/EADDRINUSE/);
  });

  test('stops within 5 s: streams end, requests in progress are answered, new ones refused', async () => {
    const second = await testHub({ beside: hub });
    const token = await machine('m3');
    const open = await stream(second.url, { authorization: `Bearer ${token}` });
    const port = Number(new URL(second.url).port);
    const slow = connect(port, '127.0.0.1').setEncoding('utf8');
    slow.write('POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n{');
    const stuck = connect(port, '127.0.0.1').setEncoding('utf8');
    stuck.write('POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n{');
    stuck.on('error', () => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    const start = performance.now();
    const closed = second.close();
    await once(open, 'end');
    expect(performance.now() - start).toBeLessThan(1000);
    slow.write('"a"');
    expect((await slow.toArray()).join('')).toMatch(/^HTTP\/1\.1 400/);
    await expect(fetch(`${second.url}/healthz`)).rejects.toThrow();
    await closed;
    expect(performance.now() - start).toBeLessThan(5000);
    expect((await fetch(`${hub.url}/healthz`)).status).toBe(200);
  });
});
