import type { Queries, Value } from '../db/database.js';
import { type Page, type Place, pageOf } from './cursor.js';

interface Filters {
  readonly limit: number;
  readonly before: Place | null;
  readonly project?: string | undefined;
  readonly machine?: string | undefined;
  readonly session?: string | undefined;
}

/** SQL conditions with their values, numbered as they are added. */
class Where {
  readonly #conditions: string[] = [];
  readonly values: Value[] = [];

  add(condition: string, ...values: readonly Value[]): void {
    let next = this.values.length;
    this.#conditions.push(condition.replaceAll('?', () => `$${++next}`));
    this.values.push(...values);
  }

  addIf(condition: string, value: string | undefined): void {
    if (value) this.add(condition, value);
  }

  get text(): string {
    return this.#conditions.length > 0 ? `where ${this.#conditions.join(' and ')}` : '';
  }
}

interface Names {
  readonly machine_id: string;
  readonly machine_name: string | null;
  readonly project_id: string;
  readonly project_name: string | null;
}

/** The row with its machine and project by id and name. */
function named<R extends Names>({ machine_id, machine_name, project_id, project_name, ...row }: R) {
  return {
    ...row,
    machine: { id: machine_id, name: machine_name ?? machine_id },
    project: { id: project_id, name: project_name ?? project_id },
  };
}

const nameColumns = 'm.name as machine_name, p.name as project_name';

/** Joins the names to the rows of a table or query. */
function joinsOf(rows: string): string {
  return `left join machines m on m.id = ${rows}.machine_id left join projects p on p.id = ${rows}.project_id`;
}

interface DecisionListRow extends Names {
  readonly at: Date;
  readonly seq: number;
}

const decisionColumns = `d.id, d.at, d.seq, d.machine_id, d.project_id, ${nameColumns},
  d.branch, d.session, d.host, d.event, d.tool, d.kind, d.held, d.rules, d.actor, d.channel, k.mark`;
const decisionJoins = `${joinsOf('d')}
  left join marks k on k.machine_id = d.machine_id and k.decision_id = d.id`;

function decisionItem({ seq: _, ...row }: DecisionListRow): object {
  return named(row);
}

export interface DecisionFilters extends Filters {
  readonly rule?: string | undefined;
  readonly held: boolean;
}

/** How many of the newest rows to search for a rule first. */
const probed = 3000;

export async function listDecisions(db: Queries, filters: DecisionFilters): Promise<Page<object>> {
  const where = new Where();
  if (filters.before) where.add('(at, seq) < (?::timestamptz, ?::text::bigint)', ...filters.before);
  if (filters.held) where.add('held');
  where.addIf('session = ?', filters.session);
  where.addIf('project_id = ?', filters.project);
  where.addIf('machine_id = ?', filters.machine);
  const { limit } = filters;
  const rows = filters.rule
    ? await rowsOfRule(db, where, filters.rule, limit + 1)
    : await pageRows(
        db,
        `select * from decisions ${where.text} ${newestFirst} limit ${limit + 1}`,
        where.values,
      );
  return pageOf(rows, limit, ({ at, seq }) => [at.toISOString(), String(seq)], decisionItem);
}

const newestFirst = 'order by at desc, seq desc';

/** Joins names to the page, not to the table, so that the index alone decides what is read. */
function pageRows(db: Queries, page: string, values: readonly Value[]): Promise<DecisionListRow[]> {
  return db.query<DecisionListRow>(
    `select ${decisionColumns} from (${page}) d ${decisionJoins} order by d.at desc, d.seq desc`,
    values,
  );
}

/**
 * A frequent rule is found among the newest rows, a rare one by the index on rules. The database cannot tell
 * which it is: for a rule that used to be frequent it would read everything since.
 */
async function rowsOfRule(
  db: Queries,
  where: Where,
  rule: string,
  limit: number,
): Promise<DecisionListRow[]> {
  const others = where.text;
  const values = [...where.values, [rule]];
  const isOfRule = `rules @> $${values.length}::text[]`;
  const newest = `select * from decisions ${others} ${newestFirst} limit ${probed}`;
  const found = await pageRows(
    db,
    `select * from (${newest}) n where ${isOfRule} ${newestFirst} limit ${limit}`,
    values,
  );
  if (found.length >= limit) return found;
  // Of all matches, read only the columns that decide the order: whole rows would be sorted with bodies.
  return pageRows(
    db,
    `with matches as materialized (
       select machine_id, id, at, seq from decisions ${others} ${others ? 'and' : 'where'} ${isOfRule}
     ) select w.* from (select * from matches ${newestFirst} limit ${limit}) m
     join decisions w on w.machine_id = m.machine_id and w.id = m.id`,
    values,
  );
}

