import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostName } from '../core/host-name';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a host's own settings may tell of us, below the project and below the host's directory in the home. */
export interface OwnPlaces {
  readonly project: readonly string[];
  /** The host's directory, below the home, and the variable that names another one. */
  readonly folder: string;
  readonly variable?: string;
  readonly home: readonly string[];
}

/** Whether one of the host's own settings files starts us for it. A file that cannot be read does not. */
export function hasOwnEntryIn({ project, folder, variable, home }: OwnPlaces, name: HostName) {
  return (projectDir: string, env: Environment): boolean => {
    const own = (variable && env[variable]) || (env['HOME'] && join(env['HOME'], folder));
    return (
      project.some((file) => startsUs(join(projectDir, file), name)) ||
      (own !== undefined && own !== '' && home.some((file) => startsUs(join(own, file), name)))
    );
  };
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
