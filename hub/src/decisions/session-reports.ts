import * as v from 'valibot';
import type { Database } from '../db/database.js';
import { notify } from '../stream/fanout.js';
import { saveProjects } from './projects.js';
import { moment, projectShape, text } from './shape.js';

/** Lists carry it for every session, so what is too large is left out. */
const smallJson = v.pipe(
  v.unknown(),
  v.transform((value) => (JSON.stringify(value ?? null).length > 20_000 ? null : value)),
);

const reportShape = v.object({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
  project: projectShape,
  branch: v.nullish(text(1000), ''),
  host: v.nullish(text(200), ''),
  model: v.nullish(text(200)),
  doing: v.nullish(text(2000)),
  loop: v.optional(smallJson),
  phase: v.nullish(text(200)),
  gates: v.optional(smallJson),
  at: moment,
  ended: v.nullish(v.union([v.boolean(), moment])),
});

export const sessionsShape = v.object({ sessions: v.pipe(v.array(reportShape), v.maxLength(1000)) });

export type SessionReport = v.InferOutput<typeof reportShape>;

/**
 * Stores what a machine reports about its sessions besides their decisions. Loop, phase and gates are
 * replaced even if a later event is known; a model or host that is missing stays as it was.
 */
export async function saveSessions(
  db: Database,
  machine: string,
  reports: readonly SessionReport[],
): Promise<void> {
  const byId = new Map<string, SessionReport>();
  for (const report of reports) {
    const kept = byId.get(report.id);
    if (!kept || Date.parse(kept.at) <= Date.parse(report.at)) byId.set(report.id, report);
  }
  if (byId.size === 0) return;
  const rows = [...byId.values()];
  await db.tx(async (queries) => {
    await saveProjects(
      queries,
      rows.map(({ project }) => project),
    );
    await queries.query(
      `insert into sessions as s
         (machine_id, id, project_id, branch, host, model, doing, held_by, loop, phase, gates, last_at, ended_at)
       select $1, id, project_id, branch, host, model, doing, '{}', loop, phase, gates, at, ended_at
       from jsonb_to_recordset($2::text::jsonb) as r(id text, project_id text, branch text, host text, model text,
         doing text, loop jsonb, phase text, gates jsonb, at timestamptz, ended_at timestamptz)
       order by id
       on conflict (machine_id, id) do update set project_id = excluded.project_id,
         branch = case when excluded.last_at >= s.last_at and excluded.branch <> '' then excluded.branch
           else s.branch end,
         host = coalesce(nullif(excluded.host, ''), s.host), model = coalesce(excluded.model, s.model),
         doing = case when excluded.last_at >= s.last_at then coalesce(excluded.doing, s.doing) else s.doing end,
         loop = excluded.loop, phase = excluded.phase, gates = excluded.gates,
         last_at = greatest(s.last_at, excluded.last_at),
         ended_at = case when excluded.ended_at is not null or excluded.last_at > s.last_at then excluded.ended_at
           else s.ended_at end,
         held_by = case when excluded.ended_at is null then s.held_by else '{}' end,
         held_since = case when excluded.ended_at is null then s.held_since end`,
      [machine, JSON.stringify(rows.map(rowOf))],
    );
    const sessions = rows.map(({ id }) => [machine, id]);
    await notify(queries, { kind: 'session', sessionCount: rows.length, sessions });
  });
}

function rowOf(report: SessionReport): object {
  const { project, at, ended, ...rest } = report;
  return {
    ...rest,
    project_id: project.id,
    at,
    ended_at: ended === true ? at : ended || null,
  };
}
