import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostName } from '../domain/host-name';

/** Where a host's own settings may tell of us, below the project and below the home. */
export interface OwnPlaces {
  readonly project: readonly string[];
  readonly home: readonly string[];
}

/** Whether one of the host's own settings files starts us for it. A file that cannot be read does not. */
export function hasOwnEntryIn({ project, home }: OwnPlaces, name: HostName) {
  return (projectDir: string, homeDir: string): boolean =>
    project.some((file) => startsUs(join(projectDir, file), name)) ||
    (homeDir !== '' && home.some((file) => startsUs(join(homeDir, file), name)));
}

/** Whoever installed us, by hand or not, has named the host on the line. */
function startsUs(file: string, name: HostName): boolean {
  try {
    const text = readFileSync(file, 'utf8');
    return text.includes('holdpoint') && new RegExp(`--host[ =]${name}\\b`).test(text);
  } catch {
    return false;
  }
}
