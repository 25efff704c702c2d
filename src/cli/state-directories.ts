import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { SESSION_RECORDS } from '../core/refused-stops';
import type { Layout } from '../state/layout';

/** Where a project's state is written. */
export function stateDirectories({ own, git }: Layout): readonly string[] {
  return [own, `${own}/${SESSION_RECORDS}`, `${git}/requirements`];
}

/** A directory, or the one above it in which it would have to be made. */
export function nearestThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path));
}
