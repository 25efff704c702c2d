import * as v from 'valibot';
import type { Database, Queries } from '../db/database.js';
import { ApiError } from '../http/errors.js';
import type { Person } from '../http/who.js';
import { audited } from '../people/audit.js';
import { notify } from '../stream/fanout.js';
import type { DecisionRow } from './shape.js';

export const markShape = v.object({ mark: v.nullable(v.picklist(['false-alarm', 'right'])) });

const markedShape = v.object({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  as: v.picklist(['false-alarm', 'right']),
});

export type Mark = v.InferOutput<typeof markShape>['mark'];

/** The author of marks that people set with `holdpoint mark`. */
const AT_TERMINAL = 'terminal';

/** Stores marks that came as journal lines. The latest mark of a decision wins, wherever it was set. */
export async function keepMarks(queries: Queries, rows: readonly DecisionRow[]): Promise<void> {
  const marks = rows.flatMap((row) => {
    const { machine_id, at, host, event, actor, body } = row;
    if (event !== 'mark' || host !== 'command line' || actor === 'agent') return [];
    const read = v.safeParse(markedShape, body['marked']);
    return read.success ? [{ machine_id, at, decision_id: read.output.id, mark: read.output.as }] : [];
  });
  const last = new Map(
    marks.sort((a, b) => (a.at < b.at ? -1 : 1)).map((one) => [`${one.machine_id} ${one.decision_id}`, one]),
  );
  if (last.size === 0) return;
  await queries.query(
    `insert into marks as k (machine_id, decision_id, mark, person_id, at)
     select machine_id, decision_id, mark, $2, at
     from jsonb_to_recordset($1::text::jsonb) as r(machine_id text, decision_id text, mark text, at timestamptz)
     on conflict (machine_id, decision_id) do update
     set mark = excluded.mark, person_id = excluded.person_id, at = excluded.at where k.at <= excluded.at`,
    [JSON.stringify([...last.values()]), AT_TERMINAL],
  );
}

/** Marks whether a hold was right; null removes the mark. */
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
    await notify(queries, {
      kind: 'decisions',
      count: 1,
      rows: [[machine, id]],
      sessionCount: 0,
      sessions: [],
    });
  });
}
