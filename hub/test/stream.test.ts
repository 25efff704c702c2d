import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { approvalRequest, decision, PROJECT, SERVED, unique, useHub } from './rig.js';

describe.each(SERVED)('stream, %s', (storage) => {
  const rig = useHub(storage);

  test('begins with hello, and tells when to come back', async () => {
    for (const client of [await rig.machine(), rig.admin]) {
      const stream = await client.stream();
      expect(stream.stream?.status).toBe(200);
      expect(stream.stream?.headers['content-type']).toMatch(/^text\/event-stream/);
      const hello = await stream.next(() => true);
      expect(hello).toMatchObject({ event: 'hello', data: { version: expect.any(String) } });
      expect(stream.stream?.state.retry).toBe(1000);
      stream.close();
    }
  });

  test('a person sees a request open, its answer, and one that is closed', async () => {
    const machine = await rig.machine();
    const viewer = await rig.person('viewer');
    const stream = await viewer.stream();
    const asked = approvalRequest();
    const { body } = await machine.post('requests', asked);
    const { data } = await stream.next(
      (event) => event.event === 'request' && event.data['id'] === body.id,
      1000,
    );
    expect(data).toMatchObject({ rule: 'deploy', project: PROJECT, session: asked['session'] });
    expect(data['answer'] ?? null).toBeNull();
    await rig.admin.post(`requests/${body.id}`, { answer: 'approve' });
    await stream.next(
      ({ event, data }) => event === 'request' && data['id'] === body.id && data['answer'] === 'approve',
      1000,
    );
    const second = (await machine.post('requests', approvalRequest())).body.id;
    await machine.post(`requests/${second}/close`);
    await stream.next(
      () => stream.of('request').filter(({ data }) => data['id'] === second).length === 2,
      1000,
    );
    stream.close();
  });

  test('a person sees decisions and sessions; a machine only what is its own', async () => {
    const [machine, other] = [await rig.machine(), await rig.machine()];
    const [person, own, foreign] = [await rig.admin.stream(), await machine.stream(), await other.stream()];
    const line = decision({ session: unique('s') });
    await machine.post('decisions', { decisions: [line] });
    const { data } = await person.next(
      ({ event, data }) => event === 'decision' && data['id'] === line['id'],
    );
    expect(data).toMatchObject({ kind: 'deny', rules: ['commit_plan'], project: PROJECT });
    await person.next(({ event, data }) => event === 'session' && data['id'] === line['session']);
    const { body } = await machine.post('requests', approvalRequest());
    await rig.admin.post(`requests/${body.id}`, { answer: 'reject', note: 'no' });
    await own.next(({ event }) => event === 'approval');
    await wait(100);
    expect(own.events.map(({ event }) => event)).toEqual(['hello', 'approval']);
    expect(foreign.events.map(({ event }) => event)).toEqual(['hello']);
    for (const stream of [person, own, foreign]) stream.close();
  });

  test('sent again a decision is not shown again', async () => {
    const machine = await rig.machine();
    const person = await rig.admin.stream();
    const line = decision();
    for (let n = 0; n < 3; n++) await machine.post('decisions', { decisions: [line] });
    const last = decision();
    await machine.post('decisions', { decisions: [last] });
    await person.next(({ data }) => data['id'] === last['id']);
    expect(person.of('decision').filter(({ data }) => data['id'] === line['id'])).toHaveLength(1);
    person.close();
  });

  test('a flood is thinned to 20 rows a second, and says how many were skipped', async () => {
    const machine = await rig.machine();
    await wait(1000);
    const person = await rig.admin.stream();
    await person.next(() => true);
    const begun = Date.now();
    for (let n = 0; n < 5; n++)
      await machine.post('decisions', { decisions: Array.from({ length: 100 }, () => decision()) });
    await person.next(({ data }) => typeof data['skipped'] === 'number', 3000);
    const skipped = () => person.events.reduce((sum, { data }) => sum + Number(data['skipped'] ?? 0), 0);
    const rows = () => person.of('decision').filter(({ data }) => data['id'] !== undefined).length;
    await person.next(() => rows() + skipped() >= 500, 5000);
    expect(rows() + skipped()).toBe(500);
    expect(rows()).toBeLessThanOrEqual(20 * Math.ceil((Date.now() - begun) / 1000 + 1));
    person.close();
  });

  test('fifty streams at once all hear of it', async () => {
    const machine = await rig.machine();
    const streams = await Promise.all(Array.from({ length: 50 }, () => rig.admin.stream()));
    const { body } = await machine.post('requests', approvalRequest());
    await Promise.all(
      streams.map((stream) =>
        stream.next(({ event, data }) => event === 'request' && data['id'] === body.id),
      ),
    );
    for (const stream of streams) stream.close();
  });
});
