import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../core/error-code';

/** A part of the config that stands elsewhere already. */
export interface Taken {
  readonly section: 'requirements' | 'gates' | 'workflow';
  readonly file: string;
}

export const OWN_CONFIG = '.holdpoint/config.yaml';

/** Files of older programs that are read where they are. */
const OLDER: readonly Taken[] = [
  { section: 'requirements', file: '.claude/requirements.yaml' },
  { section: 'requirements', file: '.claude/requirements.local.yaml' },
  { section: 'gates', file: '.gauntlet' },
  { section: 'workflow', file: '.isdlc' },
];

/** Which sections the project has in files of older programs, each with the first file that says so. */
export function takenSections(root: string): readonly Taken[] {
  const found = OLDER.filter(({ file }) => isThere(root, file));
  return found.filter(({ section }, at) => found.findIndex((one) => one.section === section) === at);
}

/** Whether something stands at that path, be it a link that leads nowhere. */
export function isThere(root: string, path: string): boolean {
  try {
    return lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A file in the place of its directory.
    if (errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}
