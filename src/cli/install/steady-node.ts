import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Directories of the PATH that do not outlive a shell or a project. */
const PASSING = /fnm_multishells|node_modules|[/\\]_npx[/\\]|[/\\]tmp[/\\]/;

/**
 * The path by which the running Node is best remembered. Its own has the version in it where packages are
 * linked into a common directory, so a link on the PATH that leads to it outlives an upgrade.
 */
export function steadyNode(path: string, execPath: string): string {
  const candidates = path.split(delimiter).filter((dir) => isAbsolute(dir) && !PASSING.test(dir));
  return candidates.map((dir) => join(dir, 'node')).find((file) => leadsTo(file, execPath)) ?? execPath;
}

function leadsTo(file: string, target: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return realpathSync(file) === realpathSync(target);
  } catch {
    return false;
  }
}
