import { readHead } from '../git/head';
import type { Chunks } from './chunks';
import type { CompiledConfig } from './config-cache';
import type { Ground } from './first-look';
import type { GitHead, GitPlace } from './git-head';
import { configOrDefaults } from './load-config';
import { findProject, type Project } from './project';
import type { Stead } from './stead';
import type { Surroundings } from './surroundings';

/*
 * What is the same for all events of a project that come at the same time. A process for one event looks it up; one
 * that answers for many may know it from the event before.
 */

export function projectFor(
  cwd: string,
  env: Surroundings['env'],
  stead: Stead | undefined,
): Project | undefined {
  if (stead === undefined) return findProject(cwd, env);
  const question = `project ${cwd}\0${env['HOME']}\0${env['CLAUDE_PROJECT_DIR']}`;
  return stead.recall(question, () => findProject(cwd, env));
}

export function configFor(project: Ground, chunks: Chunks, stead: Stead | undefined): CompiledConfig {
  if (stead === undefined) return configOrDefaults(project, chunks);
  const question = `config ${project.root}\0${project.home}\0${project.layout.own}`;
  return stead.recall(question, () => configOrDefaults(project, chunks, stead.parse));
}

export function headFor(place: GitPlace, { askGit }: Chunks, stead: Stead | undefined): GitHead {
  if (stead === undefined) return readHead(place, askGit);
  return stead.recall(`head ${place.gitDir}`, () => readHead(place, askGit));
}
