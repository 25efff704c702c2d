import type { Chunks } from './chunks';
import type { CompiledConfig } from './config-cache';
import { readCache } from './config-cache';
import type { Project } from './project';

/** The config of a project: from its cache, else compiled now and kept for the next event. */
export function loadConfig(project: Project, chunks: Chunks): CompiledConfig | undefined {
  if (!project.configured) return undefined;
  return readCache(project) ?? chunks.compileProject(project, chunks);
}