/** Rows of the list by machine and id, oldest first. */
export async function decisionRows(
  db: Queries,
  keys: readonly (readonly [string, string])[],
): Promise<object[]> {
  const rows = await db.query<DecisionListRow>(
    `select ${decisionColumns} from unnest($1::text[], $2::text[]) as want(machine_id, id)
     join decisions d using (machine_id, id) ${decisionJoins} order by d.at, d.seq`,
    [keys.map(([machine]) => machine), keys.map(([, id]) => id)],
  );
  return rows.map(decisionItem);
}

/** One decision with everything that was sent about it; null if it is unknown. */
export async function wholeDecision(db: Queries, machine: string, id: string): Promise<object | null> {
  const [found] = await db.query<DecisionListRow & { readonly body: Record<string, unknown> }>(
    `select ${decisionColumns}, d.body from decisions d ${decisionJoins} where d.machine_id = $1 and d.id = $2`,
    [machine, id],
  );
  if (!found) return null;
  const { body, ...row } = found;
  return { ...body, ...decisionItem(row) };
}

interface SessionListRow extends Names {
  readonly id: string;
  readonly held_by: string[];
  readonly held_since: Date | null;
  readonly last_at: Date;
  readonly ended_at: Date | null;
}

function sessionItem({ held_by, held_since, last_at, ended_at, ...row }: SessionListRow): object {
  return { ...named(row), heldBy: held_by, heldSince: held_since, lastAt: last_at, endedAt: ended_at };
}

export interface SessionFilters extends Filters {
  /** Only sessions that have not ended. */
  readonly live: boolean;
}

export async function listSessions(db: Queries, filters: SessionFilters): Promise<Page<object>> {
  const where = new Where();
  if (filters.before) where.add('(last_at, id) < (?::timestamptz, ?)', ...filters.before);
  if (filters.live) where.add('ended_at is null');
  where.addIf('project_id = ?', filters.project);
  where.addIf('machine_id = ?', filters.machine);
  const rows = await db.query<SessionListRow>(
    `select s.*, ${nameColumns} from (
       select * from sessions ${where.text} order by last_at desc, id desc limit ${filters.limit + 1}
     ) s ${joinsOf('s')} order by s.last_at desc, s.id desc`,
    where.values,
  );
  return pageOf(rows, filters.limit, ({ last_at, id }) => [last_at.toISOString(), id], sessionItem);
}

/** Rows of the list by machine and id. */
export async function sessionRows(
  db: Queries,
  keys: readonly (readonly [string, string])[],
): Promise<object[]> {
  const rows = await db.query<SessionListRow>(
    `select s.*, ${nameColumns} from unnest($1::text[], $2::text[]) as want(machine_id, id)
     join sessions s using (machine_id, id) ${joinsOf('s')}`,
    [keys.map(([machine]) => machine), keys.map(([, id]) => id)],
  );
  return rows.map(sessionItem);
}

/** The sessions with the latest activity. */
export async function newestSessions(db: Queries, limit: number): Promise<readonly object[]> {
  return (await listSessions(db, { limit, before: null, live: false })).items;
}

interface RunListRow extends Names {
  readonly id: string;
  readonly at: Date;
}

export async function listRuns(db: Queries, filters: Filters): Promise<Page<object>> {
  const where = new Where();
  if (filters.before) where.add('(at, id) < (?::timestamptz, ?)', ...filters.before);
  where.addIf('project_id = ?', filters.project);
  where.addIf('machine_id = ?', filters.machine);
  where.addIf('session = ?', filters.session);
  const rows = await db.query<RunListRow>(
    `select r.*, ${nameColumns} from (
       select * from runs ${where.text} order by at desc, id desc limit ${filters.limit + 1}
     ) r ${joinsOf('r')} order by r.at desc, r.id desc`,
    where.values,
  );
  return pageOf(rows, filters.limit, ({ at, id }) => [at.toISOString(), id], named);
}
