import { renameSync } from 'node:fs';
import { containerOf, isKept } from '../state/layout';
import { placeOf } from '../state/place';
import { discard, writeTemporary } from '../state/write-file';
import { type CacheHead, cacheFile } from './config-cache';
import type { Json } from './json';
import type { Project } from './project';

/**
 * Keeps a compiled config for the next event. Failing to is no trouble: the next event compiles
 * again, so the caller is not told.
 */
export function writeCache(project: Project, head: CacheHead, configs: readonly Json[]): void {
  const { layout } = project;
  if (layout === undefined || !isKept(layout, 'own')) return;
  const file = cacheFile(project, layout.own);
  try {
    if (placeOf(containerOf(layout, 'own'), file).kind === 'outward') return;
    const text = [head, ...configs].map((line) => JSON.stringify(line)).join('\n');
    const temporary = writeTemporary(file, `${text}\n`, false);
    try {
      renameSync(temporary, file);
    } catch {
      discard(temporary);
    }
  } catch {
    // Told by nothing but the time that the next event takes.
  }
}
