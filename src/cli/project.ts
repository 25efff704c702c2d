import type { Project } from '../pipeline/project';
import { projectAbove } from '../pipeline/project';
import type { Layout } from '../store/layout';
import type { Context } from './verb';

/** A project that has a place for state. */
export type OpenProject = Project & { readonly layout: Layout };

/** The project of a command: a person's own directory is meant, unless the host names another. */
export function openProject({ cwd, env, chunks }: Context): OpenProject | undefined {
  const home = env['HOME'] ?? '';
  const project = projectAbove(cwd, home, chunks.askGit);
  return project?.layout === undefined ? undefined : { ...project, layout: project.layout };
}
