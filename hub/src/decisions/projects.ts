import type { Queries } from '../db/database.js';

export interface Project {
  readonly id: string;
  readonly name: string;
}

/** Stores project names. The first name stays: no machine may rename what another one shows to people. */
export async function saveProjects(queries: Queries, projects: readonly Project[]): Promise<void> {
  const byId = new Map(projects.toReversed().map((project) => [project.id, project.name]));
  const ids = [...byId.keys()].sort();
  await queries.query(
    // Known projects are left out first: a conflict would lock the row and make others wait for it.
    `insert into projects (id, name)
     select id, name from unnest($1::text[], $2::text[]) as given(id, name)
     where not exists (select 1 from projects p where p.id = given.id)
     on conflict (id) do nothing`,
    [ids, ids.map((id) => byId.get(id) ?? id)],
  );
}
