import { appendFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/db/database.js';
import { migrate } from '../../src/db/migrate.js';
import { openPostgres } from '../../src/db/postgres.js';
import { exportTo, importFrom } from '../../src/db/transfer.js';
import { dropDatabase, freshDatabase, temporaryDirectory } from '../processes.mjs';
import { postgres, STORAGES } from '../rig.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function newDatabase(): Promise<Database> {
  const url = await freshDatabase(postgres());
  ends.push(() => dropDatabase(postgres(), url));
  const db = await openPostgres(url);
  ends.push(() => db.close());
  await migrate(db);
  return db;
}

/** More than one batch of decisions, and of the audit, whose key is a number. */
async function fill(db: Database, hub: string): Promise<void> {
  await db.query(`insert into keys (id, public_key, created_at) values ($1, 'k', now())`, [`sha256:${hub}`]);
  await db.query(`insert into people (id, name, role, created_at) values ($1, 'Ada', 'admin', now())`, [
    `person-${hub}`,
  ]);
  await db.query(
    `insert into passkeys (id, person_id, public_key, counter, created_at) values ($1, $2, '\\x00ff', 5000000000, now())`,
    [`passkey-${hub}`, `person-${hub}`],
  );
  await db.query(`insert into machines (id, name, token_hash, created_at) values ($1, 'laptop', $1, now())`, [
    `machine-${hub}`,
  ]);
  await db.query(
    `insert into decisions (machine_id, id, at, project_id, kind, held, rules, body)
     select $1, 'd' || n, now() - n * interval '1.000001 s', 'p', 'deny', true, array['a"b', 'ü'],
       jsonb_build_object('n', n, 'text', E'\\u00fc \\n')
     from generate_series(1, 1203) n`,
    [`machine-${hub}`],
  );
  await db.query(
    `insert into audit (at, actor, action, subject) select now(), $1, 'b', n::text from generate_series(1, 1100) n`,
    [hub],
  );
}

const tables = ['keys', 'people', 'passkeys', 'machines', 'decisions', 'audit'];

async function digests(db: Database): Promise<unknown[]> {
  const all = tables.map((table) =>
    db.query(
      `select '${table}' as name, count(*), md5(string_agg(t::text, '|' order by t::text)) from ${table} t`,
    ),
  );
  return (await Promise.all(all)).flat();
}

describe.runIf(STORAGES.includes('postgres'))('export and import', () => {
  let file = '';
  beforeEach(() => {
    const directory = temporaryDirectory();
    file = join(directory, 'export.jsonl');
    return () => rmSync(directory, { recursive: true, force: true });
  });

  test('many batches arrive equal, to the microsecond, and once', async () => {
    const [from, to] = [await newDatabase(), await newDatabase()];
    await fill(from, 'one');
    const written = await exportTo(from, file);
    expect(written.tables).toEqual({
      keys: 1,
      people: 1,
      passkeys: 1,
      machines: 1,
      decisions: 1203,
      audit: 1100,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(written.rows + 1);
    expect(await importFrom(to, file)).toMatchObject({ rows: 2307, added: 2307 });
    expect(await digests(to)).toEqual(await digests(from));
    expect(await importFrom(to, file)).toMatchObject({ rows: 2307, added: 0 });
    expect(await digests(to)).toEqual(await digests(from));
    // Numbers go on behind those that came.
    await to.query(`insert into audit (actor, action, subject) values ('a', 'b', 'c')`);
    expect(await to.query('select max(seq) from audit')).toEqual([{ max: 1101 }]);
  });

  test('two hubs become one: equal names and numbers do not collide', async () => {
    const [from, to] = [await newDatabase(), await newDatabase()];
    await fill(from, 'one');
    await fill(to, 'two');
    await exportTo(from, file);
    expect(await importFrom(to, file)).toMatchObject({ added: 2307 });
    expect(await importFrom(to, file)).toMatchObject({ added: 0 });
    const names = await to.query('select name from machines order by name');
    expect(names).toEqual([{ name: 'laptop' }, { name: 'laptop-machin' }]);
    expect(await to.query('select count(*), count(distinct seq) as numbers from audit')).toEqual([
      { count: 2200, numbers: 2200 },
    ]);
    // The hub keeps its own key; machines of the other one join again.
    expect(await to.query('select id from keys where retired_at is null')).toEqual([{ id: 'sha256:two' }]);
  });

  test('a hub that nobody has joined takes over the key of the one that comes', async () => {
    const [from, to] = [await newDatabase(), await newDatabase()];
    await fill(from, 'one');
    await exportTo(from, file);
    await to.query(`insert into keys (id, public_key, created_at) values ('sha256:new', 'n', now())`);
    await importFrom(to, file);
    expect(await to.query('select id from keys')).toEqual([{ id: 'sha256:one' }]);
  });

  test('a line that is no row is named; what came before it stays', async () => {
    const [from, to] = [await newDatabase(), await newDatabase()];
    await fill(from, 'one');
    await exportTo(from, file);
    appendFileSync(file, '{"table":"sign_ins","row":{}}\n');
    await expect(importFrom(to, file)).rejects.toThrow('Line 2309 of');
    await expect(importFrom(to, join(file, 'x'))).rejects.toThrow('Cannot read');
  });
});
