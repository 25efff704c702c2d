import type { Queries } from '../db/database.js';
import type { Hub } from '../hub.js';
import { type Notice, notify } from '../stream/fanout.js';
import { keepMarks } from './marks.js';
import { saveProjects } from './projects.js';
import { updateRuns } from './run-state.js';
import { updateSessions } from './session-state.js';
import { type Decision, type DecisionRow, rowOf } from './shape.js';

export interface Counts {
  readonly accepted: number;
  readonly known: number;
}

export type Ingest = (machine: string, decisions: readonly Decision[]) => Promise<Counts>;

interface Batch {
  readonly rows: readonly DecisionRow[];
  resolve(counts: Counts): void;
  reject(error: unknown): void;
}

/** Maximum number of decisions in one transaction, unless a single batch has more. */
const groupSize = 1000;

/**
 * Stores decisions. Batches that arrive during a write wait and share one transaction, because a commit costs
 * more than rows do. A batch is answered after its commit.
 */
export function openIngest(hub: Hub): Ingest {
  const waiting: Batch[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    isWriting = true;
    // Include batches that arrive in the same moment.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await writeGroup(hub, takeGroup(waiting));
    isWriting = false;
  }

  return (machine, decisions) =>
    new Promise((resolve, reject) => {
      const rows = decisions.map((decision) => rowOf(machine, decision));
      waiting.push({ rows, resolve, reject });
      if (!isWriting) void writeAll();
    });
}

function takeGroup(waiting: Batch[]): Batch[] {
  let size = 0;
  let count = 0;
  for (const { rows } of waiting) {
    size += rows.length;
    if (count > 0 && size > groupSize) break;
    count++;
  }
  return waiting.splice(0, count);
}

async function writeGroup(hub: Hub, group: readonly Batch[]): Promise<void> {
  try {
    const rows = merged(group);
    const inserted = await hub.db.tx(async (queries) => {
      await saveProjects(
        queries,
        rows.map(({ body }) => body.project),
      );
      return write(queries, rows);
    });
    for (const batch of group) batch.resolve(countsOf(batch, inserted));
    hub.metrics.add('batches', group.length);
    hub.metrics.add(
      'decisions',
      group.reduce((sum, { rows }) => sum + rows.length, 0),
    );
  } catch (error) {
    // One bad batch must not make others fail. If the database is away, all of them fail.
    if (group.length > 1 && isAboutData(error)) for (const batch of group) await writeGroup(hub, [batch]);
    else for (const batch of group) batch.reject(error);
  }
}

/** SQLSTATE classes: data exceptions, violated constraints, limits of the server. */
function isAboutData(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(22|23|54)/.test(String(error.code));
}

/** Each decision once, in the same order in all processes, to avoid deadlocks. */
function merged(group: readonly Batch[]): DecisionRow[] {
  const rows = new Map<string, DecisionRow>();
  for (const batch of group) {
    for (const row of batch.rows) {
      const kept = rows.get(keyOf(row));
      if (!kept || (kept.kind === 'started' && row.kind !== 'started')) rows.set(keyOf(row), row);
    }
  }
  return [...rows.keys()].sort().map((key) => rows.get(key) as DecisionRow);
}

/** Returns the keys of decisions that were not known before. */
async function write(queries: Queries, rows: readonly DecisionRow[]): Promise<Map<string, boolean>> {
  if (rows.length === 0) return new Map();
  const written = await queries.query<{ machine_id: string; id: string; is_new: boolean }>(
    `insert into decisions as d (machine_id, id, at, received_at, project_id, branch, session, host, event, tool, kind,
       held, rules, actor, channel, body)
     select machine_id, id, at, now(), project_id, branch, session, host, event, tool, kind, held, rules, actor,
       channel, body
     from jsonb_to_recordset($1::text::jsonb) as r(machine_id text, id text, at timestamptz, project_id text,
       branch text, session text, host text, event text, tool text, kind text, held boolean, rules text[], actor text,
       channel text, body jsonb)
     on conflict (machine_id, id) do update set at = excluded.at, project_id = excluded.project_id,
       branch = excluded.branch, session = excluded.session, host = excluded.host, event = excluded.event,
       tool = excluded.tool, kind = excluded.kind, held = excluded.held, rules = excluded.rules,
       actor = excluded.actor, channel = excluded.channel, body = excluded.body
     where d.kind = 'started' and excluded.kind <> 'started'
     returning machine_id, id, xmax = 0 as is_new`,
    [JSON.stringify(rows)],
  );
  if (written.length === 0) return new Map();
  const changed = new Map(written.map((row) => [keyOf(row), row.is_new]));
  const fresh = rows.filter((row) => changed.has(keyOf(row)));
  await updateSessions(queries, fresh);
  await updateRuns(queries, fresh);
  await keepMarks(queries, fresh);
  await notify(queries, noticeOf(fresh));
  return new Map([...changed].filter(([, isNew]) => isNew));
}

/** Counts a decision as new for the first batch that brought it. */
function countsOf({ rows }: Batch, inserted: Map<string, boolean>): Counts {
  let accepted = 0;
  for (const row of rows) {
    if (!inserted.get(keyOf(row))) continue;
    inserted.set(keyOf(row), false);
    accepted++;
  }
  return { accepted, known: rows.length - accepted };
}

/** Names the decisions and their sessions, newest first. */
function noticeOf(rows: readonly DecisionRow[]): Notice {
  const newest = [...rows].sort((a, b) => (a.at < b.at ? 1 : -1));
  const sessions = new Map(newest.filter(({ session }) => session !== '').map((row) => [row.session, row]));
  return {
    kind: 'decisions',
    count: rows.length,
    rows: newest.map(({ machine_id, id }) => [machine_id, id]),
    sessionCount: sessions.size,
    sessions: [...sessions.values()].map(({ machine_id, session }) => [machine_id, session]),
  };
}

function keyOf({ machine_id, id }: { readonly machine_id: string; readonly id: string }): string {
  return `${machine_id} ${id}`;
}
