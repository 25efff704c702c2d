import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { isProgram, placesOn } from '../../exec/programs';

/** Directories of the PATH that do not outlive a shell or a project. */
const PASSING = /fnm_multishells|node_modules|[/\\]_npx[/\\]|[/\\]tmp[/\\]/;

/**
 * The path by which the running Node is best remembered. Its own has the version in it where packages are
 * linked into a common directory, so a link on the PATH that leads to it outlives an upgrade.
 */
export function steadyNode(path: string, execPath: string): string {
  const lasting = placesOn(path, 'node').filter((file) => !PASSING.test(dirname(file)));
  return lasting.find((file) => isProgram(file) && leadsTo(file, execPath)) ?? execPath;
}

function leadsTo(file: string, target: string): boolean {
  try {
    return realpathSync(file) === realpathSync(target);
  } catch {
    return false;
  }
}
