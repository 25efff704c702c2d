import { join } from 'node:path';
import { readSmallFile } from '../state/files';

const LARGEST_LAUNCH = 1024 * 1024;

/** The launch file of this home, the directory of the program that it runs, and the Node that runs it. */
export function programOf(home: string) {
  const launch = join(home, '.config/holdpoint/launch');
  const text = readSmallFile(launch, LARGEST_LAUNCH) ?? '';
  const found = (pattern: RegExp): string[] => pattern.exec(text)?.slice(1) ?? [];
  return {
    launch,
    dist: found(/^holdpoint_hook='(.*)hook\.cjs'$/m),
    node: found(/^holdpoint_node='(.*)'$/m),
  };
}
