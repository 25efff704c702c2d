import { parentsOf, withoutEntries } from '../../config/settings/entries';
import { parseSettings } from '../../config/settings/parse';
import { fail, type Result, succeed } from '../../core/failure';
import { LAUNCH_MARK } from '../../hosts/own-lines';
import type { HostSetup } from '../../hosts/setup';
import { isStopHook } from '../gates/init-files';
import { digestOf, settingsTrouble, textIn } from './files';
import {
  type EntriesSheet,
  type FileChange,
  isOwnText,
  ownFilesOf,
  type Plan,
  placesIn,
  planFile,
  planHosts,
  type RemovalRequest,
  rivalsIn,
} from './plan';
import { type InstallRecord, readRecords, recordsFile, type StopHookRecord } from './records';

/** Works out what `uninstall` will give back. Reads, never writes. Hosts that lack this scope have nothing there. */
export function planRemoval(request: RemovalRequest): Result<Plan, string> {
  return planHosts(request, (host) => {
    const { setup, sheet, strays, recordOf } = host;
    if (!setup.scopes.includes(request.scope)) return [];
    const remove = (file: string, kind: InstallRecord['kind']): Result<FileChange, string> =>
      sheet.kind === 'entries' && kind === 'entries'
        ? removeEntries(setup, { ...sheet, file }, request, recordOf(file))
        : removeOwnFile(setup, file, request, recordOf(file));
    return [
      ...(sheet.kind === 'entries' ? [remove(sheet.file, 'entries')] : []),
      ...ownFilesOf(sheet).map(({ file }) => remove(file, 'own-file')),
      ...strays.map(({ file, kind }) => remove(file, kind)),
    ];
  });
}

function removeOwnFile(
  { name }: HostSetup,
  file: string,
  request: RemovalRequest,
  record: InstallRecord | undefined,
): Result<FileChange, string> {
  const decide = (before: string | undefined) =>
    succeed(before !== undefined && isOwnText(before, record) ? { after: undefined } : {});
  return planFile(name, file, request, decide, false);
}

function removeEntries(
  setup: HostSetup,
  sheet: EntriesSheet,
  request: RemovalRequest,
  record: InstallRecord | undefined,
): Result<FileChange, string> {
  return planFile(setup.name, sheet.file, request, (before) => {
    if (before === undefined) return succeed({ keptBackup: otherBackup(record, undefined) });
    const stopHook = stopHookIn(sheet.file, setup, request);
    const ours = textWithout(setup, sheet, before, record);
    if (!ours.ok) return ours;
    const after =
      stopHook === undefined || ours.value === undefined ? ours : withoutStopHook(ours.value, stopHook);
    if (!after.ok) return after;
    const rivals = rivalsIn(before, setup, sheet, request.scope).filter(
      ({ command }) => stopHook === undefined || !isStopHook({ command }),
    );
    return succeed({ after: after.value, rivals, keptBackup: otherBackup(record, ours.value) });
  });
}

/** The backup where nobody has touched the file since; else all but ours, and no file where there was none. */
function textWithout(
  setup: HostSetup,
  sheet: EntriesSheet,
  before: string,
  record: InstallRecord | undefined,
): Result<string | undefined, string> {
  if (record !== undefined && record.digest === digestOf(before)) {
    if (!record.existed) return succeed(undefined);
    const original = backupText(record);
    if (original !== undefined && record.original === digestOf(original)) return succeed(original);
  }
  if (placesIn(before, sheet, setup.isOurs).length === 0) return withoutOurs(sheet.file, before, record);
  const rest = withoutEntries(before, {
    parents: parentsOf(sheet.entries),
    skeleton: Object.keys(sheet.skeleton),
    undo: record?.undo,
    isOurs: setup.isOurs,
  });
  if (!rest.ok) return fail(settingsTrouble(sheet.file, rest.failure));
  return succeed(isBare(rest.value) && record?.existed === false ? undefined : rest.value);
}

/** A document that cannot be read may well have entries of ours: it is not called clean. */
function withoutOurs(file: string, text: string, record: InstallRecord | undefined): Result<string, string> {
  const settings = parseSettings(text);
  const wasOurs = record !== undefined || text.includes(LAUNCH_MARK);
  return settings.ok || !wasOurs ? succeed(text) : fail(settingsTrouble(file, settings.failure));
}

/** The record of the gates' own entry in this file, if there is one. */
function stopHookIn(file: string, { name }: HostSetup, request: RemovalRequest): StopHookRecord | undefined {
  if (name !== 'claude-code' || request.scope !== 'local') return undefined;
  return readRecords(recordsFile(request)).stopHooks.find((each) => each.file === file);
}

/** A settings file without the gates' own entry; no file where there was none. */
function withoutStopHook(
  text: string,
  { file, existed, undo }: StopHookRecord,
): Result<string | undefined, string> {
  const rest = withoutEntries(text, { parents: [['hooks']], skeleton: [], undo, isOurs: isStopHook });
  if (!rest.ok) return fail(settingsTrouble(file, rest.failure));
  return succeed(existed || !isBare(rest.value) ? rest.value : undefined);
}

/** Nothing is left: also without brackets, which is how a document begins that nobody had written before us. */
function isBare(text: string): boolean {
  return /^\s*(?:\{\s*\}\s*)?$/.test(text);
}

/** A backup that is not what the file says afterwards, and therefore stays. */
function otherBackup(record: InstallRecord | undefined, after: string | undefined): string | undefined {
  const original = backupText(record);
  return original === undefined || original === after ? undefined : record?.backup;
}

function backupText(record: InstallRecord | undefined): string | undefined {
  return record?.backup === undefined ? undefined : textIn(record.backup);
}
