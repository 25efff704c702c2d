import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Json } from '../domain/json';
import { type CacheHead, cacheFile } from './config-cache';
import type { Project } from './project';

/**
 * Keeps a compiled config for the next event. Failing to is no trouble: the next event compiles
 * again, so the caller is not told.
 */
export function writeCache(project: Project, head: CacheHead, configs: readonly Json[]): void {
  const own = project.layout?.own;
  if (own === undefined) return;
  const file = cacheFile(project, own);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const text = [head, ...configs].map((line) => JSON.stringify(line)).join('\n');
    writeFileSync(temporary, `${text}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}
