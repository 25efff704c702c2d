import type { Json } from '../domain/json';
import type { Chunks } from './chunks';
import type { CacheHead, CompiledConfig, CompiledGuard } from './config-cache';
import { readCache, writeCache } from './config-cache';
import type { Project } from './project';

/** The config of a project: from its cache, else compiled now and kept for the next event. */
export function loadConfig(project: Project, chunks: Chunks): CompiledConfig | undefined {
  if (!project.configured) return undefined;
  return readCache(project) ?? compileAnew(project, chunks);
}

function compileAnew(project: Project, chunks: Chunks): CompiledConfig {
  const { root, home } = project;
  const compiled = chunks.compileConfig()(root, home);
  const guards = compiled.guards.map(({ name, config, onError }): CompiledGuard => {
    return { name, interests: chunks.guard(name).interest(config), onError };
  });
  const head: CacheHead = {
    version: __VERSION__,
    root,
    home,
    stamps: compiled.stamps,
    guards,
    problems: compiled.problems,
  };
  const configs = compiled.guards.map((guard): Json => guard.config);
  writeCache(project, head, configs);
  return { head, configOf: (index) => configs[index] ?? null };
}
