import { describe, expect, test } from 'vitest';
import { runHub } from './processes.mjs';
import {
  type Answer,
  approvalRequest,
  type Follower,
  type Machine,
  PROJECT,
  SERVED,
  signedBy,
  unique,
  useHub,
} from './rig.js';

interface Approval {
  id: string;
  answer: string;
  note: string | null;
  statement: string;
  signature: string;
  key: string;
}

describe.each(SERVED)('requests, %s', (storage) => {
  const rig = useHub(storage);

  const open = async (machine: Machine, fields: Record<string, unknown> = {}): Promise<string> => {
    const { status, text, body } = await machine.post('requests', approvalRequest(fields));
    expect([text, status]).toEqual([text, 200]);
    return body.id;
  };
  const answer = (id: string, given: string, note?: string) =>
    rig.admin.post(`requests/${id}`, { answer: given, ...(note === undefined ? {} : { note }) });
  const waits = async (id: string) =>
    (await rig.admin.get('waiting')).body.items.find((item) => item.id === id);
  const approvalOf = async (stream: Follower, id: string): Promise<Approval> => {
    const { data } = await stream.next(({ event, data }) => event === 'approval' && data['id'] === id);
    return data as unknown as Approval;
  };

  test('a request waits, with what a person needs to decide', async () => {
    const machine = await rig.machine();
    const changes = { files: 2, added: 10, removed: 1, names: ['a.ts', 'b.ts'] };
    const asked = approvalRequest({ plan: '1. do it', changes, digest: 'tree:abc', ttl: 60 });
    const { body } = await machine.post('requests', asked);
    expect(body.answer ?? null).toBeNull();
    expect(await waits(body.id)).toMatchObject({
      id: body.id,
      rule: 'deploy',
      description: 'Ask a person before a deploy.',
      project: PROJECT,
      branch: 'main',
      session: asked['session'],
      since: asked['since'],
      scope: 'session',
      plan: '1. do it',
      changes,
      decision: asked['decision'],
    });
    expect(JSON.stringify(await waits(body.id))).toContain(machine.name);
  });

  test('one is open for machine, project, rule and session', async () => {
    const machine = await rig.machine();
    const asked = approvalRequest();
    const ids = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        const again = n % 2 === 0 ? asked : { ...asked, decision: unique('d') };
        return (await machine.post('requests', again)).body.id;
      }),
    );
    expect(new Set(ids).size).toBe(1);
    const others = [
      await open(machine, { ...asked, rule: 'other' }),
      await open(machine, { ...asked, session: unique('s') }),
      await open(machine, { ...asked, project: { id: 'p2', name: 'p2' } }),
      await open(await rig.machine(), asked),
    ];
    expect(new Set([...ids, ...others]).size).toBe(5);
  });

  test('approve: a statement that the pinned key has signed, sent to that machine alone', async () => {
    const [machine, other] = [await rig.machine(), await rig.machine()];
    const [stream, foreign] = [await machine.stream(), await other.stream()];
    const asked = approvalRequest({ digest: 'tree:abc' });
    const { body } = await machine.post('requests', asked);
    const answered = await answer(body.id, 'approve');
    expect(answered.status).toBe(200);
    expect(answered.body).toMatchObject({ id: body.id, answer: 'approve' });
    const approval = await approvalOf(stream, body.id);
    expect(approval).toMatchObject({ answer: 'approve' });
    expect(signedBy(machine.key, approval.statement, approval.signature)).toBe(true);
    expect(signedBy(machine.key, `${approval.statement} `, approval.signature)).toBe(false);
    expect(approval.statement).not.toContain('\n');
    expect(JSON.parse(approval.statement)).toEqual({
      v: 1,
      kind: 'approval',
      request: body.id,
      machine: machine.id,
      project: PROJECT.id,
      rule: 'deploy',
      scope: 'session',
      session: asked['session'],
      branch: 'main',
      digest: 'tree:abc',
      answer: 'approve',
      by: 'ada',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      until: null,
      nonce: expect.stringMatching(/^[0-9a-f]{16,}$/),
    });
    expect(await waits(body.id)).toBeUndefined();
    expect(foreign.of('approval')).toEqual([]);
    stream.close();
    foreign.close();
  });

  test('the end of an approval stands in the statement; a digest only where asked', async () => {
    const machine = await rig.machine();
    const stream = await machine.stream();
    const id = await open(machine, { ttl: 3600 });
    await answer(id, 'approve');
    const statement = JSON.parse((await approvalOf(stream, id)).statement);
    expect(Date.parse(statement.until) - Date.parse(statement.at)).toBe(3_600_000);
    expect(statement).not.toHaveProperty('digest');
    for (const ttl of [0, -1, 'x', 1.5]) {
      const { status } = await machine.post('requests', approvalRequest({ ttl }));
      expect([ttl, status]).toEqual([ttl, 422]);
    }
    stream.close();
  });

  test('reject: the note is signed and sent, the next attempt opens a new request', async () => {
    const machine = await rig.machine();
    const stream = await machine.stream();
    const asked = approvalRequest();
    const { body } = await machine.post('requests', asked);
    const note = 'Not on a Friday: "wait" – ü';
    expect((await answer(body.id, 'reject', note)).body).toMatchObject({ answer: 'reject' });
    const approval = await approvalOf(stream, body.id);
    expect(approval).toMatchObject({ answer: 'reject', note });
    expect(JSON.parse(approval.statement)).toMatchObject({ answer: 'reject', note, request: body.id });
    expect(signedBy(machine.key, approval.statement, approval.signature)).toBe(true);
    const again = await machine.post('requests', asked);
    expect(again.body).toMatchObject({ id: body.id, answer: 'reject' });
    const next = await machine.post('requests', { ...asked, decision: unique('d') });
    expect(next.body.id).not.toBe(body.id);
    expect(next.body.answer ?? null).toBeNull();
    stream.close();
  });

  test('sent again after its answer it stays answered', async () => {
    const machine = await rig.machine();
    const asked = approvalRequest();
    const { body } = await machine.post('requests', asked);
    await answer(body.id, 'approve');
    const again = await machine.post('requests', asked);
    expect(again.body).toMatchObject({ id: body.id, answer: 'approve' });
    expect(await waits(body.id)).toBeUndefined();
  });

  test('one answer counts: 409 for the others', async () => {
    const machine = await rig.machine();
    const id = await open(machine);
    const answers = await Promise.all(
      ['approve', 'reject', 'approve', 'reject', 'approve'].map((given) => answer(id, given)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
    const late = await answer(id, 'approve');
    expect(late.status).toBe(409);
    expect(late.body.error.message).toEqual(expect.any(String));
    const { body } = await machine.get('approvals');
    const given = body.items.filter((item) => item.id === id);
    expect(given).toHaveLength(1);
    expect(given[0]?.['answer']).toBe(answers.find(({ status }) => status === 200)?.body.answer);
  });

  test('answers that make no sense', async () => {
    const id = await open(await rig.machine());
    for (const json of [{}, { answer: 'yes' }, { answer: null }, [], { answer: 'reject', note: 5 }]) {
      const { status } = await rig.admin.send('POST', `requests/${id}`, json);
      expect([json, status]).toEqual([json, 422]);
    }
    expect((await answer('nothing', 'approve')).status).toBe(404);
    const machine = await rig.machine();
    const { rule: _, ...ruleless } = approvalRequest();
    for (const json of [{}, ruleless, approvalRequest({ rule: 5 }), approvalRequest({ since: 'noon' })]) {
      const { status } = await machine.send('POST', 'requests', json);
      expect([json, status]).toEqual([json, 422]);
    }
    expect(await waits(id)).toBeDefined();
  });

  test('only an approver answers', async () => {
    const id = await open(await rig.machine());
    const viewer = await rig.person('viewer');
    expect((await viewer.post(`requests/${id}`, { answer: 'approve' })).status).toBe(403);
    expect((await viewer.get('waiting')).status).toBe(200);
    const approver = await rig.person('approver');
    expect((await approver.post(`requests/${id}`, { answer: 'approve' })).status).toBe(200);
    const { items } = (await rig.admin.get('audit')).body;
    expect(JSON.stringify(items)).toContain(approver.name);
    expect(JSON.stringify(items)).toContain(id);
  });

  test('closed by its machine it waits no more and takes no answer', async () => {
    const [machine, other] = [await rig.machine(), await rig.machine()];
    const asked = approvalRequest();
    const { body } = await machine.post('requests', asked);
    expect((await other.post(`requests/${body.id}/close`)).status).toBeOneOf([403, 404]);
    expect(await waits(body.id)).toBeDefined();
    expect((await machine.post(`requests/${body.id}/close`)).status).toBeOneOf([200, 204]);
    expect(await waits(body.id)).toBeUndefined();
    expect((await answer(body.id, 'approve')).status).toBe(409);
    const next = await machine.post('requests', { ...asked, decision: unique('d') });
    expect(next.body.id).not.toBe(body.id);
  });

  test('a machine that was away finds its answers, until it has confirmed them', async () => {
    const [machine, other] = [await rig.machine(), await rig.machine()];
    const ids = [await open(machine), await open(machine)];
    for (const id of ids) await answer(id, 'approve');
    const mine = async () => (await machine.get('approvals')).body.items;
    const found = (await mine()) as unknown as Approval[];
    expect(found.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const { statement, signature } of found)
      expect(signedBy(machine.key, statement, signature)).toBe(true);
    expect(new Set(found.map(({ statement }) => JSON.parse(statement).nonce)).size).toBe(2);
    expect((await other.get('approvals')).body.items).toEqual([]);
    expect((await other.post(`requests/${ids[0]}/received`)).status).toBeOneOf([403, 404]);
    expect((await machine.post(`requests/${ids[0]}/received`)).status).toBe(204);
    expect((await machine.post(`requests/${ids[0]}/received`)).status).toBe(204);
    expect((await mine()).map(({ id }) => id)).toEqual([ids[1]]);
  });

  test('rotation: the new key is signed by the old one, and signs from then on', async () => {
    const machine = await rig.machine();
    const stream = await machine.stream();
    let pinned = machine.key;
    for (let turn = 1; turn <= 2; turn++) {
      const { code, stderr } = await runHub(['rotate-key', ...rig.where], { home: rig.home });
      expect([stderr, code]).toEqual([stderr, 0]);
      await stream.next(() => stream.of('key').length >= turn);
      const { statement, signature } = (stream.of('key')[turn - 1]?.data ?? {}) as Record<string, string>;
      expect(signedBy(pinned, statement ?? '', signature ?? '')).toBe(true);
      const said = JSON.parse(statement ?? '');
      expect(said).toMatchObject({ v: 1, kind: 'key', key: expect.any(String), at: expect.any(String) });
      expect(said.key).not.toBe(pinned);
      pinned = said.key;
    }
    const id = await open(machine);
    await answer(id, 'approve');
    const approval = await approvalOf(stream, id);
    expect(signedBy(pinned, approval.statement, approval.signature)).toBe(true);
    expect(signedBy(machine.key, approval.statement, approval.signature)).toBe(false);

    const keys = (await machine.get('keys')).body as unknown as {
      key: string;
      chain: { statement: string; signature: string }[];
    };
    expect(keys.key).toBe(pinned);
    let trusted = machine.key;
    for (const { statement, signature } of keys.chain)
      if (signedBy(trusted, statement, signature)) trusted = JSON.parse(statement).key;
    expect(trusted).toBe(pinned);
    expect((await rig.machine()).key).toBe(pinned);
    stream.close();
  });

  test('every error has a code and a sentence', async () => {
    const machine = await rig.machine();
    const id = await open(machine);
    await answer(id, 'approve');
    const wrong: Answer[] = [
      await answer(id, 'approve'),
      await answer('nothing', 'approve'),
      await machine.post('requests', {}),
      await machine.post('requests/nothing/close'),
      await machine.post('requests/nothing/received'),
    ];
    for (const { status, body } of wrong) {
      expect(status).toBeOneOf([404, 409, 422]);
      expect(body.error).toEqual({
        code: expect.any(String),
        message: expect.stringMatching(/\w+ .*[.?!]$/),
      });
    }
  });
});
