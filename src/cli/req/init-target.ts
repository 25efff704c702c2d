import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { findGit } from '../../git/find-git';
import { openProject } from '../project';
import type { Context } from '../verb';
import {
  type ConfigFile,
  isOurs,
  isThere,
  ownRequirements,
  PROJECT_SEED,
  requirementsFile,
  seedFileIn,
} from './config-file';

/** Where a first config goes, and for whom it counts. */
export interface Target {
  readonly reach: 'global' | 'project' | 'local';
  readonly file: ConfigFile;
  /** A file of ours has other sections, which are nobody's to touch here. */
  readonly form: 'whole' | 'section';
  /** Whether it speaks of requirements already. */
  readonly isTaken: boolean;
}

/** The file that counts for requirements, or will; `undefined` where there is no project. */
export function targetOf(layer: 'project' | 'local' | undefined, context: Context): Target | undefined {
  const { cwd, env } = context;
  const home = env['HOME'] ?? '';
  if (layer === undefined && home !== '' && isSamePlace(cwd, join(home, '.claude')))
    return target('global', home, ownRequirements('global', home) ?? seedFileIn(home, PROJECT_SEED));
  // The repository in which the person stands, even where a project around it has a config.
  const root = findGit(cwd)?.root ?? openProject(context)?.root;
  if (root === undefined) return undefined;
  const reach = layer ?? 'project';
  return target(reach, root, requirementsFile(reach, root));
}

function target(reach: Target['reach'], base: string, file: ConfigFile): Target {
  if (!isOurs(file)) return { reach, file, form: 'whole', isTaken: isThere(file) };
  return { reach, file, form: 'section', isTaken: ownRequirements(reach, base) !== undefined };
}

export function isSamePlace(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
