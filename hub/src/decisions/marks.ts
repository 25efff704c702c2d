import * as v from 'valibot';
import type { Database } from '../db/database.js';
import { ApiError } from '../http/errors.js';
import type { Person } from '../http/who.js';
import { audited } from '../people/audit.js';

export const markShape = v.object({ mark: v.nullable(v.picklist(['false-alarm', 'right'])) });

export type Mark = v.InferOutput<typeof markShape>['mark'];

/** Says whether a hold was right; null takes the mark away. */
export async function markDecision(
  db: Database,
  person: Person,
  machine: string,
  id: string,
  mark: Mark,
): Promise<void> {
  await db.tx(async (queries) => {
    const [found] = await queries.query('select 1 from decisions where machine_id = $1 and id = $2', [
      machine,
      id,
    ]);
    if (!found) throw new ApiError(404, 'unknown', 'No such decision.');
    if (mark === null)
      await queries.query('delete from marks where machine_id = $1 and decision_id = $2', [machine, id]);
    else
      await queries.query(
        `insert into marks (machine_id, decision_id, mark, person_id, at) values ($1, $2, $3, $4, now())
         on conflict (machine_id, decision_id) do update
         set mark = excluded.mark, person_id = excluded.person_id, at = excluded.at`,
        [machine, id, mark, person.id],
      );
    await audited(queries, person.name, 'mark', id, { machine, mark });
    await queries.query(`select pg_notify('hub', $1)`, [
      JSON.stringify({ kind: 'decisions', count: 1, rows: [[machine, id]], sessionCount: 0, sessions: [] }),
    ]);
  });
}
