import type { GatesConfig } from './config';
import { LOCK_NAME, STATE_NAME } from './run/log-dir';

/** The state of the last run, as the snapshot asks for files: absolute, or relative to the root. */
export function stateFile({ logDir }: GatesConfig): string {
  return `${logDir}/${STATE_NAME}`;
}

export function lockFile({ logDir }: GatesConfig): string {
  return `${logDir}/${LOCK_NAME}`;
}
