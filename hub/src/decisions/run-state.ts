import type { Queries } from '../db/database.js';
import { cut, type DecisionRow, objectsIn, textsIn } from './shape.js';

/** The status of a gates run that had nothing to do. */
const idle = /^(no_|interval_|stop_hook_)/;

/** Stores a run for each decision that carries a report of the gates. */
export async function updateRuns(queries: Queries, rows: readonly DecisionRow[]): Promise<void> {
  const runs = rows.flatMap(runOf);
  if (runs.length === 0) return;
  await queries.query(
    `insert into runs (machine_id, id, at, project_id, branch, session, status, ms, checks, lines)
     select machine_id, id, at, project_id, branch, session, status, ms, checks, lines
     from jsonb_to_recordset($1::text::jsonb) as r(machine_id text, id text, at timestamptz, project_id text,
       branch text, session text, status text, ms float8, checks jsonb, lines text[])
     order by machine_id, id
     on conflict (machine_id, id) do nothing`,
    [JSON.stringify(runs)],
  );
}

function runOf({ machine_id, id, at, project_id, branch, session, body }: DecisionRow): object[] {
  const { status, ms } = body;
  if (typeof status !== 'string' || status === '' || idle.test(status)) return [];
  const checks = objectsIn(body['checks'] ?? body['gates']);
  return [
    {
      machine_id,
      id,
      at,
      project_id,
      branch,
      session,
      status: status.slice(0, 100),
      ms: typeof ms === 'number' && ms >= 0 ? Math.min(Math.round(ms), 2 ** 31 - 1) : 0,
      checks: checks.slice(0, 200).map(checkOf),
      lines: textsIn(body['lines'])
        .slice(0, 200)
        .map((line) => cut(line, 1000)),
    },
  ];
}

const fields: Readonly<Record<string, string>> = {
  id: 'string',
  name: 'string',
  status: 'string',
  ms: 'number',
  durationMs: 'number',
};

/** What the page shows of a check. */
function checkOf(check: Record<string, unknown>): object {
  const kept = Object.entries(check).filter(([name, value]) => typeof value === fields[name]);
  return Object.fromEntries(
    kept.map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value]),
  );
}
