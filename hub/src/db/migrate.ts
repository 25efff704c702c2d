import type { Database } from './database.js';
import { first } from './migrations/1.js';
import { toldAndShadowed } from './migrations/2.js';
import { Refusal } from './refusal.js';

/** Version 1 is the first entry. Entries are appended, never changed. */
const migrations: readonly (readonly string[])[] = [first, toldAndShadowed];

export const schemaVersion = migrations.length;

/** Arbitrary, but the same for all hubs: they wait for each other before they read the version. */
const lockNumber = 4_610_001;

/** Migrates the tables to this version in one transaction. Refuses a database of a later version. */
export async function migrate(db: Database, steps = migrations): Promise<void> {
  await db.tx(async (queries) => {
    await queries.query('select pg_advisory_xact_lock($1)', [lockNumber]);
    await queries.query(
      'create table if not exists schema_version (version int primary key, at timestamptz)',
    );
    const [row] = await queries.query<{ version: number }>(
      'select coalesce(max(version), 0) as version from schema_version',
    );
    const found = row?.version ?? 0;
    if (found > steps.length)
      throw new Refusal(
        `The database has version ${found}, this hub knows versions up to ${steps.length}. Install a later holdpoint-hub.`,
      );
    for (const [index, statements] of steps.entries()) {
      if (index < found) continue;
      for (const statement of statements) await queries.query(statement);
      await queries.query('insert into schema_version (version, at) values ($1, now())', [index + 1]);
    }
  });
}
