import type { Database } from '../db/database.js';
import { ApiError } from '../http/errors.js';

const limit = 10;
const span = 5 * 60 * 1000;

/**
 * Counts a sign-in as failed before it is checked, so that many at once cannot get around the limit. The
 * returned function clears the count after a success.
 */
export async function countAttempt(
  db: Database,
  name: string,
  address: string,
  now: Date,
): Promise<() => Promise<void>> {
  const who = name.toLowerCase();
  await db.tx(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(hashtext($1))', [`attempt ${who} ${address}`]);
    await tx.query('delete from attempts where at <= $1', [new Date(now.getTime() - span)]);
    const rows = await tx.query<{ readonly at: Date }>(
      'select at from attempts where name = $1 and address = $2 order by at desc limit $3',
      [who, address, limit],
    );
    const oldest = rows[limit - 1];
    if (oldest) throw tooMany(oldest.at.getTime() + span - now.getTime());
    await tx.query('insert into attempts (name, address, at) values ($1, $2, $3)', [who, address, now]);
  });
  return async () => {
    await db.query('delete from attempts where name = $1 and address = $2', [who, address]);
  };
}

function tooMany(milliseconds: number): ApiError {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return new ApiError(429, 'too-many', `Too many failed attempts. Try again in ${seconds} seconds.`, {
    'retry-after': String(seconds),
  });
}
