import { parentsOf, withoutEntries } from '../../config/settings/entries';
import { parseSettings, splitMark } from '../../config/settings/parse';
import { fail, type Result, succeed } from '../../core/failure';
import { LAUNCH_MARK } from '../../hosts/own-lines';
import type { HostSetup } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { isStopHook } from '../gates/stop-hook-entry';
import { digestOf, readSettingsFile, textIn, writeHindrance } from './files';
import {
  type EntriesSheet,
  type FilePlan,
  isOwnText,
  ownFilesOf,
  type Plan,
  placesIn,
  planOf,
  type RemovalRequest,
  rivalsIn,
  settingsTrouble,
  sheetFor,
  strayRecords,
} from './plan';
import { type InstallRecord, readRecords, recordsFile, type StopHookRecord } from './records';

/** Works out what `uninstall` will give back. Reads, never writes. Hosts that lack this scope have nothing there. */
export function planRemoval(request: RemovalRequest): Result<Plan, string> {
  const files: FilePlan[] = [];
  for (const setup of request.hosts.flatMap((host) => setupOf(host) ?? [])) {
    if (!setup.scopes.includes(request.scope)) continue;
    for (const plan of planHost(setup, request)) {
      if (!plan.ok) return plan;
      files.push(plan.value);
    }
  }
  return succeed(planOf(files));
}

function planHost(setup: HostSetup, request: RemovalRequest): readonly Result<FilePlan, string>[] {
  const sheet = sheetFor(setup, request.scope, request.ground);
  const records = readRecords(recordsFile(request)).files.filter((record) => record.host === setup.name);
  const recordOf = (file: string) => records.find((each) => each.file === file);
  const remove = (file: string, kind: InstallRecord['kind']): Result<FilePlan, string> =>
    sheet.kind === 'entries' && kind === 'entries'
      ? removeEntries(setup, { ...sheet, file }, request, recordOf(file))
      : removeOwnFile(setup, file, request, recordOf(file));
  return [
    ...(sheet.kind === 'entries' ? [remove(sheet.file, 'entries')] : []),
    ...ownFilesOf(sheet).map(({ file }) => remove(file, 'own-file')),
    ...strayRecords(records, sheet, request).map(({ file, kind }) => remove(file, kind)),
  ];
}

function removeEntries(
  setup: HostSetup,
  sheet: EntriesSheet,
  request: RemovalRequest,
  record: InstallRecord | undefined,
): Result<FilePlan, string> {
  const { scope, ground } = request;
  const about = { host: setup.name, file: sheet.file };
  const found = readSettingsFile(sheet.file, scope, ground);
  if (!found.ok) return found;
  const before = found.value.text;
  if (before === undefined) return succeed({ ...about, keptBackup: otherBackup(record, undefined) });
  const stopHook = stopHookIn(sheet.file, setup, request);
  const ours = textWithout(setup, sheet, before, record);
  if (!ours.ok) return ours;
  const after =
    stopHook === undefined || ours.value === undefined ? ours : withoutStopHook(ours.value, stopHook);
  if (!after.ok) return after;
  const rivals = rivalsIn(before, setup, sheet, scope).filter(
    ({ command }) => stopHook === undefined || !isStopHook({ command }),
  );
  const keptBackup = otherBackup(record, ours.value);
  if (after.value === before) return succeed({ ...about, rivals, keptBackup });
  const hindrance = writeHindrance(found.value);
  if (hindrance !== undefined) return fail(hindrance);
  const change = { ...about, scope, before, after: after.value, record: undefined, keptBackup };
  return succeed({ ...about, rivals, change });
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
    const original = record.backup === undefined ? undefined : textIn(record.backup);
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
  const settings = parseSettings(splitMark(text)[1]);
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
  const original = record?.backup === undefined ? undefined : textIn(record.backup);
  return original === undefined || original === after ? undefined : record?.backup;
}

function removeOwnFile(
  { name: host }: HostSetup,
  file: string,
  { scope, ground }: RemovalRequest,
  record: InstallRecord | undefined,
): Result<FilePlan, string> {
  const found = readSettingsFile(file, scope, ground);
  if (!found.ok) return found;
  const before = found.value.text;
  if (before === undefined || !isOwnText(before, record)) return succeed({ host, file });
  return succeed({ host, file, change: { host, scope, file, before, after: undefined, record: undefined } });
}
