import type { Edited } from '../../config/settings/with-entries';
import { findGit } from '../../git/find-git';
import { missingDirectories } from './missing-directories';
import { readRecords, recordsFile, writeRecords } from './records';

/** What the entry of the gates was put into. */
export interface StopHookWritten {
  readonly file: string;
  readonly backup: string | undefined;
  readonly undo: Edited['undo'];
}

/** Notes the entry before it is written, so that `uninstall` knows it as ours. The older program writes the same line. */
export function noteStopHook(root: string, { file, backup, undo }: StopHookWritten): void {
  const commonDir = findGit(root)?.commonDir;
  if (commonDir === undefined) return;
  const notes = recordsFile('local', commonDir, '');
  const records = readRecords(notes);
  const others = (records.stopHooks ?? []).filter((each) => each.file !== file);
  const record = {
    file,
    existed: backup !== undefined,
    ...(backup !== undefined && { backup }),
    undo,
    directories: missingDirectories(file),
  };
  writeRecords(notes, { ...records, stopHooks: [...others, record] });
}
