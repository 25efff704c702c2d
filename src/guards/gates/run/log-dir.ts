import { resolve } from 'node:path';

export const LOCK_NAME = '.gauntlet-run.lock';
export const STATE_NAME = '.execution_state';
export const DEBUG_LOG_NAME = '.debug.log';
/** Where the last finished session's logs are. */
export const ARCHIVE_NAME = 'previous';
/** How the older program once kept what is now `working_tree_ref` of the state. */
export const LEGACY_REF_NAME = '.session_ref';

/** The directory of logs and state, absolute. */
export function logDirOf(root: string, config: { readonly logDir: string }): string {
  return resolve(root, config.logDir);
}
