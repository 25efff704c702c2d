import { lstatSync, readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import type { Change } from '../../core/document';
import { metricsFile, pauseFile } from '../../guards/requirements/view';
import type { Layout } from '../../state/layout';
import { stateDirectory } from './state-files';

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const KINDS = { '.json': metricsFile, '.paused': pauseFile } as const;

/** What removes the counts and pauses of sessions that nobody has heard of for a month. */
export function withoutOldFiles(layout: Layout, sessions: readonly string[], now: number): Change[] {
  const dir = join(stateDirectory(layout), 'sessions');
  return namesIn(dir).flatMap((file) => {
    const { name, ext } = parse(file);
    const refOf = ext === '.json' || ext === '.paused' ? KINDS[ext] : undefined;
    if (refOf === undefined || sessions.includes(name) || !isOld(join(dir, file), now)) return [];
    return [{ document: refOf(name), what: `pruned session ${name}`, apply: () => undefined }];
  });
}

function isOld(file: string, now: number): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && now - stats.mtimeMs >= KEPT_MS;
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).sort();
  } catch {
    return [];
  }
}
