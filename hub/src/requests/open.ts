import * as v from 'valibot';
import type { Database, Queries } from '../db/database.js';
import { saveProjects } from '../decisions/projects.js';
import { cut, moment, projectShape, text } from '../decisions/shape.js';
import { ApiError } from '../http/errors.js';
import { newId } from '../hub.js';
import { notifyRequest, type RequestRow } from './rows.js';

/** A machine with more open requests than this is malfunctioning. */
const MOST_OPEN = 500;
/** The list of all that waits must not become too large to be read. */
const SHOWN_OF_PLAN = 20_000;
const SHOWN_NAMES = 100;
const SHOWN_OF_NAME = 500;
const count = v.nullish(v.pipe(v.number(), v.integer(), v.minValue(0)));

/** One index contains all of these, and its entries must be short. */
const longestKey = 2000;

/** A person must see that there is more. */
function shownPlan(plan: string): string {
  const more = plan.length - SHOWN_OF_PLAN;
  return more > 0 ? `${cut(plan, SHOWN_OF_PLAN)}\n[… ${more} characters are not shown …]` : plan;
}

const names = v.pipe(
  v.array(text(10_000)),
  v.transform((all) => all.slice(0, SHOWN_NAMES).map((name) => cut(name, SHOWN_OF_NAME))),
);

const fields = v.object({
  decision: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  project: projectShape,
  rule: v.pipe(text(300), v.minLength(1)),
  description: v.nullish(text(10_000), ''),
  scope: v.nullish(text(100), ''),
  session: v.nullish(text(500), ''),
  branch: v.nullish(text(1000), ''),
  digest: v.nullish(text(500)),
  ttl: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10 * 366 * 86_400))),
  plan: v.nullish(v.pipe(text(200_000), v.transform(shownPlan))),
  changes: v.nullish(v.object({ files: count, added: count, removed: count, names: v.nullish(names) })),
  since: moment,
});

export const requestShape = v.pipe(
  fields,
  v.check(
    ({ decision, project, rule, session }) =>
      Buffer.byteLength(decision + project.id + rule + session) <= longestKey,
    `The ids of decision, project and session and the rule have more than ${longestKey} bytes together.`,
  ),
);

export type Asked = v.InferOutput<typeof requestShape>;

export interface Opened {
  readonly id: string;
  readonly answer: 'approve' | 'reject' | null;
}

/**
 * Opens a request for approval. It is identified by the decision that asked for it: sent again it is the
 * same, answered or not. Only one is open at a time per machine, project, rule and session.
 */
export function openRequest(db: Database, machine: string, asked: Asked): Promise<Opened> {
  return db.tx(async (queries) => {
    await saveProjects(queries, [asked.project]);
    const known = await byDecision(queries, machine, asked);
    if (known) return known;
    const open = await openOne(queries, machine, asked);
    if (open) {
      if (open.digest === (asked.digest ?? null)) return refreshed(queries, open, asked);
      // Somebody who is looking at the old one must not approve the new one unseen.
      await queries.query('update requests set closed_at = now() where id = $1', [open.id]);
      await notifyRequest(queries, 'request', open);
    }
    await checkRoom(queries, machine);
    const made = await insert(queries, machine, asked);
    if (made) {
      await notifyRequest(queries, 'request', made);
      return { id: made.id, answer: null };
    }
    // Another request came in between.
    const other = (await byDecision(queries, machine, asked)) ?? (await openOne(queries, machine, asked));
    if (!other) throw new ApiError(409, 'changed', 'The request changed at the same moment. Send it again.');
    return { id: other.id, answer: other.answer };
  });
}

async function checkRoom(queries: Queries, machine: string): Promise<void> {
  const [row] = await queries.query<{ readonly open: number }>(
    'select count(*)::int as open from requests where machine_id = $1 and answer is null and closed_at is null',
    [machine],
  );
  // Not 429: a machine takes that for an overloaded hub, and would wait with its decisions and answers too.
  if (row && row.open >= MOST_OPEN)
    throw new ApiError(
      409,
      'too-many',
      `${MOST_OPEN} requests of this machine wait already. Answer some first.`,
    );
}

/** Closes a request that no longer waits. An answered one stays answered. */
export function closeRequest(db: Database, machine: string, id: string): Promise<void> {
  return db.tx(async (queries) => {
    const row = await ownRequest(queries, machine, id);
    if (row.answer !== null || row.closed_at !== null) return;
    await queries.query('update requests set closed_at = now() where id = $1', [id]);
    await notifyRequest(queries, 'request', row);
  });
}

/** A machine can only see its own requests. */
export async function ownRequest(queries: Queries, machine: string, id: string): Promise<RequestRow> {
  const [row] = await queries.query<RequestRow>(
    'select * from requests where id = $1 and machine_id = $2 for update',
    [id, machine],
  );
  if (!row) throw new ApiError(404, 'unknown', 'No such request of this machine.');
  return row;
}

async function byDecision(queries: Queries, machine: string, asked: Asked): Promise<Opened | null> {
  const [row] = await queries.query<RequestRow>(
    `select * from requests
     where machine_id = $1 and project_id = $2 and rule = $3 and session = $4 and decision_id = $5`,
    [machine, asked.project.id, asked.rule, asked.session, asked.decision],
  );
  if (!row) return null;
  // Closed, and asked for again by the same decision: it waits again, unless another one is open meanwhile.
  if (row.answer === null && row.closed_at !== null) return reopened(queries, machine, asked, row);
  return { id: row.id, answer: row.answer };
}

async function reopened(queries: Queries, machine: string, asked: Asked, row: RequestRow): Promise<Opened> {
  const open = await openOne(queries, machine, asked);
  if (open) return { id: open.id, answer: null };
  await queries.query('update requests set closed_at = null where id = $1', [row.id]);
  await notifyRequest(queries, 'request', row);
  return { id: row.id, answer: null };
}

async function openOne(queries: Queries, machine: string, asked: Asked): Promise<RequestRow | undefined> {
  const [row] = await queries.query<RequestRow>(
    `select * from requests where machine_id = $1 and project_id = $2 and rule = $3 and session = $4
     and answer is null and closed_at is null for update`,
    [machine, asked.project.id, asked.rule, asked.session],
  );
  return row;
}

/** The same request, with the current changes of the files. */
async function refreshed(queries: Queries, open: RequestRow, asked: Asked): Promise<Opened> {
  if (asked.changes && JSON.stringify(asked.changes) !== JSON.stringify(open.changes)) {
    await queries.query('update requests set changes = $2 where id = $1', [open.id, asked.changes]);
    await notifyRequest(queries, 'request', open);
  }
  return { id: open.id, answer: null };
}

async function insert(queries: Queries, machine: string, asked: Asked): Promise<RequestRow | undefined> {
  const { decision, project, rule, description, scope, session, branch, digest, ttl, plan, changes } = asked;
  const [row] = await queries.query<RequestRow>(
    `insert into requests (id, machine_id, decision_id, project_id, rule, description, scope, session, branch, digest,
       ttl_seconds, plan, changes, since)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     on conflict do nothing returning *`,
    [
      newId(),
      machine,
      decision,
      project.id,
      rule,
      description,
      scope,
      session,
      branch,
      digest ?? null,
      ttl ?? null,
      plan ?? null,
      changes ?? null,
      new Date(asked.since),
    ],
  );
  return row;
}
