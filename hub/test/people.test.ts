import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mainFile, temporaryDirectory } from './processes.mjs';
import {
  approvalRequest,
  call,
  codeIn,
  cookieOf,
  PASSPHRASE,
  Person,
  personByCode,
  SERVED,
  unique,
  useHub,
} from './rig.js';

describe.each(SERVED)('people, %s', (storage) => {
  const rig = useHub(storage);

  const origin = () => new URL(rig.url).origin;
  const login = (name: string, passphrase: string, headers: Record<string, string> = { origin: origin() }) =>
    call(rig.url, '/api/v1/login', { json: { name, passphrase }, headers });
  const invite = async (json: unknown) => codeIn((await rig.admin.post('people/invite', json)).text);
  const setup = (json: unknown) => call(rig.url, '/api/v1/setup', { json, headers: { origin: origin() } });

  test('the setup link makes one person, an admin', async () => {
    expect((await rig.admin.get('me')).body).toMatchObject({ name: 'ada', role: 'admin' });
    const code = codeIn(rig.hub.setup ?? '');
    const { status, headers } = await setup({ code, name: 'eve', passphrase: PASSPHRASE });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(headers.getSetCookie()).toEqual([]);
    expect(new URL(rig.hub.setup ?? '').origin).toBe(origin());
  });

  test('sign in: a cookie that no script reads and no other site sends', async () => {
    const answer = await login('ada', PASSPHRASE);
    expect(answer.status).toBe(200);
    const line = answer.headers.getSetCookie()[0] ?? '';
    expect(line).toMatch(/; *HttpOnly/i);
    expect(line).toMatch(/; *SameSite=Strict/i);
    expect(line).toMatch(/; *Path=\/(;|$)/i);
    expect(line).not.toMatch(/; *Secure/i);
    const age = Number(/Max-Age=(\d+)/i.exec(line)?.[1] ?? 0);
    expect(age).toBeLessThanOrEqual(30 * 86_400);
    expect((await new Person(rig.url, 'ada', answer).get('me')).body['name']).toBe('ada');
  });

  test('a wrong passphrase and an unknown name look the same', async () => {
    const name = (await rig.person('viewer')).name;
    const [wrong, unknown] = [
      await login(name, 'something else'),
      await login(unique('x'), 'something else'),
    ];
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.body.error).toEqual(unknown.body.error);
    expect(wrong.headers.getSetCookie()).toEqual([]);
    for (const json of [{}, { name: 'ada' }, { name: 'ada', passphrase: 5 }, []]) {
      const { status } = await call(rig.url, '/api/v1/login', { json, headers: { origin: origin() } });
      expect(status).toBe(422);
    }
  });

  test('failures at the same time are counted too', async () => {
    const { name } = await rig.person('viewer');
    const answers = await Promise.all(Array.from({ length: 16 }, () => login(name, 'wrong-wrong')));
    const tried = answers.filter(({ status }) => status === 401).length;
    expect(tried).toBeLessThanOrEqual(10);
    expect((await login(name, PASSPHRASE)).status).toBe(429);
  });

  test('a change needs the Origin of the hub', async () => {
    const id = (await (await rig.machine()).post('requests', approvalRequest())).body.id;
    const cookie = cookieOf(await login('ada', PASSPHRASE));
    const foreign = ['https://evil.example', 'null', `${origin()}.evil.example`, 'http://localhost:1'];
    const tries: Record<string, string>[] = [{}, ...foreign.map((value) => ({ origin: value }))];
    for (const extra of tries) {
      const changes: [string, string, unknown][] = [
        ['POST', `requests/${id}`, { answer: 'approve' }],
        ['POST', 'machines/invite', {}],
        ['POST', 'logout', {}],
        ['DELETE', 'machines/x', undefined],
        ['PUT', 'settings/reach', { webhook: null, ntfy: null }],
      ];
      for (const [method, path, json] of changes) {
        const headers = { cookie, ...extra };
        const { status } = await call(rig.url, `/api/v1/${path}`, { method, json, headers });
        expect([extra, path, status]).toEqual([extra, path, 403]);
      }
    }
    expect((await login('ada', PASSPHRASE, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await call(rig.url, '/api/v1/me', { headers: { cookie } })).status).toBe(200);
    expect((await rig.admin.get('waiting')).body.items.map((item) => item.id)).toContain(id);
  });

  test('roles: a viewer reads, an approver answers, an admin does the rest', async () => {
    const [viewer, approver] = [await rig.person('viewer'), await rig.person('approver')];
    for (const person of [viewer, approver]) {
      for (const path of ['waiting', 'sessions', 'decisions', 'rules', 'runs', 'me'])
        expect((await person.get(path)).status).toBe(200);
      for (const path of ['audit', 'settings/reach'])
        expect([path, (await person.get(path)).status]).toEqual([path, 403]);
      for (const path of ['people/invite', 'machines/invite', 'settings/reach/test'])
        expect([path, (await person.post(path, { role: 'admin' })).status]).toEqual([path, 403]);
      expect((await person.send('DELETE', 'machines/x')).status).toBe(403);
      expect((await person.send('DELETE', 'people/x')).status).toBe(403);
    }
    expect((await approver.get('me')).body['role']).toBe('approver');
  });

  test('an invite makes one person of its role; viewer by default', async () => {
    const code = await invite({});
    const name = unique('guest');
    const short = await setup({ code, name, passphrase: '1234567' });
    expect(short.status).toBe(422);
    const person = await personByCode(rig.url, code, name);
    expect((await person.get('me')).body).toMatchObject({ name, role: 'viewer' });
    const again = await setup({ code, name: unique('guest'), passphrase: PASSPHRASE });
    expect(again.status).toBeGreaterThanOrEqual(400);
    const taken = await setup({ code: await invite({ role: 'viewer' }), name, passphrase: PASSPHRASE });
    expect(taken.status).toBe(409);
    expect((await rig.admin.post('people/invite', { role: 'king' })).status).toBe(422);
    const machine = codeIn((await rig.admin.post('machines/invite', {})).text);
    const wrong = await setup({ code: machine, name: unique('guest'), passphrase: PASSPHRASE });
    expect(wrong.status).toBeGreaterThanOrEqual(400);
    expect(wrong.headers.getSetCookie()).toEqual([]);
  });

  test('signing out ends that cookie, removing a person ends all', async () => {
    const person = await rig.person('approver');
    const second = new Person(rig.url, person.name, await login(person.name, PASSPHRASE));
    expect((await person.post('logout')).status).toBeOneOf([200, 204]);
    expect((await person.get('me')).status).toBe(401);
    expect((await second.get('me')).status).toBe(200);
    const { body, text } = await rig.admin.get('people');
    expect(text).not.toMatch(/scrypt|passphrase"/i);
    const row = body.items.find((item) => item['name'] === person.name);
    expect((await rig.admin.send('DELETE', `people/${row?.id}`)).status).toBeOneOf([200, 204]);
    expect((await second.get('me')).status).toBe(401);
    expect((await login(person.name, PASSPHRASE)).status).toBe(401);
    expect((await rig.admin.send('DELETE', 'people/nobody')).status).toBe(404);
  });

  test('health, metrics and the page need no sign-in; the page loads nothing from elsewhere', async () => {
    const health = await call(rig.url, '/healthz');
    expect([health.status, health.text.length > 0]).toEqual([200, true]);
    const metrics = await call(rig.url, '/metrics');
    expect(metrics.status).toBe(200);
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(metrics.text).toMatch(/^# (HELP|TYPE) /m);
    expect(metrics.text).not.toContain('ada');
    const page = await call(rig.url, '/');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const csp = page.headers.get('content-security-policy') ?? '';
    expect(csp).toMatch(/default-src 'none'|default-src 'self'/);
    expect(csp).toMatch(/frame-ancestors 'none'/);
    expect(csp).not.toMatch(/unsafe-inline|unsafe-eval|https?:|\*/);
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.text).not.toMatch(/(src|href)="https?:/);
    for (const [, file] of page.text.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g))
      expect([file, (await call(rig.url, file ?? '')).status]).toEqual([file, 200]);
    for (const path of ['/../package.json', '/%2e%2e/%2e%2e/etc/passwd', '/assets/..%2f..%2fmain.mjs'])
      expect((await call(rig.url, path)).text).not.toMatch(/root:|"dependencies"|import /);
  });
});

test('a directory without a hub stays without one, unless a hub is started or imported there', () => {
  const home = temporaryDirectory();
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [mainFile(), ...args], {
      env: { HOME: home },
      encoding: 'utf8',
      timeout: 20_000,
    });
  const none = join(home, 'none');
  for (const words of [['user', 'list'], ['user', 'add', 'bob'], ['invite'], ['export', 'x'], ['rotate-key']])
    expect(run(...words, '--data', none)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `There is no hub in ${none}. Give the directory of one with --data, or start one there first.\n`,
    });
  expect(run('import', 'x', '--data', none).stderr).toMatch(/^Cannot read .*\/x: /);
  expect(run('--data', '/proc/none/hub')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^Cannot use \/proc\/none\/hub for the hub's data: .*\n$/),
  });
  for (const url of ['hub.example.org', 'ftp://x', 'https://x.example/path'])
    expect(run('--public-url', url, '--data', none).stderr).toContain('Give a URL without a path');
  expect(existsSync(none)).toBe(false);
  rmSync(home, { recursive: true });
});
