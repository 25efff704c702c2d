import type { Chunks } from './chunks';
import type { CompiledConfig } from './config-cache';
import { readCache } from './config-cache';
import type { Json } from './json';
import type { Project } from './project';

/** The config of a project that has any. */
export function loadConfig(project: Project, chunks: Chunks): CompiledConfig | undefined {
  return project.configured ? configOrDefaults(project, chunks) : undefined;
}

/**
 * The config of a project: from its cache, else compiled now and kept for the next event. Where there are
 * no config files it holds what goes without saying.
 */
export function configOrDefaults(project: Project, chunks: Chunks): CompiledConfig {
  const compile = (): CompiledConfig => chunks.compileProject(project, chunks);
  const cached = readCache(project);
  if (cached === undefined) return compile();
  return { head: cached.head, configOf: (index) => partOf(cached, index, compile) };
}

/** A guard's part of the cache. Its damage shows only here, where it is parsed; then the whole is compiled anew. */
function partOf({ head, configOf }: CompiledConfig, index: number, compile: () => CompiledConfig): Json {
  try {
    return configOf(index);
  } catch {
    const compiled = compile();
    return compiled.configOf(compiled.head.guards.findIndex(({ name }) => name === head.guards[index]?.name));
  }
}
