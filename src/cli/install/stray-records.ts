import { dirname } from 'node:path';
import { findGit } from '../../git/find-git';
import type { Sheet } from '../../hosts/setup';
import { ownFilesOf } from './own-files';
import type { InstallRecord } from './record';
import type { RemovalRequest } from './request';

/**
 * Of the files noted for a host, those that its sheet of today does not name: an older version wrote them, or the
 * host's settings lay elsewhere then. Those of other work trees, which share the notes, are not meant.
 */
export function strayRecords(
  records: readonly InstallRecord[],
  sheet: Sheet,
  { scope, ground }: RemovalRequest,
): readonly InstallRecord[] {
  const known = [sheet.file, ...ownFilesOf(sheet).map(({ file }) => file)];
  return records.filter(
    (record) =>
      record.scope === scope &&
      !known.includes(record.file) &&
      (scope === 'user' || findGit(dirname(record.file))?.root === ground.project),
  );
}
