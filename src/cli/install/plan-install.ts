import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type Edited, withEntries } from '../../config/settings/entries';
import { fail, type Result, succeed } from '../../core/failure';
import type { HostSetup, OwnFile, Scope } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { digestOf, missingDirectories, settingsTrouble, textIn } from './files';
import {
  type EntriesSheet,
  type FileChange,
  type FoundRival,
  type HostFiles,
  type InstallRequest,
  isOwnText,
  ownFilesOf,
  type Plan,
  placesIn,
  planFile,
  planHosts,
  rivalsIn,
  sheetFor,
} from './plan';
import type { InstallRecord } from './records';
import { startFilesToCome } from './start-files';

const SCOPE_FLAGS: Record<Scope, string> = { project: 'without a flag', local: '--local', user: '--user' };

/** Works out what `install` will write. Reads, never writes; the failure is a sentence for people. */
export function planInstall(request: InstallRequest): Result<Plan, string> {
  const plan = planHosts(request, (host) => planHost(host, request));
  if (!plan.ok) return plan;
  const setups = request.hosts.flatMap((host) => setupOf(host) ?? []);
  const elsewhere = setups.flatMap((setup) => rivalsElsewhere(setup, request));
  const startFiles = startFilesToCome(request.ground, request.start);
  return succeed({ ...plan.value, rivals: [...plan.value.rivals, ...elsewhere], startFiles });
}

function planHost(host: HostFiles, request: InstallRequest): readonly Result<FileChange, string>[] {
  const { setup, sheet, strays } = host;
  const { scopes, title } = setup;
  if (!scopes.includes(request.scope)) {
    const possible = scopes.map((each) => SCOPE_FLAGS[each]).join(', ');
    return [fail(`${title} has no place for ${request.scope} settings; possible: ${possible}.`)];
  }
  if (!isAbsolute(sheet.file)) {
    const where = `The environment has the settings of ${title} in '${sheet.file}'`;
    return [fail(`${where}, which is no absolute path. Nothing was changed.`)];
  }
  return [
    ...(sheet.kind === 'entries' ? [planEntries(host, sheet, request)] : []),
    ...ownFilesOf(sheet).map((own) => planOwnFile(host, own, request)),
    // What another version needed. A file that somebody has changed since stays.
    ...strays
      .filter(({ file, kind, digest }) => kind === 'own-file' && digest === digestOf(textIn(file) ?? ''))
      .map(({ file }) => planFile(setup.name, file, request, () => succeed({ after: undefined }), false)),
  ];
}

/** In the settings of the other scopes: the host reads them all, so what stands there runs beside ours too. */
function rivalsElsewhere(
  setup: HostSetup,
  { scope, ground, commonDir }: InstallRequest,
): readonly FoundRival[] {
  const others = setup.scopes.filter(
    (other) => other !== scope && (other === 'user' || commonDir !== undefined),
  );
  return others.flatMap((other) => {
    const sheet = sheetFor(setup, other, ground);
    return sheet.kind === 'entries' ? rivalsIn(textIn(sheet.file) ?? '', setup, sheet, other) : [];
  });
}

/** What becomes of a document that others share with us. */
function planEntries({ setup, recordOf }: HostFiles, sheet: EntriesSheet, request: InstallRequest) {
  const { scope, replace } = request;
  const { file, entries, skeleton } = sheet;
  return planFile(setup.name, file, request, (before) => {
    const edited = withEntries(before ?? '', {
      entries,
      skeleton,
      isOurs: setup.isOurs,
      makesRoom: (value) => replace && setup.rival(value) !== undefined,
      keepsOut: (value) => setup.rival(value)?.kind === 'by-hand',
    });
    if (!edited.ok) return fail(settingsTrouble(file, edited.failure));
    const known = recordOf(file);
    const about = { host: setup.name, scope, file, ...rootOf(request) };
    const noted = { ...about, ...recordFor(setup, sheet, before, edited.value, known) };
    const after = edited.value.text;
    const record = after === before ? adoptedAs(noted, known) : noted;
    return succeed({ after, record, rivals: rivalsIn(before ?? '', setup, sheet, scope, replace) });
  });
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
  const { digest, leaving: _left, ...known } = record;
  const first = record.undo;
  const both = {
    ...first,
    created: [...first.created, ...undo.created],
    filled: [...first.filled, ...undo.filled],
    replaced: [...first.replaced, ...undo.replaced],
  };
  return { ...known, ...base, undo: both, ...(digest === digestOf(before) && { digest: digestOf(text) }) };
}

/** Beside the file, under a name that nothing has yet: an existing backup is somebody's only copy. The same bytes will do. */
function backupOf(file: string, text: string): { readonly backup: string; readonly original: string } {
  for (let count = 1; ; count++) {
    const backup = `${file}${count === 1 ? '' : `.${count}`}.holdpoint-backup`;
    if (!existsSync(backup) || textIn(backup) === text) return { backup, original: digestOf(text) };
  }
}

/** What becomes of a file that is all ours. A stranger's file of that name is left alone. */
function planOwnFile({ setup, recordOf }: HostFiles, { file, text }: OwnFile, request: InstallRequest) {
  return planFile(setup.name, file, request, (before) => {
    const known = recordOf(file);
    const record: InstallRecord = {
      host: setup.name,
      scope: request.scope,
      file,
      ...rootOf(request),
      kind: 'own-file',
      existed: false,
      entries: [],
      digest: digestOf(text),
      directories: known?.directories ?? missingDirectories(file),
      version: __VERSION__,
    };
    if (before === text) return succeed({ record: known === undefined ? record : undefined });
    if (before === undefined || isOwnText(before, known)) return succeed({ after: text, record });
    return fail(`${file} is there already and is not ours. Move it away, then install again.`);
  });
}

function rootOf({ scope, ground }: InstallRequest): Pick<InstallRecord, 'root'> {
  return scope === 'user' ? {} : { root: ground.project };
}
