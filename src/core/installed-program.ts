import { join } from 'node:path';
import { readSmallFile } from '../state/files';

const LARGEST_LAUNCH = 1024 * 1024;

/** The launch file of this home, and the directory of the program that it runs. */
export function programOf(home: string): { readonly launch: string; readonly dist: readonly string[] } {
  const launch = join(home, '.config/holdpoint/launch');
  const [, dist] =
    /^holdpoint_hook='(.*)hook\.cjs'$/m.exec(readSmallFile(launch, LARGEST_LAUNCH) ?? '') ?? [];
  return { launch, dist: dist === undefined ? [] : [dist] };
}
