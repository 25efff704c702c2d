import { describe, expect, test } from 'vitest';
import { call, decision, type Machine, PROJECT, SERVED, unique, useHub } from './rig.js';

const ROW = [
  ...['id', 'at', 'machine', 'project', 'branch', 'session', 'host', 'event', 'tool', 'kind', 'rules'],
  ...['actor', 'channel'],
];

describe.each(SERVED)('decisions, %s', (storage) => {
  const rig = useHub(storage);

  const send = (machine: Machine, decisions: unknown[]) => machine.post('decisions', { decisions });
  const list = async (query: string) => (await rig.admin.get(`decisions?${query}`)).body;

  test('each is kept once, by machine and id, in any order', async () => {
    const [a, b] = [await rig.machine(), await rig.machine()];
    const session = unique('s');
    const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
    const lines = [3, 1, 2].map((second) => decision({ session, at: at(second) }));
    expect((await send(a, lines.slice(0, 2))).body).toMatchObject({ accepted: 2, known: 0 });
    expect((await send(a, lines)).body).toMatchObject({ accepted: 1, known: 2 });
    expect((await send(a, [...lines, lines[0]])).body).toMatchObject({ accepted: 0, known: 4 });
    expect((await send(b, lines)).body).toMatchObject({ accepted: 3, known: 0 });
    const { items, next } = await list(`session=${session}`);
    expect(items.map((item) => item['at'])).toEqual([3, 3, 2, 2, 1, 1].map(at));
    expect(next).toBeNull();
  });

  test('one twice in a batch, and the same batch by four at once', async () => {
    const machine = await rig.machine();
    const [one, two] = [decision(), decision()];
    expect((await send(machine, [one, two, one])).body).toMatchObject({ accepted: 2, known: 1 });
    const batch = Array.from({ length: 50 }, () => decision());
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => send(machine, n % 2 ? batch : batch.toReversed())),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.reduce((sum, { body }) => sum + Number(body['accepted']), 0)).toBe(50);
    expect(answers.reduce((sum, { body }) => sum + Number(body['known']), 0)).toBe(150);
  });

  test('a row has its fields, the whole line has the unknown ones too', async () => {
    const machine = await rig.machine();
    const line = decision({
      session: unique('s'),
      future: { deep: [1, { a: null }] },
      'odd key': 'ü 日本 🎉',
    });
    await send(machine, [line]);
    const { items } = await list(`session=${line['session']}`);
    expect(items).toHaveLength(1);
    const row = items[0] ?? {};
    for (const field of ROW) expect(row).toHaveProperty(field);
    expect(row).toMatchObject({
      id: line['id'],
      project: PROJECT,
      branch: 'main',
      host: 'claude-code',
      event: 'PreToolUse',
      tool: 'Edit',
      kind: 'deny',
      rules: ['commit_plan'],
      actor: 'agent',
      channel: 'hook',
    });
    expect(JSON.stringify(items[0]?.machine)).toContain(machine.name);
    const whole = await rig.admin.get(`decisions/${machine.id}/${line['id']}`);
    expect(whole.status).toBe(200);
    const text = JSON.stringify(whole.body);
    expect(text).toContain('"deep":[1,{"a":null}]');
    expect(text).toContain('ü 日本 🎉');
    expect((await rig.admin.get(`decisions/${machine.id}/nothing`)).status).toBe(404);
  });

  test('every page once, also while more arrive', async () => {
    const machine = await rig.machine();
    const session = unique('s');
    // All at the same instant: the cursor has to tell them apart.
    const at = '2026-03-01T10:00:00.123Z';
    const sent = Array.from({ length: 23 }, () => decision({ session, at }));
    await send(machine, sent);
    const seen: string[] = [];
    let next: string | null = null;
    do {
      const cursor: string = next === null ? '' : `&before=${encodeURIComponent(next)}`;
      const page = await list(`session=${session}&limit=5${cursor}`);
      expect(page.items.length).toBeLessThanOrEqual(5);
      seen.push(...page.items.map(({ id }) => id));
      next = page.next;
      await send(machine, [decision({ session })]);
    } while (next !== null);
    expect(seen.toSorted()).toEqual(sent.map((line) => String(line['id'])).toSorted());
  });

  test('filters: rule, session, held', async () => {
    const machine = await rig.machine();
    const session = unique('s');
    const rule = unique('rule');
    const verdicts = [
      {
        guard: 'gates',
        verdict: 'deny',
        grounds: [
          { rule: 'other', fact: '' },
          { rule, fact: '' },
        ],
      },
    ];
    await send(machine, [
      decision({ session, verdicts, decision: 'deny' }),
      decision({ session, decision: 'nothing', verdicts: [] }),
      decision({ session, decision: 'ask' }),
      decision({ session, decision: 'hold' }),
      decision({ session, decision: 'advise', verdicts }),
    ]);
    const kinds = async (query: string) => (await list(query)).items.map((item) => item['kind']).toSorted();
    expect(await kinds(`session=${session}`)).toHaveLength(5);
    expect(await kinds(`session=${session}&held=1`)).toEqual(['ask', 'deny', 'hold']);
    expect(await kinds(`rule=${rule}`)).toEqual(['advise', 'deny']);
    expect(await kinds(`rule=${rule}&held=1`)).toEqual(['deny']);
    expect(await kinds(`rule=${rule}&session=none`)).toEqual([]);
  });

  test('queries that make no sense are answered, not crashed on', async () => {
    for (const query of [
      'limit=0',
      'limit=-1',
      'limit=x',
      'limit=1e9',
      'before=x',
      'before=',
      "rule='",
      'held=2',
    ]) {
      const { status } = await rig.admin.get(`decisions?${query}`);
      expect([query, status]).toEqual([query, expect.toBeOneOf([200, 400, 422])]);
    }
    expect((await rig.admin.get('rules?since=yesterday')).status).toBeOneOf([200, 400, 422]);
  });

  test('not JSON 400, wrong shape 422, and nothing sent before is lost', async () => {
    const machine = await rig.machine();
    const session = unique('s');
    await send(machine, [decision({ session })]);
    for (const raw of ['', '{', 'x=1', '{"decisions":[}', '\u0000']) {
      const { status, body } = await call(rig.url, '/api/v1/decisions', { headers: machine.headers, raw });
      expect([raw, status]).toEqual([raw, 400]);
      expect(body.error.message).toEqual(expect.any(String));
    }
    const { id: _, ...nameless } = decision();
    const shapes = [null, [], 'x', {}, { decisions: {} }, { decisions: [1] }, { decisions: [nameless] }];
    const lines = [
      { id: 7 },
      { id: '' },
      { at: 'noon' },
      { at: 5 },
      { project: 'x' },
      { project: { id: 5 } },
    ];
    for (const json of [...shapes, ...lines.map((fields) => ({ decisions: [decision(fields)] }))]) {
      const { status, body } = await machine.send('POST', 'decisions', json);
      expect([json, status]).toEqual([json, 422]);
      expect(body.error.message).toEqual(expect.any(String));
    }
    expect((await list(`session=${session}`)).items).toHaveLength(1);
    expect((await send(machine, [])).body).toMatchObject({ accepted: 0, known: 0 });
  });

  test('text that a database cannot hold does not stop a machine for good', async () => {
    const machine = await rig.machine();
    const session = unique('s');
    const odd = ['a\u0000b', '\ud800', '\udc00x', '\\u0000', '￿'];
    for (const text of odd) {
      const line = decision({ session, note: text, tool: text });
      const { status } = await send(machine, [line, decision({ session })]);
      expect([text, status]).toEqual([text, 200]);
    }
    expect((await list(`session=${session}`)).items).toHaveLength(2 * odd.length);
  });

  test('sessions are kept from decisions and from what a machine says of them', async () => {
    const machine = await rig.machine();
    const [id, told] = [unique('s'), unique('s')];
    const at = new Date().toISOString();
    await send(machine, [decision({ session: id })]);
    const sessions = [
      { id: told, project: PROJECT, branch: 'x', host: 'codex', model: 'm1', doing: 'tests', at },
    ];
    expect((await machine.post('sessions', { sessions })).status).toBeOneOf([200, 204]);
    const find = async (session: string) =>
      (await rig.admin.get('sessions')).body.items.find((item) => item.id === session);
    expect(await find(id)).toMatchObject({
      project: PROJECT,
      branch: 'main',
      host: 'claude-code',
      endedAt: null,
    });
    expect((await find(id))?.['heldBy']).toEqual(['commit_plan']);
    expect(await find(told)).toMatchObject({ branch: 'x', host: 'codex', model: 'm1', doing: 'tests' });
    await send(machine, [decision({ session: id, decision: 'nothing', verdicts: [] })]);
    expect((await find(id))?.['heldBy']).toEqual([]);
    expect((await machine.post('sessions', { sessions: 'x' })).status).toBe(422);
  });

  test('rules count what held, and what was marked', async () => {
    const machine = await rig.machine();
    const rule = unique('rule');
    const verdicts = [{ guard: 'requirements', verdict: 'deny', grounds: [{ rule, fact: '' }] }];
    const lines = [decision({ verdicts }), decision({ verdicts })];
    await send(machine, lines);
    const find = async () =>
      (await rig.admin.get('rules?since=30d')).body.items.find((item) => item['rule'] === rule);
    expect(await find()).toMatchObject({ rule, held: 2, falseAlarms: 0 });
    const path = `decisions/${machine.id}/${lines[0]?.['id']}/mark`;
    expect((await rig.admin.post(path, { mark: 'false-alarm' })).status).toBeOneOf([200, 204]);
    expect((await rig.admin.post(path, { mark: 'false-alarm' })).status).toBeOneOf([200, 204]);
    expect(await find()).toMatchObject({ held: 2, falseAlarms: 1 });
    expect((await rig.admin.post(path, { mark: null })).status).toBeOneOf([200, 204]);
    expect(await find()).toMatchObject({ falseAlarms: 0 });
    expect((await rig.admin.post(path, { mark: 'nice' })).status).toBe(422);
    expect((await rig.admin.post(`decisions/${machine.id}/nothing/mark`, { mark: 'right' })).status).toBe(
      404,
    );
    const viewer = await rig.person('viewer');
    expect((await viewer.post(path, { mark: 'right' })).status).toBe(403);
  });

  test('rules count what only warned or was in shadow mode, and marks given on the machine', async () => {
    const machine = await rig.machine();
    const [loud, mild, quiet] = [unique('loud'), unique('mild'), unique('quiet')];
    const spoke = (verdict: string, rule: string, more = {}) => ({
      guard: 'requirements',
      verdict,
      grounds: [{ rule, fact: '', ...more }],
    });
    const shadow = { ...spoke('shadow', quiet), would: 'deny' };
    const marked = decision({ decision: 'nothing', verdicts: [shadow] });
    const beside = decision({
      verdicts: [spoke('deny', loud), spoke('advise', mild, { mode: 'warn' }), shadow],
    });
    await send(machine, [
      beside,
      decision({ decision: 'advise', verdicts: [spoke('advise', mild, { mode: 'warn' })] }),
      marked,
    ]);
    const find = async (rule: string) =>
      (await rig.admin.get('rules?since=30d')).body.items.find((item) => item['rule'] === rule);
    expect(await find(loud)).toMatchObject({ held: 1, warned: 0, shadowed: 0 });
    expect(await find(mild)).toMatchObject({ held: 0, warned: 1, shadowed: 0 });
    expect(await find(quiet)).toMatchObject({ held: 0, warned: 0, shadowed: 2, falseAlarms: 0 });
    const mark = (as: string, second: number) =>
      decision({
        at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
        host: 'command line',
        event: 'mark',
        actor: 'person',
        decision: 'nothing',
        verdicts: [],
        marked: { id: marked['id'], as },
      });
    await send(machine, [mark('false-alarm', 2), mark('right', 1)]);
    expect(await find(quiet)).toMatchObject({ falseAlarms: 1 });
    await send(machine, [mark('right', 3), mark('nonsense', 4)]);
    expect(await find(quiet)).toMatchObject({ falseAlarms: 0 });
    // Next to a hold that people saw, a rule in shadow mode is not meant.
    await send(machine, [{ ...mark('false-alarm', 5), marked: { id: beside['id'], as: 'false-alarm' } }]);
    expect(await find(loud)).toMatchObject({ falseAlarms: 1 });
    expect(await find(quiet)).toMatchObject({ falseAlarms: 0 });
  });

  test('a clock that is fast, and then set right, hides nothing', async () => {
    const [fast, other] = [await rig.machine(), await rig.machine()];
    const session = unique('s');
    const ahead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
    await send(fast, [decision({ session, at: ahead(24 * 60) })]);
    await send(other, [decision({ session: unique('s'), at: ahead(0.2) })]);
    const { items } = (await rig.admin.get('decisions?limit=1')).body;
    expect(items[0]?.machine).toMatchObject({ id: other.id });
    const find = async () => (await rig.admin.get('sessions')).body.items.find(({ id }) => id === session);
    expect((await find())?.['heldBy']).toEqual(['commit_plan']);
    await send(fast, [decision({ session, decision: 'nothing', verdicts: [] })]);
    expect((await find())?.['heldBy']).toEqual([]);
  });

  test('every list has items and next', async () => {
    for (const path of ['waiting', 'sessions', 'decisions', 'rules', 'runs']) {
      const { status, body } = await rig.admin.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(Array.isArray(body.items)).toBe(true);
      expect(body).toHaveProperty('next');
    }
  });
});
