import type { WorkflowInput } from './schema';
import type { SeedMapping } from './seed-mapping';

/** `monorepo.json` as a section. */
export function fromMonorepo(file: SeedMapping): Pick<WorkflowInput, 'projects'> {
  const projects = file.mapping('projects');
  const standard = file.text('default_project');
  const paths = (projects?.names() ?? []).map((id) => [id, projects?.mapping(id)?.text('path') ?? id]);
  return {
    projects: { ...(standard !== undefined && { default: standard }), paths: Object.fromEntries(paths) },
  };
}
