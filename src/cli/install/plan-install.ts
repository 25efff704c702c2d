import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type Edited, type Undo, withEntries } from '../../config/settings/entries';
import { fail, type Result, succeed } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import type { HostSetup, OwnFile, Scope } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { digestOf, missingDirectories, readSettingsFile, textIn, writeHindrance } from './files';
import {
  type EntriesSheet,
  type FilePlan,
  type FoundRival,
  type InstallRequest,
  isOwnText,
  ownFilesOf,
  type Plan,
  placesIn,
  planOf,
  rivalsIn,
  settingsTrouble,
  sheetFor,
  strayRecords,
} from './plan';
import { type InstallRecord, readRecords, recordsFile } from './records';
import { startFilesToCome } from './start-files';

const SCOPE_FLAGS: Record<Scope, string> = { project: 'without a flag', local: '--local', user: '--user' };

/** Works out what `install` will write. Reads, never writes; the failure is a sentence for people. */
export function planInstall(request: InstallRequest): Result<Plan, string> {
  const { ground, scope } = request;
  const files: FilePlan[] = [];
  const elsewhere: FoundRival[] = [];
  for (const setup of request.hosts.flatMap((host) => setupOf(host) ?? [])) {
    if (!setup.scopes.includes(scope)) {
      const possible = setup.scopes.map((each) => SCOPE_FLAGS[each]).join(', ');
      return fail(`${setup.title} has no place for ${scope} settings; possible: ${possible}.`);
    }
    const plans = planHost(setup, request);
    if (!plans.ok) return plans;
    files.push(...plans.value);
    elsewhere.push(...rivalsElsewhere(setup, request));
  }
  return succeed(planOf(files, elsewhere, startFilesToCome(ground, request.start)));
}

function planHost(setup: HostSetup, request: InstallRequest): Result<readonly FilePlan[], string> {
  const sheet = sheetFor(setup, request.scope, request.ground, request.failClosed);
  if (!isAbsolute(sheet.file)) {
    const where = `The environment has the settings of ${setup.title} in '${sheet.file}'`;
    return fail(`${where}, which is no absolute path. Nothing was changed.`);
  }
  const records = readRecords(recordsFile(request)).files.filter((record) => record.host === setup.name);
  const recordOf = (file: string) => records.find((record) => record.file === file);
  const results = [
    ...(sheet.kind === 'entries' ? [planEntries(setup, sheet, request, recordOf(sheet.file))] : []),
    ...ownFilesOf(sheet).map((own) => planOwnFile(setup.name, own, request, recordOf(own.file))),
  ];
  const plans: FilePlan[] = [];
  for (const result of results) {
    if (!result.ok) return result;
    plans.push(result.value);
  }
  return succeed([...plans, ...strayRecords(records, sheet, request).flatMap(planStrayFile)]);
}

/** In the settings of the other scopes: the host reads them all, so what stands there runs beside ours too. */
function rivalsElsewhere(setup: HostSetup, request: InstallRequest): readonly FoundRival[] {
  const { ground, commonDir } = request;
  const scopes = setup.scopes.filter(
    (scope) => scope !== request.scope && (scope === 'user' || commonDir !== undefined),
  );
  return scopes.flatMap((scope) => {
    const sheet = sheetFor(setup, scope, ground);
    return sheet.kind === 'entries' ? rivalsIn(textIn(sheet.file) ?? '', setup, sheet, scope) : [];
  });
}

/** What becomes of a document that others share with us. */
function planEntries(
  setup: HostSetup,
  sheet: EntriesSheet,
  request: InstallRequest,
  record: InstallRecord | undefined,
): Result<FilePlan, string> {
  const { scope, ground, replace } = request;
  const { file } = sheet;
  const found = readSettingsFile(file, scope, ground);
  if (!found.ok) return found;
  const before = found.value.text;
  const edited = withEntries(before ?? '', {
    entries: sheet.entries,
    skeleton: sheet.skeleton,
    isOurs: setup.isOurs,
    makesRoom: (value) => replace && setup.rival(value) !== undefined,
    keepsOut: (value) => setup.rival(value)?.kind === 'by-hand',
  });
  if (!edited.ok) return fail(settingsTrouble(file, edited.failure));
  const { text } = edited.value;
  const rivals = rivalsIn(before ?? '', setup, sheet, scope, replace);
  const about = { host: setup.name, file };
  const noted = recordFor(setup, sheet, before, edited.value, record);
  const named: InstallRecord = { ...about, scope, ...rootOf(request), ...noted };
  if (text === before) return succeed({ ...about, rivals, adopted: adoptedAs(named, record) });
  const hindrance = writeHindrance(found.value);
  if (hindrance !== undefined) return fail(hindrance);
  return succeed({ ...about, rivals, change: { ...about, scope, before, after: text, record: named } });
}

