import { parseSettings } from '../../config/settings/parse';
import { parentsOf } from '../../config/settings/with-entries';
import { withoutEntries } from '../../config/settings/without-entries';
import { fail, type Result, succeed } from '../../core/failure';
import { LAUNCH_MARK } from '../../hosts/own-lines';
import type { HostSetup, Sheet } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { isStopHook } from '../gates/stop-hook';
import { digestOf } from './digest-of';
import * as say from './messages';
import { ownFilesOf } from './own-files';
import type { FileChange, FoundRival, Plan, UnchangedFile } from './plan';
import { hasOurs, rivalsIn } from './plan-entries';
import { type FilePlan, sheetFor } from './plan-install';
import { isOwnText } from './plan-own-file';
import type { InstallRecord, StopHookRecord } from './record';
import { readRecords, recordsFile } from './records';
import type { RemovalRequest } from './request';
import { readSettingsFile, writeHindrance } from './settings-file';
import { strayRecords } from './stray-records';
import { textIn } from './text-in';
import { isBare, withoutStopHook } from './without-stop-hook';

type Entries = Extract<Sheet, { kind: 'entries' }>;

/** Works out what `uninstall` will give back. Reads, never writes. Hosts that lack this scope have nothing there. */
export function planRemoval(request: RemovalRequest): Result<Plan, string> {
  const records = readRecords(recordsFile(request.scope, request.commonDir, request.ground.home)).files;
  const changes: FileChange[] = [];
  const rivals: FoundRival[] = [];
  const unchanged: UnchangedFile[] = [];
  for (const host of request.hosts) {
    const setup = setupOf(host);
    if (!setup?.scopes.includes(request.scope)) continue;
    const own = records.filter((record) => record.host === host);
    for (const plan of planHost(setup, request, own)) {
      if (!plan.ok) return plan;
      const { file, change, keptBackup } = plan.value;
      rivals.push(...plan.value.rivals);
      if (change === undefined)
        unchanged.push({ host, file, ...(keptBackup !== undefined && { keptBackup }) });
      else changes.push(change);
    }
  }
  return succeed({ changes, adopted: [], rivals, unchanged, startFiles: [] });
}

function planHost(
  setup: HostSetup,
  request: RemovalRequest,
  records: readonly InstallRecord[],
): readonly Result<FilePlan, string>[] {
  const sheet = sheetFor(setup, { ...request, failClosed: false });
  const recordOf = (file: string) => records.find((each) => each.file === file);
  const out = (file: string, kind: Sheet['kind']): Result<FilePlan, string> =>
    sheet.kind === 'entries' && kind === 'entries'
      ? entriesOut(setup, { ...sheet, file }, request, recordOf(file))
      : ownFileOut(setup, file, request, recordOf(file));
  return [
    ...(sheet.kind === 'entries' ? [out(sheet.file, 'entries')] : []),
    ...ownFilesOf(sheet).map(({ file }) => out(file, 'own-file')),
    ...strayRecords(records, sheet, request).map(({ file, kind }) => out(file, kind)),
  ];
}

function entriesOut(
  setup: HostSetup,
  sheet: Entries,
  request: RemovalRequest,
  record: InstallRecord | undefined,
): Result<FilePlan, string> {
  const { file } = sheet;
  const found = readSettingsFile(file, request.scope, request.ground);
  if (!found.ok) return found;
  const before = found.value.text;
  if (before === undefined)
    return succeed({ file, change: undefined, rivals: [], keptBackup: otherBackup(record, undefined) });
  const stopHook = stopHookIn(file, setup, request);
  const ours = textWithout(setup, sheet, before, record);
  if (!ours.ok) return ours;
  const after =
    stopHook === undefined || ours.value === undefined ? ours : withoutStopHook(ours.value, stopHook);
  if (!after.ok) return after;
  const rivals = rivalsIn(before, setup, sheet, { scope: request.scope, replaced: false }).filter(
    ({ command }) => stopHook === undefined || !isStopHook({ command }),
  );
  const keptBackup = otherBackup(record, ours.value);
  if (after.value === before) return succeed({ file, change: undefined, rivals, keptBackup });
  const hindrance = writeHindrance(found.value);
  if (hindrance !== undefined) return fail(hindrance);
  const change = { ...changeOf(setup, request, file, before, after.value), keptBackup };
  return succeed({ file, change, rivals });
}

function stopHookIn(
  file: string,
  { name }: HostSetup,
  { scope, commonDir, ground }: RemovalRequest,
): StopHookRecord | undefined {
  if (name !== 'claude-code' || scope !== 'local') return undefined;
  return readRecords(recordsFile(scope, commonDir, ground.home)).stopHooks?.find(
    (each) => each.file === file,
  );
}

/** A backup that is not what the file says afterwards, and therefore stays. */
function otherBackup(record: InstallRecord | undefined, after: string | undefined): string | undefined {
  const original = record?.backup === undefined ? undefined : textIn(record.backup);
  return original === undefined || original === after ? undefined : record?.backup;
}

/** The backup where nobody has touched the file since; else all but ours, and no file where there was none. */
function textWithout(
  setup: HostSetup,
  sheet: Entries,
  before: string,
  record: InstallRecord | undefined,
): Result<string | undefined, string> {
  if (record !== undefined && record.digest === digestOf(before)) {
    if (!record.existed) return succeed(undefined);
    const original = record.backup === undefined ? undefined : textIn(record.backup);
    if (original !== undefined && record.original === digestOf(original)) return succeed(original);
  }
  if (!hasOurs(before, setup, sheet)) return withoutOurs(sheet.file, before, record);
  const rest = withoutEntries(before, {
    parents: parentsOf(sheet.entries),
    skeleton: Object.keys(sheet.skeleton),
    undo: record?.undo,
    isOurs: setup.isOurs,
  });
  if (!rest.ok) return fail(say.trouble(sheet.file, rest.failure));
  return succeed(isBare(rest.value) && record?.existed === false ? undefined : rest.value);
}

/** A document that cannot be read may well have entries of ours: it is not called clean. */
function withoutOurs(file: string, text: string, record: InstallRecord | undefined): Result<string, string> {
  const settings = parseSettings(text.replace(/^\ufeff/, ''));
  const wasOurs = record !== undefined || text.includes(LAUNCH_MARK);
  return settings.ok || !wasOurs ? succeed(text) : fail(say.trouble(file, settings.failure));
}

function ownFileOut(
  setup: HostSetup,
  file: string,
  request: RemovalRequest,
  record: InstallRecord | undefined,
): Result<FilePlan, string> {
  const found = readSettingsFile(file, request.scope, request.ground);
  if (!found.ok) return found;
  const before = found.value.text;
  if (before === undefined || !isOwnText(before, record))
    return succeed({ file, change: undefined, rivals: [] });
  return succeed({ file, change: changeOf(setup, request, file, before, undefined), rivals: [] });
}

function changeOf(
  { name }: HostSetup,
  { scope }: RemovalRequest,
  file: string,
  before: string,
  after: string | undefined,
): FileChange {
  return { host: name, scope, file, before, after, record: undefined };
}
