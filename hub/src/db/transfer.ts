import { open, rename, rm } from 'node:fs/promises';
import type { Database, Queries } from './database.js';
import { schemaVersion } from './migrate.js';
import { Refusal } from './refusal.js';

interface Table {
  readonly name: string;
  /** Its primary key, used to read it in batches. */
  readonly key: readonly string[];
}

/** Everything except short-lived rows: sign-ins, attempts and challenges. The private key is in no table. */
const tables: readonly Table[] = [
  { name: 'settings', key: ['key'] },
  { name: 'keys', key: ['id'] },
  { name: 'people', key: ['id'] },
  { name: 'passkeys', key: ['id'] },
  { name: 'invites', key: ['code_hash'] },
  { name: 'machines', key: ['id'] },
  { name: 'projects', key: ['id'] },
  { name: 'decisions', key: ['machine_id', 'id'] },
  { name: 'sessions', key: ['machine_id', 'id'] },
  { name: 'requests', key: ['id'] },
  { name: 'marks', key: ['machine_id', 'decision_id'] },
  { name: 'runs', key: ['machine_id', 'id'] },
  { name: 'audit', key: ['seq'] },
];

export interface Counts {
  /** Rows written to the file, or read from it. */
  readonly rows: number;
  readonly tables: Readonly<Record<string, number>>;
}

export interface Imported extends Counts {
  /** Rows that were not known before. */
  readonly added: number;
}

const kind = 'holdpoint-hub-export';
const version = 1;
const batchRows = 500;
const batchBytes = 4_000_000;

/** Writes all tables to a file that only its owner can read. The file appears only when it is complete. */
export async function exportTo(db: Database, file: string): Promise<Counts> {
  const draft = `${file}.${process.pid}.part`;
  const counts: Record<string, number> = {};
  const out = await open(draft, 'w', 0o600).catch(refuseFor('write', file));
  try {
    const header = { kind, version, schema: schemaVersion, at: new Date().toISOString() };
    await out.write(`${JSON.stringify(header)}\n`);
    for (const table of tables) {
      for await (const rows of batchesOf(db, table)) {
        counts[table.name] = (counts[table.name] ?? 0) + rows.length;
        await out.write(rows.map((row) => `{"table":"${table.name}","row":${row}}\n`).join(''));
      }
    }
    await out.sync();
    await out.close();
    await rename(draft, file).catch(refuseFor('write', file));
  } catch (error) {
    await out.close().catch(() => {});
    await rm(draft, { force: true });
    throw error;
  }
  return { rows: sum(counts), tables: counts };
}

function refuseFor(verb: 'read' | 'write', file: string): (error: unknown) => never {
  return (error) => {
    throw new Refusal(`Cannot ${verb} ${file}: ${error instanceof Error ? error.message : error}.`);
  };
}

/** Rows as JSON text made by the database, because JavaScript loses microseconds and bytea. */
async function* batchesOf(db: Database, { name, key }: Table): AsyncGenerator<string[]> {
  const last = key.map((column) => `${column}::text as last_${column}`);
  const place = key.map((column, index) =>
    column === 'seq' ? `$${index + 1}::text::int8` : `$${index + 1}`,
  );
  let after: string[] | null = null;
  for (;;) {
    const where: string = after ? `where (${key.join()}) > (${place.join()})` : '';
    const rows: Record<string, string>[] = await db.query<Record<string, string>>(
      `select to_jsonb(t)::text as json, ${last.join()} from ${name} t ${where}
       order by ${key.join()} limit ${batchRows}`,
      after ?? [],
    );
    if (rows.length > 0) yield rows.map((row) => row['json'] ?? '');
    const end: Record<string, string> | undefined = rows.at(-1);
    if (!end || rows.length < batchRows) return;
    after = key.map((column) => end[`last_${column}`] ?? '');
  }
}

interface Batch {
  readonly table: string;
  readonly rows: string[];
  bytes: number;
}

/** Adds rows that are not known yet. Each batch is a transaction: an interrupted import can be run again. */
export async function importFrom(db: Database, file: string): Promise<Imported> {
  const counts: Record<string, number> = {};
  let added = 0;
  await prepareKeys(db, await currentKeyIn(file));
  for await (const { table, rows } of batchesIn(file)) {
    counts[table] = (counts[table] ?? 0) + rows.length;
    added += await db.tx((queries) => insertRows(queries, table, rows));
  }
  return { rows: sum(counts), added, tables: counts };
}