/** What is to be noted of entries that are right already: those of a clone, and those of an interrupted uninstall. */
function adoptedAs(noted: InstallRecord, record: InstallRecord | undefined): InstallRecord | undefined {
  if (noted.entries.length === 0) return undefined;
  if (record !== undefined) return record.leaving === true ? noted : undefined;
  const { backup: _none, original: _nothing, ...withoutBackup } = noted;
  return withoutBackup;
}

/**
 * What is noted. A digest is only there while the file has been nobody's but ours since it was backed up:
 * then the backup may be put back as it is. Ours that nobody noted came with a clone.
 */
function recordFor(
  setup: HostSetup,
  sheet: EntriesSheet,
  before: string | undefined,
  { text, undo }: Edited,
  record: InstallRecord | undefined,
): Omit<InstallRecord, 'host' | 'scope' | 'file' | 'root'> {
  const ours = placesIn(text, sheet, setup.isOurs);
  const lists = sheet.entries.map(({ path }) => path);
  const entries = lists.filter((path) =>
    ours.some(({ list }) => path.every((step, at) => list[at] === step)),
  );
  const base = { kind: 'entries', version: __VERSION__, entries } as const;
  if (before === undefined) {
    // Those of an installation that was interrupted are ours too.
    const directories = [...(record?.directories ?? []), ...missingDirectories(sheet.file)];
    return { ...base, undo, digest: digestOf(text), existed: false, directories };
  }
  const backed = { existed: true, ...backupOf(sheet.file, before), directories: [] } as const;
  if (placesIn(before, sheet, setup.isOurs).length === 0)
    return { ...base, undo, digest: digestOf(text), ...backed };
  if (record?.undo === undefined) return { ...base, ...backed };
  const { existed, backup, original, digest, directories } = record;
  return {
    ...base,
    existed,
    directories,
    undo: together(record.undo, undo),
    ...(backup !== undefined && { backup }),
    ...(original !== undefined && { original }),
    ...(digest === digestOf(before) && { digest: digestOf(text) }),
  };
}

function together(first: Undo, second: Undo): Undo {
  return {
    ...first,
    created: [...first.created, ...second.created],
    filled: [...first.filled, ...second.filled],
    replaced: [...first.replaced, ...second.replaced],
  };
}

/** Beside the file, under a name that nothing has yet: an existing backup is somebody's only copy. The same bytes will do. */
function backupOf(file: string, text: string): { readonly backup: string; readonly original: string } {
  for (let count = 1; ; count++) {
    const backup = `${file}${count === 1 ? '' : `.${count}`}.holdpoint-backup`;
    if (!existsSync(backup) || textIn(backup) === text) return { backup, original: digestOf(text) };
  }
}

/** What becomes of a file that is all ours. A stranger's file of that name is left alone. */
function planOwnFile(
  host: HostName,
  { file, text }: OwnFile,
  request: InstallRequest,
  record: InstallRecord | undefined,
): Result<FilePlan, string> {
  const { scope, ground } = request;
  const found = readSettingsFile(file, scope, ground);
  if (!found.ok) return found;
  const before = found.value.text;
  const noted: InstallRecord = {
    host,
    scope,
    file,
    ...rootOf(request),
    kind: 'own-file',
    existed: false,
    entries: [],
    digest: digestOf(text),
    directories: record?.directories ?? missingDirectories(file),
    version: __VERSION__,
  };
  if (before === text) return succeed({ host, file, ...(record === undefined && { adopted: noted }) });
  if (before !== undefined && !isOwnText(before, record))
    return fail(`${file} is there already and is not ours. Move it away, then install again.`);
  const hindrance = writeHindrance(found.value);
  if (hindrance !== undefined) return fail(hindrance);
  return succeed({ host, file, change: { host, scope, file, before, after: text, record: noted } });
}

/** A file of another version, which is not needed any more. One that somebody has changed since stays. */
function planStrayFile({ host, scope, file, kind, digest }: InstallRecord): FilePlan[] {
  const before = kind === 'own-file' ? textIn(file) : undefined;
  if (before === undefined || digest !== digestOf(before)) return [];
  return [{ host, file, change: { host, scope, file, before, after: undefined, record: undefined } }];
}

function rootOf({ scope, ground }: InstallRequest): Pick<InstallRecord, 'root'> {
  return scope === 'user' ? {} : { root: ground.project };
}
