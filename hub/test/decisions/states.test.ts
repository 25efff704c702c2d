import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/db/database.js';
import { openIngest } from '../../src/decisions/ingest.js';
import { ruleStatistics } from '../../src/decisions/rule-statistics.js';
import { saveSessions } from '../../src/decisions/session-reports.js';
import type { Decision } from '../../src/decisions/shape.js';
import type { Hub } from '../../src/hub.js';
import { answerRequest } from '../../src/requests/answer.js';
import { openRequest } from '../../src/requests/open.js';
import { type TestHub, testHub } from '../people/in-process.js';

let test1: TestHub;
let hub: Hub;
beforeAll(async () => {
  test1 = await testHub();
  hub = test1.hub;
  await hub.db.query(`insert into machines (id, name, token_hash, created_at) values ('m', 'm', 'h', now())`);
});
afterAll(() => test1.remove());

const begin = Date.now() - 3600_000;
const time = (seconds: number) => new Date(begin + seconds * 1000).toISOString();
let count = 0;

function line(seconds: number, fields: Record<string, unknown> = {}): Decision {
  return {
    id: `d${count++}`,
    at: time(seconds),
    project: { id: 'p', name: 'p' },
    branch: 'main',
    session: 's',
    host: 'claude-code',
    event: 'PreToolUse',
    tool: 'Edit',
    actor: 'agent',
    channel: 'hook',
    decision: 'nothing',
    ...fields,
  } as Decision;
}

function held(seconds: number, rule: string, fields: Record<string, unknown> = {}): Decision {
  const verdicts = [{ guard: 'requirements', verdict: 'deny', grounds: [{ rule, fact: 'no' }] }];
  return line(seconds, { decision: 'deny', verdicts, ...fields });
}

async function send(...decisions: Decision[]) {
  return openIngest(hub)('m', decisions);
}

async function sessionOf(id: string) {
  const [row] = await hub.db.query<Record<string, unknown>>('select * from sessions where id = $1', [id]);
  return row;
}

test('a session is held since the first of the holds in a row that share a rule', async () => {
  const session = 'since';
  await send(held(1, 'plan', { session }), held(2, 'plan', { session }));
  expect(await sessionOf(session)).toMatchObject({ held_by: ['plan'], held_since: new Date(time(1)) });
  await send(held(3, 'plan', { session }));
  expect(await sessionOf(session)).toMatchObject({ held_by: ['plan'], held_since: new Date(time(1)) });
  await send(held(4, 'tests', { session }));
  expect(await sessionOf(session)).toMatchObject({ held_by: ['tests'], held_since: new Date(time(4)) });
  await send(line(5, { session, decision: 'started' }));
  expect(await sessionOf(session)).toMatchObject({ held_by: ['tests'], held_since: new Date(time(4)) });
  await send(line(6, { session }));
  expect(await sessionOf(session)).toMatchObject({ held_by: [], held_since: null, doing: 'Edit' });
});

test('news that are older than what is known change nothing', async () => {
  const session = 'order';
  await send(line(10, { session, tool: 'Bash' }));
  await send(held(5, 'plan', { session }));
  expect(await sessionOf(session)).toMatchObject({ held_by: [], doing: 'Bash', last_at: new Date(time(10)) });
});

test('a session ends, and goes on where it is resumed', async () => {
  const session = 'end';
  await send(held(1, 'plan', { session }), line(2, { session, event: 'SessionEnd', tool: '' }));
  expect(await sessionOf(session)).toMatchObject({
    held_by: [],
    ended_at: new Date(time(2)),
    doing: 'ended',
  });
  await send(line(3, { session, event: 'SessionStart', tool: '' }));
  expect(await sessionOf(session)).toMatchObject({ ended_at: null, doing: 'starting' });
});

test.each([
  ['command line', 'req satisfy'],
  ['hub', 'approve'],
])('a line of the %s says nothing of the host or of what the agent does', async (host, event) => {
  const session = host;
  await send(held(1, 'plan', { session }));
  await send(line(2, { session, host, event, tool: 'plan', actor: 'person' }));
  expect(await sessionOf(session)).toMatchObject({
    host: 'claude-code',
    doing: 'Edit: held by plan',
    held_by: [],
  });
});

test('what a machine reports beside the decisions counts, also with an older time', async () => {
  const session = 'report';
  const report = (seconds: number, fields: Record<string, unknown> = {}) =>
    saveSessions(hub.db, 'm', [
      {
        id: session,
        project: { id: 'p', name: 'p' },
        branch: 'side',
        host: '',
        at: time(seconds),
        ...fields,
      },
    ]);
  await send(held(10, 'plan', { session }));
  await report(9, { loop: { iteration: 2 }, phase: 'test', model: 'm1', doing: 'tests' });
  expect(await sessionOf(session)).toMatchObject({
    host: 'claude-code',
    branch: 'main',
    loop: { iteration: 2 },
    phase: 'test',
    model: 'm1',
    doing: 'Edit: held by plan',
    held_by: ['plan'],
    last_at: new Date(time(10)),
  });
  await report(11, { doing: 'tests' });
  expect(await sessionOf(session)).toMatchObject({ branch: 'side', loop: null, model: 'm1', doing: 'tests' });
  await report(12, { ended: true });
  expect(await sessionOf(session)).toMatchObject({ held_by: [], ended_at: new Date(time(12)) });
});

