import type { Queries } from '../db/database.js';
import { type Page, type Place, pageOf } from '../decisions/cursor.js';
import { notify } from '../stream/fanout.js';

/** A request as stored in the table. */
export interface RequestRow {
  readonly id: string;
  readonly machine_id: string;
  readonly decision_id: string;
  readonly project_id: string;
  readonly rule: string;
  readonly description: string;
  readonly scope: string;
  readonly session: string;
  readonly branch: string;
  readonly digest: string | null;
  readonly ttl_seconds: number | null;
  readonly plan: string | null;
  readonly changes: Record<string, unknown> | null;
  readonly since: Date;
  readonly closed_at: Date | null;
  readonly answer: 'approve' | 'reject' | null;
  readonly note: string | null;
  readonly answered_by: string | null;
  readonly answered_at: Date | null;
  readonly statement: string | null;
  readonly signature: string | null;
}

interface ListRow extends RequestRow {
  readonly machine_name: string | null;
  readonly project_name: string | null;
}

const columns = 'r.*, m.name as machine_name, p.name as project_name';
const joins = 'left join machines m on m.id = r.machine_id left join projects p on p.id = r.project_id';

function itemOf(row: ListRow): object {
  return {
    id: row.id,
    rule: row.rule,
    description: row.description,
    project: { id: row.project_id, name: row.project_name ?? row.project_id },
    branch: row.branch,
    session: row.session,
    machine: { id: row.machine_id, name: row.machine_name ?? row.machine_id },
    since: row.since,
    scope: row.scope,
    digest: row.digest,
    ttl: row.ttl_seconds,
    plan: row.plan,
    changes: row.changes,
    decision: row.decision_id,
    answer: row.answer,
    note: row.note,
    answeredBy: row.answered_by,
    answeredAt: row.answered_at,
    closedAt: row.answer === null ? row.closed_at : null,
  };
}

/** Open requests, longest waiting first. */
export async function listWaiting(db: Queries, limit: number, after: Place | null): Promise<Page<object>> {
  const rows = await db.query<ListRow>(
    `select ${columns} from requests r ${joins}
     where r.answer is null and r.closed_at is null and m.revoked_at is null
       and ($1::timestamptz is null or (r.since, r.id) > ($1, $2))
     order by r.since, r.id limit $3`,
    [after?.[0] ?? null, after?.[1] ?? '', limit + 1],
  );
  return pageOf(rows, limit, ({ since, id }) => [since.toISOString(), id], itemOf);
}

/** One request in the form of the list, whether open or not. */
export async function requestItem(db: Queries, id: string): Promise<object | null> {
  const [row] = await db.query<ListRow>(`select ${columns} from requests r ${joins} where r.id = $1`, [id]);
  return row ? itemOf(row) : null;
}

export function notifyRequest(
  queries: Queries,
  kind: 'request' | 'answer',
  { id, machine_id: machine }: RequestRow,
): Promise<void> {
  return notify(queries, { kind, id, machine });
}
