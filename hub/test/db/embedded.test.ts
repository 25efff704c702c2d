import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { temporaryDirectory } from '../processes.mjs';
import { type Built, builtDatabases, newData, openModule } from './built.js';

const kills = Number(process.env['HUB_TEST_KILLS'] ?? 3);
const ends: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Embedded = Awaited<ReturnType<Built['openEmbedded']>>;

async function opened(data?: string): Promise<Embedded> {
  const { openEmbedded } = await builtDatabases();
  const db = await openEmbedded(data ?? (await newData()));
  ends.push(() => db.close());
  return db;
}

/** Says what the database has, then writes one row after the other and says each number once it is acknowledged. */
const writer = `
const { openDatabase } = await import(process.argv[1]);
const db = await openDatabase({ data: process.argv[2] });
const [{ count, last }] = await db.query("select count(*), coalesce(max(subject::int), 0) as last from audit");
process.stdout.write(JSON.stringify({ count, last }) + '\\n');
for (let n = last + 1; ; n++) {
  await db.query("insert into audit (actor, action, subject) values ('a', 'b', $1)", [String(n)]);
  process.stdout.write(n + '\\n');
}`;

function startWriter(data: string): { child: ChildProcess; lines: string[]; first: Promise<unknown> } {
  const args = ['--input-type=module', '-e', writer, pathToFileURL(openModule).href, data];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  ends.push(async () => child.kill('SIGKILL'));
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The writer ended with ${code}.`);
  });
  const first = Promise.race([once(reader, 'line'), ended]);
  // Those who kill it first do not wait for its first line.
  first.catch(() => {});
  return { child, lines, first };
}

async function killed(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

test('each commit is synced to the disk', async () => {
  const db = await opened();
  const before = await db.syncs();
  for (let n = 0; n < 20; n++)
    await db.query(`insert into audit (actor, action, subject) values ('a', 'b', 'c')`);
  expect(await db.syncs()).toBeGreaterThanOrEqual(before + 20);
  const names = ['fsync', 'wal_sync_method', 'synchronous_commit', 'full_page_writes'];
  const shown = await Promise.all(names.map((name) => db.query(`show ${name}`)));
  expect(Object.assign({}, ...shown.flat())).toEqual({
    fsync: 'on',
    wal_sync_method: 'fsync',
    synchronous_commit: 'on',
    full_page_writes: 'on',
  });
});

test('maintenance vacuums what was written and keeps the log of changes small', async () => {
  const data = await newData();
  const db = await opened(data);
  for (let turn = 0; turn < 6; turn++) {
    await db.query(
      `insert into decisions (machine_id, id, at, project_id, kind, held, body)
       select 'm', $1 || n, now(), 'p', 'deny', true, jsonb_build_object('text', repeat('x', 900))
       from generate_series(1, 4000) n`,
      [String(turn)],
    );
    await db.query('delete from decisions where id not like $1', [`${turn}%`]);
    await db.maintain();
  }
  const [row] = await db.query<{ dead: number; vacuumed: Date; bytes: number }>(
    `select n_dead_tup as dead, last_vacuum as vacuumed, pg_total_relation_size('decisions') as bytes
     from pg_stat_user_tables where relname = 'decisions'`,
  );
  expect(row?.dead).toBe(0);
  expect(row?.vacuumed).toBeInstanceOf(Date);
  // 24,000 rows were written; without vacuum they would take six times the space of the last 4,000.
  expect(row?.bytes).toBeLessThan(40_000_000);
  const wal = join(data, 'db', 'pg_wal');
  const sizes = readdirSync(wal).map((name) => statSync(join(wal, name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000_000);
});

test('notices arrive after the commit, not after a rollback', async () => {
  const db = await opened();
  const heard: string[] = [];
  const stop = await db.listen((payload) => heard.push(payload));
  await expect(
    db.tx(async (queries) => {
      await queries.query(`select pg_notify('hub', 'no')`);
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  await db.tx((queries) => queries.query(`select pg_notify('hub', 'yes')`));
  await wait(50);
  await stop();
  await db.query(`select pg_notify('hub', 'late')`);
  await wait(50);
  expect(heard).toEqual(['yes']);
});

test('a directory that holds something else is refused with a sentence', async () => {
  const { openEmbedded } = await builtDatabases();
  const data = await newData();
  writeFileSync(join(data, 'db', 'PG_VERSION'), '12\n');
  await expect(openEmbedded(data)).rejects.toThrow(/^Cannot open the embedded database in .*db: /);
  // The lock is free again.
  expect(existsSync(join(data, 'hub.lock'))).toBe(false);
});

test('killed while it is made, it is made anew', async () => {
  await builtDatabases();
  const data = temporaryDirectory();
  ends.push(async () => rmSync(data, { recursive: true, force: true }));
  for (const pause of [0, 1500]) {
    const { child } = startWriter(data);
    while (!existsSync(join(data, 'db.new')) && child.exitCode === null) await wait(5);
    await wait(pause);
    await killed(child);
    if (existsSync(join(data, 'db'))) break;
  }
  const again = startWriter(data);
  await again.first;
  await killed(again.child);
  expect(existsSync(join(data, 'db.new'))).toBe(false);
  const db = await opened(data);
  expect(await db.query('select count(*) from people')).toEqual([{ count: 0 }]);
}, 300_000);

test(`killed ${kills} times while it writes: no acknowledged row is lost`, async () => {
  const data = await newData();
  let acknowledged = 0;
  for (let turn = 0; turn <= kills; turn++) {
    const { child, lines, first } = startWriter(data);
    await first;
    const { count, last } = JSON.parse(lines[0] ?? '');
    expect(last).toBeGreaterThanOrEqual(acknowledged);
    expect(count).toBe(last);
    await wait(50 + Math.random() * 400);
    await killed(child);
    acknowledged = Math.max(acknowledged, ...lines.slice(1).map(Number));
  }
  expect(acknowledged).toBeGreaterThan(0);
}, 300_000);
