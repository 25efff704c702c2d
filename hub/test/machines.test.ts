import { createPublicKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { approvalRequest, call, codeIn, decision, Machine, PROJECT, SERVED, unique, useHub } from './rig.js';

const CHANGES_OF_MACHINES = ['decisions', 'requests', 'sessions', 'requests/x/close', 'requests/x/received'];
const READ_BY_PEOPLE = [
  'waiting',
  'sessions',
  'decisions',
  'rules',
  'runs',
  'me',
  'people',
  'machines',
  'audit',
];

describe.each(SERVED)('machines, %s', (storage) => {
  const rig = useHub(storage);

  const joinWith = (json: unknown) => call(rig.url, '/api/v1/join', { json });
  const invite = async () => codeIn((await rig.admin.post('machines/invite', {})).text);

  test('join gives a machine, a token and an Ed25519 key', async () => {
    const { status, body } = await joinWith({ code: await invite(), name: unique('m') });
    expect(status).toBe(200);
    expect(body.machine).toEqual(expect.any(String));
    expect(body.token).toMatch(/^hpm_[\w-]{43}$/);
    const key = createPublicKey({ key: Buffer.from(body.key, 'base64'), format: 'der', type: 'spki' });
    expect(key.asymmetricKeyType).toBe('ed25519');
  });

  test('a code joins one machine', async () => {
    const code = await invite();
    const answers = await Promise.all([1, 2, 3, 4].map((n) => joinWith({ code, name: unique(`race${n}`) })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers) {
      if (status === 200) continue;
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(body.error).toEqual({ code: expect.any(String), message: expect.any(String) });
    }
  });

  test('a code that nobody gave out, of a person, or none', async () => {
    const person = codeIn((await rig.admin.post('people/invite', { role: 'viewer' })).text);
    for (const code of ['hpi_nothing', person, '']) {
      const { status, body } = await joinWith({ code, name: unique('m') });
      expect([400, 401, 403, 404, 422]).toContain(status);
      expect(body.token).toBeUndefined();
      expect(body.error.message.length).toBeGreaterThan(10);
    }
    for (const wrong of [{}, { code: 1 }, [], null, 'x', { code: 'hpi_x', name: 7 }]) {
      expect((await joinWith(wrong)).status).toBe(422);
    }
    expect((await call(rig.url, '/api/v1/join', { raw: '{"code"' })).status).toBe(400);
  });

  test('without credentials 401, before 404', async () => {
    const strangers: Record<string, string>[] = [
      {},
      { authorization: 'Bearer hpm_wrong' },
      { authorization: 'Basic YTpi' },
      { cookie: 'holdpoint_hub=wrong' },
    ];
    for (const headers of strangers) {
      for (const path of [...READ_BY_PEOPLE, 'stream', 'keys', 'approvals', 'nothing', 'settings/reach']) {
        const { status, body } = await call(rig.url, `/api/v1/${path}`, { headers });
        expect([path, status]).toEqual([path, 401]);
        expect(body.error.message).toEqual(expect.any(String));
      }
      for (const path of [...CHANGES_OF_MACHINES, 'requests/x', 'people/invite', 'machines/invite']) {
        const { status } = await call(rig.url, `/api/v1/${path}`, { headers, json: {} });
        expect([path, status]).toEqual([path, 401]);
      }
    }
    const machine = await rig.machine();
    for (const client of [machine, rig.admin]) {
      const { status, body } = await client.get('nothing');
      expect(status).toBe(404);
      expect(body.error.message).toEqual(expect.any(String));
    }
    expect((await call(rig.url, '/api/v2/decisions', { headers: machine.headers, json: {} })).status).toBe(
      404,
    );
  });

  test('a machine cannot do what people do', async () => {
    const machine = await rig.machine();
    const { body } = await machine.post('requests', approvalRequest());
    for (const client of [machine, new Machine(rig.url, 'x', machine.joined)]) {
      const { status } = await client.post(`requests/${body.id}`, { answer: 'approve' });
      expect([401, 403]).toContain(status);
    }
    for (const path of READ_BY_PEOPLE) expect([401, 403]).toContain((await machine.get(path)).status);
    for (const path of ['people/invite', 'machines/invite', 'settings/reach/test'])
      expect([401, 403]).toContain((await machine.post(path)).status);
    const waiting = await rig.admin.get('waiting');
    expect(waiting.body.items.map(({ id }) => id)).toContain(body.id);
  });

  test('a person cannot do what machines do', async () => {
    for (const path of CHANGES_OF_MACHINES)
      expect([path, (await rig.admin.post(path)).status]).toEqual([path, expect.toBeOneOf([401, 403])]);
  });

  test('a revoked machine is refused at once, the others go on, and what it sent stays', async () => {
    const [gone, other] = [await rig.machine(), await rig.machine()];
    const session = unique('s');
    await gone.post('decisions', { decisions: [decision({ session })] });
    const stream = await gone.stream();
    const { status } = await rig.admin.send('DELETE', `machines/${gone.id}`);
    expect([200, 204]).toContain(status);
    for (const answer of [
      await gone.post('decisions', { decisions: [decision()] }),
      await gone.post('requests', approvalRequest()),
      await gone.get('approvals'),
      await gone.get('stream'),
    ]) {
      expect(answer.status).toBe(401);
      expect(answer.body.error.message).toEqual(expect.any(String));
    }
    await Promise.race([
      stream.stream?.ended,
      new Promise((_, reject) => setTimeout(() => reject(new Error('its stream stays open')), 5000).unref()),
    ]);
    expect((await other.post('decisions', { decisions: [decision()] })).status).toBe(200);
    expect((await rig.admin.get(`decisions?session=${session}`)).body.items).toHaveLength(1);
    const { items } = (await rig.admin.get('sessions')).body;
    expect(items.find(({ id }) => id === session)).toMatchObject({
      endedAt: expect.any(String),
      heldBy: [],
    });
  });

  test('a machine with odd names can be revoked, and misleads nobody', async () => {
    const code = await invite();
    const { body } = await joinWith({ code, name: 'lap\u202etop\u001b[2J\nmachine' });
    const machine = new Machine(rig.url, '', body);
    const named = (await rig.admin.get('machines')).body.items.find(({ id }) => id === machine.id);
    expect(named?.['name']).toBe('lap\ufffdtop\ufffd[2J machine');
    const at = new Date().toISOString();
    const sessions = Array.from({ length: 12 }, (_, n) => ({
      id: `${n}`.padEnd(500, '日'),
      project: PROJECT,
      at,
    }));
    expect((await machine.post('sessions', { sessions })).status).toBe(204);
    expect((await rig.admin.send('DELETE', `machines/${machine.id}`)).status).toBe(204);
  });

  test('what a machine sends cannot make lists too long to be read', async () => {
    const machine = await rig.machine();
    const huge = 'x'.repeat(3_000_000);
    const session = unique('s');
    const [project, at] = [{ id: unique('p'), name: 'shop\u202epohs' }, new Date().toISOString()];
    const names = ['a\u202egnp.exe', ...Array.from({ length: 4_000 }, () => 'y'.repeat(600))];
    const asked = { plan: huge.slice(0, 200_000), changes: { files: 1, names, more: huge } };
    const { body } = await machine.post('requests', approvalRequest({ ...asked, project }));
    const checks = [
      { id: 5, status: {} },
      { name: 'unit', status: 'failed', output: huge },
    ];
    const decisions = [decision({ session, status: 'failed', checks, lines: [huge] })];
    expect((await machine.post('decisions', { decisions })).status).toBe(200);
    const sessions = [{ id: session, project, at, loop: { iteration: 1 }, gates: { lines: [huge] } }];
    expect((await machine.post('sessions', { sessions })).status).toBe(204);
    const waiting = (await rig.admin.get('waiting')).body.items.find(({ id }) => id === body.id);
    expect(waiting?.['project']).toEqual({ ...project, name: 'shop\ufffdpohs' });
    expect(waiting?.['changes']).toMatchObject({
      files: 1,
      names: expect.arrayContaining(['a\ufffdgnp.exe']),
    });
    const runs = (await rig.admin.get(`runs?session=${session}`)).body.items;
    expect(runs.map((run) => run['checks'])).toEqual([[{}, { name: 'unit', status: 'failed' }]]);
    const reported = (await rig.admin.get('sessions')).body.items.find(({ id }) => id === session);
    expect(reported).toMatchObject({ loop: { iteration: 1 }, gates: null });
    for (const one of [waiting, runs, reported]) expect(JSON.stringify(one).length).toBeLessThan(100_000);
  });

  test('the list of machines has no token in it', async () => {
    const machine = await rig.machine();
    const { status, text, body } = await rig.admin.get('machines');
    expect(status).toBe(200);
    expect(body.items.map((item) => item['name'])).toContain(machine.name);
    expect(text).not.toContain(machine.joined.token);
    expect(text).not.toMatch(/token/i);
    expect((await rig.admin.send('DELETE', 'machines/nobody')).status).toBe(404);
  });
});
