import type { GitHead } from '../core/git-head';
import { projectAbove } from '../core/project';
import type { Ground } from '../core/route';
import { readHead } from '../git/head';
import type { Context } from './verb';

/** A project that has a place for state, with where its HEAD points. */
export type OpenProject = Ground & { readonly head: GitHead | undefined };

/** The project of a command: the directory in which the person stands is meant. */
export function openProject({ cwd, env, chunks }: Context): OpenProject | undefined {
  const project = projectAbove(cwd, env['HOME'] ?? '');
  if (project?.layout === undefined) return undefined;
  return { ...project, layout: project.layout, head: project.git && readHead(project.git, chunks.askGit) };
}
