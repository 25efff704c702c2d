import type { Queries } from '../db/database.js';

export interface Project {
  readonly id: string;
  readonly name: string;
}

/** Keeps the names of projects. The last name given stays. */
export async function saveProjects(queries: Queries, projects: readonly Project[]): Promise<void> {
  const byId = new Map(projects.map((project) => [project.id, project.name]));
  const ids = [...byId.keys()].sort();
  await queries.query(
    `insert into projects as p (id, name) select * from unnest($1::text[], $2::text[])
     on conflict (id) do update set name = excluded.name where p.name <> excluded.name`,
    [ids, ids.map((id) => byId.get(id) ?? id)],
  );
}
