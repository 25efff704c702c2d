import * as v from 'valibot';
import { ApiError } from '../http/errors.js';
import type { Person } from '../http/who.js';
import type { Hub } from '../hub.js';
import { audited } from '../people/audit.js';
import { ownRequest } from './open.js';
import { notifyRequest, type RequestRow } from './rows.js';
import { statementOf } from './statement.js';

export const answerShape = v.object({
  answer: v.picklist(['approve', 'reject']),
  note: v.nullish(
    v.pipe(v.string(), v.trim(), v.maxLength(2000, 'A note has at most 2,000 characters.')),
    '',
  ),
});

export type Answer = v.InferOutput<typeof answerShape>;

/** Answers a request: the signed statement, the row and the audit entry are one transaction. */
export async function answerRequest(hub: Hub, person: Person, id: string, given: Answer): Promise<void> {
  const { answer, note } = given;
  await hub.db.tx(async (queries) => {
    const [row] = await queries.query<RequestRow & { revoked_at: Date | null }>(
      `select r.*, m.revoked_at from requests r join machines m on m.id = r.machine_id where r.id = $1 for update of r`,
      [id],
    );
    if (!row) throw new ApiError(404, 'unknown', 'No such request.');
    checkOpen(row);
    // A rotation waits for this lock, and this query for a rotation: a retired key signs nothing.
    const [key] = await queries.query('select id from keys where id = $1 and retired_at is null for share', [
      hub.keys.id,
    ]);
    if (!key)
      throw new ApiError(503, 'key', "The hub's key was rotated. Start this hub again with the current key.");
    const at = hub.clock();
    const statement = statementOf({
      request: row.id,
      machine: row.machine_id,
      project: row.project_id,
      rule: row.rule,
      scope: row.scope,
      session: row.session,
      branch: row.branch,
      digest: row.digest,
      ttlSeconds: row.ttl_seconds,
      answer,
      note,
      by: person.name,
      at,
    });
    await queries.query(
      `update requests set answer = $2, note = $3, answered_by = $4, answered_at = $5, statement = $6, signature = $7
       where id = $1`,
      [id, answer, note, person.name, at, statement, hub.keys.sign(statement)],
    );
    const { rule, machine_id: machine, project_id: project, session, branch } = row;
    await audited(queries, person.name, answer, id, {
      rule,
      machine,
      project,
      session,
      branch,
      note,
      statement,
    });
    await notifyRequest(queries, 'answer', row);
  });
}

function checkOpen(row: RequestRow & { revoked_at: Date | null }): void {
  if (row.answer !== null) {
    const how = row.answer === 'approve' ? 'approved' : 'rejected';
    throw new ApiError(409, 'answered', `This was ${how} by ${row.answered_by} already.`);
  }
  if (row.closed_at !== null)
    throw new ApiError(409, 'closed', 'This request is closed: the agent went on or asked again.');
  if (row.revoked_at !== null) throw new ApiError(409, 'revoked', 'The machine that asked was revoked.');
}

/** An answer in the form that machines get. */
export interface Delivery {
  readonly id: string;
  readonly answer: 'approve' | 'reject';
  readonly note: string | null;
  readonly statement: string;
  readonly signature: string;
}

function deliveryOf({ id, answer, note, statement, signature }: RequestRow): Delivery[] {
  if (answer === null || statement === null || signature === null) return [];
  return [{ id, answer, note, statement, signature }];
}

export interface PendingAnswer {
  readonly machine: string;
  readonly answeredAt: Date;
  readonly delivery: Delivery;
}

/**
 * Answers that these machines have not confirmed, oldest first. `closed_at` of an answered request is the
 * time of its confirmation. Expired approvals are left out.
 */
export async function pendingAnswers(
  hub: Hub,
  machines: readonly string[],
  after: readonly [at: Date, id: string] = [new Date(0), ''],
): Promise<PendingAnswer[]> {
  const rows = await hub.db.query<RequestRow & { answered_at: Date }>(
    `select * from requests where machine_id = any($1::text[]) and answer is not null and closed_at is null
     and (answer <> 'approve' or ttl_seconds is null or answered_at + ttl_seconds * interval '1 second' > $4)
     and (answered_at, id) > ($2, $3) order by answered_at, id limit 500`,
    [machines, ...after, hub.clock()],
  );
  return rows.flatMap((row) =>
    deliveryOf(row).map((delivery) => ({
      machine: row.machine_id,
      answeredAt: row.answered_at,
      delivery,
    })),
  );
}

/** The machine has applied the answer: it is not sent again. */
export function confirmAnswer(hub: Hub, machine: string, id: string): Promise<void> {
  return hub.db.tx(async (queries) => {
    const row = await ownRequest(queries, machine, id);
    if (row.answer === null) throw new ApiError(409, 'open', 'This request was not answered yet.');
    if (row.closed_at === null)
      await queries.query('update requests set closed_at = $2 where id = $1', [id, hub.clock()]);
  });
}
