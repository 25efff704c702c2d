import type { Queries } from '../db/database.js';

/** Appends to the audit, in the transaction that makes the change. `actor` is a person's name, `machine NAME` or `command line`. */
export async function audited(
  queries: Queries,
  actor: string,
  action: string,
  subject: string,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await queries.query(
    'insert into audit (at, actor, action, subject, detail) values (now(), $1, $2, $3, $4)',
    [actor, action, subject, detail],
  );
}
