import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerRequest, confirmAnswer, pendingAnswers } from '../../src/requests/answer.js';
import { openKeys } from '../../src/requests/keys.js';
import { closeRequest, openRequest } from '../../src/requests/open.js';
import { type TestHub, testHub } from '../people/in-process.js';
import { signedBy } from '../rig.js';

const ada = { id: 'ada', name: 'Ada', role: 'approver' } as const;
let hub: TestHub;
beforeAll(async () => {
  hub = await testHub();
  await hub.db.query(
    `insert into machines (id, name, token_hash, created_at) values ('m', 'm', 'h', now()), ('n', 'n', 'i', now())`,
  );
});
afterAll(() => hub.remove());

let count = 0;
const ask = (fields: Record<string, unknown> = {}) => ({
  decision: `d${count++}`,
  project: { id: 'p', name: 'p' },
  rule: 'deploy',
  description: '',
  scope: 'session',
  session: `s${count++}`,
  branch: 'main',
  since: new Date().toISOString(),
  ...fields,
});
const open = (fields: Record<string, unknown> = {}) => openRequest(hub.db, 'm', ask(fields));
const answer = (id: string, given: 'approve' | 'reject' = 'approve', note = '') =>
  answerRequest(hub.hub, ada, id, { answer: given, note });
const pending = async () => (await pendingAnswers(hub.hub, ['m'])).map(({ delivery }) => delivery);

test('an approval that has ended is not delivered; a rejection is', async () => {
  const [short, rejected] = [await open({ ttl: 60 }), await open({ ttl: 60 })];
  await answer(short.id);
  await answer(rejected.id, 'reject', 'no');
  expect((await pending()).map(({ id }) => id)).toEqual([short.id, rejected.id]);
  hub.pass(61_000);
  expect((await pending()).map(({ id }) => id)).toEqual([rejected.id]);
  await confirmAnswer(hub.hub, 'm', rejected.id);
  expect(await pending()).toEqual([]);
});

test('however many approvals have ended undelivered, the next answer is delivered', async () => {
  await hub.db.query(
    `insert into requests (id, machine_id, decision_id, project_id, rule, description, scope, session, branch, since,
       ttl_seconds, answer, answered_by, answered_at, statement, signature)
     select 'over' || n, 'm', 'over' || n, 'p', 'deploy', '', 'session', 's', 'main', now(), 60, 'approve', 'Ada',
       now() - interval '1 day', '{}', '' from generate_series(1, 500) n`,
  );
  const { id } = await open();
  await answer(id);
  expect((await pending()).map((one) => one.id)).toEqual([id]);
  await confirmAnswer(hub.hub, 'm', id);
});

test('what a person looks at is not changed under their hands', async () => {
  const asked = ask({ digest: 'plan:1', plan: 'one' });
  const first = await openRequest(hub.db, 'm', asked);
  const changes = { files: 1, added: 2, removed: 0, names: ['a'] };
  const same = await openRequest(hub.db, 'm', { ...asked, decision: 'again', plan: 'other', changes });
  expect(same.id).toBe(first.id);
  const [row] = await hub.db.query('select plan, changes from requests where id = $1', [first.id]);
  expect(row).toEqual({ plan: 'one', changes });
  const second = await openRequest(hub.db, 'm', { ...asked, decision: 'new plan', digest: 'plan:2' });
  expect(second.id).not.toBe(first.id);
  await expect(answer(first.id)).rejects.toMatchObject({ status: 409, code: 'closed' });
  await answer(second.id);
  expect((await openRequest(hub.db, 'm', { ...asked, decision: 'new plan' })).answer).toBe('approve');
});

test('taken back and asked for again it waits again; answered it stays answered', async () => {
  const asked = ask();
  const { id } = await openRequest(hub.db, 'm', asked);
  await closeRequest(hub.db, 'm', id);
  await expect(answer(id)).rejects.toMatchObject({ status: 409 });
  expect(await openRequest(hub.db, 'm', asked)).toEqual({ id, answer: null });
  await answer(id, 'reject', 'no');
  await closeRequest(hub.db, 'm', id);
  expect(await openRequest(hub.db, 'm', asked)).toEqual({ id, answer: 'reject' });
  expect((await pending()).map(({ id: one }) => one)).toContain(id);
});

test('the request of another machine is unknown, and one that was revoked gets no answer', async () => {
  const { id } = await openRequest(hub.db, 'n', ask());
  await expect(closeRequest(hub.db, 'm', id)).rejects.toMatchObject({ status: 404 });
  await expect(confirmAnswer(hub.hub, 'm', id)).rejects.toMatchObject({ status: 404 });
  await expect(confirmAnswer(hub.hub, 'n', id)).rejects.toMatchObject({ status: 409, code: 'open' });
  await hub.db.query(`update machines set revoked_at = now() where id = 'n'`);
  await expect(answer(id)).rejects.toMatchObject({ status: 409, code: 'revoked' });
});

test('the statement and the audit are there or neither is', async () => {
  const { id } = await open();
  const broken = {
    ...hub.hub,
    db: {
      ...hub.db,
      tx: ((work) =>
        hub.db.tx((queries) =>
          work({
            query: (sql, values) =>
              sql.includes('into audit') ? Promise.reject(new Error('full')) : queries.query(sql, values),
          }),
        )) as typeof hub.db.tx,
    },
  };
  await expect(answerRequest(broken, ada, id, { answer: 'approve', note: '' })).rejects.toThrow('full');
  const [row] = await hub.db.query('select answer, statement from requests where id = $1', [id]);
  expect(row).toEqual({ answer: null, statement: null });
  await answer(id);
  const audit = await hub.db.query('select actor, action from audit where subject = $1', [id]);
  expect(audit).toEqual([{ actor: 'Ada', action: 'approve' }]);
});

test('a retired key answers nothing; what it signed before stays signed', async () => {
  const { id } = await open();
  await answer(id);
  const old = hub.hub.keys.publicKey;
  const oldId = hub.hub.keys.id;
  const stale = { ...hub.hub, keys: { ...hub.hub.keys, id: oldId } };
  await hub.hub.keys.rotate();
  const delivery = (await pending()).find((one) => one.id === id);
  expect(signedBy(old, delivery?.statement ?? '', delivery?.signature ?? '')).toBe(true);
  const next = await open();
  await expect(answerRequest(stale, ada, next.id, { answer: 'approve', note: '' })).rejects.toMatchObject({
    status: 503,
  });
  await answer(next.id);
  const elsewhere = join(mkdtempSync(join(tmpdir(), 'hub-answers-')), 'hub.key');
  await openKeys(hub.db, { file: elsewhere });
  await expect(answer((await open()).id)).rejects.toMatchObject({ status: 503 });
});

test('a machine that may open no more is refused that one request, as for a conflict, and not told to wait', async () => {
  await hub.db.query(
    `insert into requests (id, machine_id, decision_id, project_id, rule, description, scope, session, branch, since)
     select 'open' || n, 'n', 'open' || n, 'p', 'deploy', '', 'session', 'open' || n, 'main', now()
     from generate_series(1, 500) n`,
  );
  await expect(openRequest(hub.db, 'n', ask())).rejects.toMatchObject({ status: 409, code: 'too-many' });
});
