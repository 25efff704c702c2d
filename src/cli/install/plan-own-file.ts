import { fail, type Result, succeed } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import type { OwnFile } from '../../hosts/setup';
import { digestOf } from './digest-of';
import * as say from './messages';
import { missingDirectories } from './missing-directories';
import type { FilePlan } from './plan-install';
import { type InstallRecord, rootOf } from './record';
import type { InstallRequest } from './request';
import { readSettingsFile, writeHindrance } from './settings-file';
import { textIn } from './text-in';

/** What becomes of a file that is all ours. A stranger's file of that name is left alone. */
export function planOwnFile(
  host: HostName,
  { file, text }: OwnFile,
  request: InstallRequest,
  record: InstallRecord | undefined,
): Result<FilePlan, string> {
  const { scope, ground } = request;
  const found = readSettingsFile(file, scope, ground);
  if (!found.ok) return found;
  const before = found.value.text;
  const kept = { host, scope, file };
  const noted: InstallRecord = {
    ...kept,
    ...rootOf(request),
    kind: 'own-file',
    existed: false,
    entries: [],
    digest: digestOf(text),
    directories: record?.directories ?? missingDirectories(file),
    version: __VERSION__,
  };
  if (before === text)
    return succeed({
      file,
      change: undefined,
      rivals: [],
      adopted: record === undefined ? noted : undefined,
    });
  if (before !== undefined && !isOwnText(before, record)) return fail(say.notOurs(file));
  const hindrance = writeHindrance(found.value);
  if (hindrance !== undefined) return fail(hindrance);
  return succeed({ file, change: { ...kept, before, after: text, record: noted }, rivals: [] });
}

/** A file of an older version, which is in nobody's way any more. One that somebody has changed since stays. */
export function planStrayFile(record: InstallRecord): FilePlan | undefined {
  const { host, scope, file, kind } = record;
  const before = kind === 'own-file' ? textIn(file) : undefined;
  if (before === undefined || record.digest !== digestOf(before)) return undefined;
  return { file, change: { host, scope, file, before, after: undefined, record: undefined }, rivals: [] };
}

/** Whether a file was written by us: it is as we noted it, or speaks of us as all of ours do. */
export function isOwnText(text: string, record: InstallRecord | undefined): boolean {
  return record?.digest === digestOf(text) || /\bholdpoint\b/i.test(text);
}