test('names that no index holds are cut, and whole in the body', async () => {
  const tool = 'x'.repeat(5000);
  const [one] = [held(1, tool, { session: 'long', tool })];
  await send(one as Decision);
  const [row] = await hub.db.query<{ tool: string; rules: string[]; body: { tool: string } }>(
    `select tool, rules, body from decisions where session = 'long'`,
  );
  expect([row?.tool.length, row?.rules[0]?.length, row?.body.tool]).toEqual([300, 300, tool]);
});

test("a check's first line is replaced by its decision, never the other way around", async () => {
  const started = line(1, { session: 'gates', event: 'Stop', tool: '', decision: 'started' });
  const done = {
    ...started,
    decision: 'hold',
    status: 'failed',
    ms: 1234.5,
    gates: [{ id: 'test' }],
  } as Decision;
  expect(await send(started)).toEqual({ accepted: 1, known: 0 });
  expect(await send(done, started)).toEqual({ accepted: 0, known: 2 });
  const rows = await hub.db.query('select kind from decisions where id = $1', [started.id]);
  expect(rows).toEqual([{ kind: 'hold' }]);
  const [run] = await hub.db.query('select status, ms, checks from runs where id = $1', [started.id]);
  expect(run).toEqual({ status: 'failed', ms: 1235, checks: [{ id: 'test' }] });
});

test('statistics: how long, by whom, how often asked', async () => {
  const project = { id: 'statistics', name: 'Statistics' };
  const of = (fields: Record<string, unknown>) => ({ project, ...fields });
  await send(
    // Two holds that one change ends: one, of 20 s.
    held(0, 'plan', of({ session: 'a' })),
    held(5, 'plan', of({ session: 'a' })),
    line(
      20,
      of({ session: 'a', tool: 'Bash', actor: 'person', changes: ['satisfied other, plan by /plan'] }),
    ),
    // The same call passes after 40 s; another tool's before does not count.
    held(0, 'plan', of({ session: 'b' })),
    line(30, of({ session: 'b', tool: 'Bash' })),
    line(40, of({ session: 'b' })),
    // Never.
    held(0, 'plan', of({ session: 'c', decision: 'ask' })),
    line(9, of({ session: 'c', tool: 'Bash', changes: ['satisfied planner'] })),
    held(0, 'deploy', of({ session: 'd' })),
  );
  const asked = {
    decision: 'x',
    project,
    rule: 'deploy',
    description: '',
    scope: 'session',
    session: 'd',
    branch: 'main',
    since: time(0),
  };
  const { id } = await openRequest(hub.db, 'm', asked);
  await answerRequest(hub, { id: 'ada', name: 'ada', role: 'admin' }, id, { answer: 'approve', note: '' });
  const now = new Date();
  const items = await ruleStatistics(hub.db, { since: new Date(begin - 1000), now, project: 'statistics' });
  const [plan, deploy] = items;
  expect(plan).toEqual({
    rule: 'plan',
    project,
    held: 4,
    warned: 0,
    shadowed: 0,
    asked: 1,
    cleared: { median: 40, p90: 40 },
    by: { person: 1, agent: 1 },
    falseAlarms: 0,
    weeks: [4],
  });
  expect(deploy).toMatchObject({ rule: 'deploy', held: 1, asked: 1, by: { person: 1 } });
  expect(deploy?.cleared.median).toBeGreaterThan(3500);
});

test('a batch that fails does not take down those that arrived with it', async () => {
  let attempts = 0;
  const failing = (error: Error): Database => ({
    ...hub.db,
    tx: (work) => {
      attempts++;
      return hub.db.tx((queries) =>
        work({
          query: (sql, values) =>
            String(values?.[0]).includes('poison') ? Promise.reject(error) : queries.query(sql, values),
        }),
      );
    },
  });
  const sendThree = (error: Error) => {
    const ingest = openIngest({ ...hub, db: failing(error) });
    const batches = [[line(1)], [line(1, { note: 'poison' })], [line(1), line(2)]];
    return Promise.allSettled(batches.map((batch) => ingest('m', batch)));
  };
  expect(await sendThree(Object.assign(new Error('bad text'), { code: '22P05' }))).toMatchObject([
    { status: 'fulfilled', value: { accepted: 1, known: 0 } },
    { status: 'rejected' },
    { status: 'fulfilled', value: { accepted: 2, known: 0 } },
  ]);
  attempts = 0;
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  expect((await sendThree(away)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(attempts).toBe(1);
});
