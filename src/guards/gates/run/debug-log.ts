import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../../core/text';
import type { GatesConfig } from '../config';
import { appendText } from './append-text';
import { DEBUG_LOG_NAME } from './log-dir';

export type DebugLog = (line: string) => void;

const MEGABYTE = 1024 * 1024;

/**
 * The log that survives sessions, where the config wants one. A line that cannot be written is lost;
 * when the file has its full size it becomes `.debug.log.1`.
 */
export function debugLog(logDir: string, config: Pick<GatesConfig, 'debugLog'>): DebugLog {
  const { enabled, maxSizeMb } = config.debugLog;
  if (!enabled) return () => undefined;
  const file = join(logDir, DEBUG_LOG_NAME);
  return (line) => {
    try {
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size > 0 && size >= maxSizeMb * MEGABYTE) renameSync(file, `${file}.1`);
      appendText(file, `[${isoTime(Date.now())}] ${line.replace(/[\r\n]+/g, ' ')}\n`);
    } catch {
      // Nobody's work may hang on it.
    }
  };
}
