import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, missed } from '../../src/db/database.js';
import { migrate, schemaVersion } from '../../src/db/migrate.js';
import { openPostgres } from '../../src/db/postgres.js';
import { dropDatabase, freshDatabase, sql } from '../processes.mjs';
import { postgres, STORAGES } from '../rig.js';
import { builtDatabases, newData } from './built.js';

let url = '';

async function onBoth(storage: string): Promise<{ db: Database; end: () => Promise<void> }> {
  if (storage === 'embedded') {
    const data = await newData();
    const db = await (await builtDatabases()).openEmbedded(data);
    const end = async () => {
      await db.close();
      rmSync(data, { recursive: true, force: true });
    };
    return { db, end };
  }
  url = await freshDatabase(postgres());
  const db = await openPostgres(url);
  const end = async () => {
    await db.close();
    await dropDatabase(postgres(), url);
  };
  return { db, end };
}

describe.each(STORAGES)('database, %s', (storage) => {
  let db: Database;
  let end: () => Promise<void> = async () => {};
  beforeAll(async () => {
    ({ db, end } = await onBoth(storage));
    await migrate(db);
  });
  afterAll(() => end());

  const setting = (key: string) => db.query('select key from settings where key = $1', [key]);

  test('values come back as they went in', async () => {
    const given = [
      ['a"b\\c', '', 'NULL', '{x,y}', 'ü\n'],
      { text: 'ü', list: [1, { deep: null }] },
      new Uint8Array([0, 1, 255]),
      new Date('2026-02-03T04:05:06.789Z'),
      true,
      9_007_199_254_740_991,
      null,
    ] as const;
    const rows = await db.query(
      `select $1::text[] as list, $2::jsonb as object, $3::bytea as bytes, $4::timestamptz as at, $5::boolean as yes,
         $6::int8 as big, $7::text as nothing, count(*) as count, 1.5::numeric as half, date '2026-01-02' as day
       from people`,
      given,
    );
    const [list, object, bytes, at, yes, big, nothing] = given;
    const expected = { list, object, at, yes, big, nothing, count: 0, half: 1.5, day: '2026-01-02' };
    expect(rows).toEqual([{ ...expected, bytes: expect.anything() }]);
    expect([...((rows[0]?.['bytes'] ?? []) as Uint8Array)]).toEqual([...bytes]);
  });

  test('a transaction is kept whole or not at all', async () => {
    const insert = `insert into settings (key, value) values ($1, '{}')`;
    await db.tx((queries) => queries.query(insert, ['kept']));
    const failing = db.tx(async (queries) => {
      await queries.query(insert, ['dropped']);
      await queries.query(insert, ['kept']);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505', constraint: 'settings_pkey' });
    // An error that was swallowed does not make it a success.
    const swallowed = db.tx(async (queries) => {
      await queries.query(insert, ['swallowed']);
      await queries.query(insert, ['kept']).catch(() => {});
    });
    await expect(swallowed).rejects.toThrow('rolled back');
    expect(await setting('kept')).toHaveLength(1);
    expect(await setting('dropped')).toEqual([]);
    expect(await setting('swallowed')).toEqual([]);
    const nested = db.tx(() => db.query('select 1'));
    await expect(nested).rejects.toThrow("the transaction's own queries");
  });

  test('many at once', async () => {
    await db.query(`insert into settings (key, value) values ('count', '{"n":0}')`);
    const add = () =>
      db.tx(async (queries) => {
        const [row] = await queries.query<{ value: { n: number } }>(
          `select value from settings where key = 'count' for update`,
        );
        await queries.query(`update settings set value = $1 where key = 'count'`, [
          { n: (row?.value.n ?? 0) + 1 },
        ]);
      });
    await Promise.all(Array.from({ length: 30 }, add));
    expect(await db.query(`select value from settings where key = 'count'`)).toEqual([{ value: { n: 30 } }]);
  });

  test('the audit is only appended to', async () => {
    await db.query(`insert into audit (actor, action, subject) values ('a', 'b', 'c')`);
    for (const change of [`update audit set actor = 'x'`, 'delete from audit', 'truncate audit'])
      await expect(db.query(change)).rejects.toThrow('only ever appended');
    expect(await db.query('select actor from audit')).toEqual([{ actor: 'a' }]);
  });

  test('one open request for machine, project, rule and session', async () => {
    const open = (id: string, decision: string) =>
      db.query(
        `insert into requests (id, machine_id, decision_id, project_id, rule, since) values ($1, 'm', $2, 'p', 'r', now())`,
        [id, decision],
      );
    await open('1', 'a');
    await expect(open('2', 'b')).rejects.toMatchObject({ constraint: 'requests_open' });
    await db.query(`update requests set closed_at = now() where id = '1'`);
    await open('2', 'b');
    await expect(open('3', 'a')).rejects.toMatchObject({ code: '23505' });
  });

  test('migrations: one transaction, once, in order; a later version is refused', async () => {
    const steps = Array.from({ length: schemaVersion }, () => []);
    const next = [...steps, ['create table extra (id int)']];
    await expect(migrate(db, [...next, ['create table more (id int)', 'nonsense']])).rejects.toThrow();
    expect(await db.query(`select to_regclass('extra') as extra`)).toEqual([{ extra: null }]);
    await Promise.all([migrate(db, next), migrate(db, next), migrate(db, next)]);
    expect(await db.query('select count(*) from extra')).toEqual([{ count: 0 }]);
    await expect(migrate(db)).rejects.toThrow(`has version ${schemaVersion + 1}`);
  });
});

describe.runIf(STORAGES.includes('postgres'))('a PostgreSQL that goes away', () => {
  test('reads, transactions and listeners find it again', async () => {
    const { db, end } = await onBoth('postgres');
    const heard: string[] = [];
    await db.listen((payload) => heard.push(payload));
    await db.query('select 1');
    await sql(postgres().url, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      new URL(url).pathname.slice(1),
    ]);
    const [read, written] = await Promise.all([
      db.query('select 1 as one'),
      db.tx((queries) => queries.query('select 2 as two')),
    ]);
    expect([read, written]).toEqual([[{ one: 1 }], [{ two: 2 }]]);
    for (let turn = 0; turn < 100 && !heard.includes(missed); turn++) await wait(50);
    await db.query(`select pg_notify('hub', 'again')`);
    for (let turn = 0; turn < 100 && !heard.includes('again'); turn++) await wait(50);
    expect(heard).toEqual([missed, 'again']);
    await end();
  });
});