async function* batchesIn(file: string): AsyncGenerator<Batch> {
  let batch: Batch | null = null;
  for await (const { table, row } of rowsIn(file)) {
    const text = JSON.stringify(row);
    if (batch && (batch.table !== table || batch.rows.length >= batchRows || batch.bytes > batchBytes)) {
      yield batch;
      batch = null;
    }
    batch ??= { table, rows: [], bytes: 0 };
    batch.rows.push(text);
    batch.bytes += text.length;
  }
  if (batch) yield batch;
}

type Line = { readonly table: string; readonly row: Readonly<Record<string, unknown>> };

async function* rowsIn(file: string): AsyncGenerator<Line> {
  const known = new Set(tables.map(({ name }) => name));
  let number = 0;
  const handle = await open(file, 'r').catch(refuseFor('read', file));
  if (!(await handle.stat()).isFile()) throw new Refusal(`${file} is not an export of a hub.`);
  for await (const text of handle.readLines()) {
    number++;
    const line = parse(text);
    if (number === 1) checkHeader(line, file);
    else if (isLine(line) && known.has(line.table)) yield line;
    else if (text !== '') throw new Refusal(`Line ${number} of ${file} is not a row of an export.`);
  }
  if (number === 0) throw new Refusal(`${file} is empty, so it is not an export of a hub.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null || !('table' in value) || !('row' in value)) return false;
  return typeof value.table === 'string' && typeof value.row === 'object' && value.row !== null;
}

function checkHeader(value: unknown, file: string): void {
  const header = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  if (header['kind'] !== kind) throw new Refusal(`${file} is not an export of a hub.`);
  if (header['version'] !== version || Number(header['schema']) > schemaVersion)
    throw new Refusal(`${file} was written by a later hub. Install a later holdpoint-hub.`);
}

/** Reads only up to the keys, which come early, before anything is changed. Refuses what is not an export. */
export async function currentKeyIn(file: string): Promise<string | null> {
  for await (const { table, row } of rowsIn(file)) {
    if (table === 'keys' && row['retired_at'] === null) return String(row['id']);
    if (table !== 'settings' && table !== 'keys') break;
  }
  return null;
}

/** A hub that no machine has joined drops its own key: nobody has pinned it. */
async function prepareKeys(db: Database, coming: string | null): Promise<void> {
  if (coming === null) return;
  await db.query(
    `delete from keys where id <> $1 and retired_at is null and not exists (select 1 from machines)
     and not exists (select 1 from keys where id = $1)`,
    [coming],
  );
}

/** Names are unique: if another row has the name, part of the id is appended to the imported one. */
const freeName = (table: string) =>
  `case when exists (select 1 from ${table} o where lower(o.name) = lower(r.name) and o.id <> r.id)
   then r.name || '-' || left(r.id, 6) else r.name end`;

/** Only one key is current: if the hub keeps its own, an imported current key is retired. */
const retired = `case when r.retired_at is null and exists
  (select 1 from keys k where k.retired_at is null and k.id <> r.id) then now() else r.retired_at end`;

const changes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  people: { name: freeName('people') },
  machines: { name: freeName('machines') },
  keys: { retired_at: retired },
  // Both hubs count from 1: a number that is taken is replaced.
  audit: {
    seq: `case when exists (select 1 from audit a where a.seq = r.seq) then nextval('audit_seq_seq') else r.seq end`,
  },
};

const sequences: Readonly<Record<string, string>> = {
  decisions: 'decisions_seq_seq',
  audit: 'audit_seq_seq',
};

async function insertRows(queries: Queries, table: string, rows: readonly string[]): Promise<number> {
  const columns = await columnsOf(queries, table);
  const given = columns.map((column) => changes[table]?.[column] ?? `r.${column}`);
  const sequence = sequences[table];
  // Before the rows are inserted, so that a replacement number is not one of theirs.
  if (sequence)
    await queries.query(
      `select setval('${sequence}', greatest((select max(r.seq)
         from jsonb_populate_recordset(null::${table}, $1::text::jsonb) r), (select last_value from ${sequence})))`,
      [`[${rows.join()}]`],
    );
  const known =
    table === 'audit'
      ? `where not exists (select 1 from audit a where a.at = r.at and a.actor = r.actor and a.action = r.action
           and a.subject = r.subject and a.detail = r.detail)`
      : '';
  const [row] = await queries.query<{ count: number }>(
    `with added as (
       insert into ${table} (${columns.join()}) select ${given.join()}
       from jsonb_populate_recordset(null::${table}, $1::text::jsonb) r ${known} on conflict do nothing returning 1
     ) select count(*) from added`,
    [`[${rows.join()}]`],
  );
  return row?.count ?? 0;
}

async function columnsOf(queries: Queries, table: string): Promise<string[]> {
  const rows = await queries.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::text::regclass and attnum > 0
     and not attisdropped order by attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
