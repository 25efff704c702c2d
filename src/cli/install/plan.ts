import { existsSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { valueAt } from '../../config/pointer';
import {
  type Edited,
  type EntryPlace,
  type Extra,
  parentsOf,
  placesBelow,
  withEntries,
  withoutEntries,
} from '../../config/settings/entries';
import { parseSettings } from '../../config/settings/parse';
import type { HostName } from '../../core/host-name';
import type { Json } from '../../core/json';
import { sha256Hex } from '../../core/text';
import { readText } from '../../exec/attempt';
import { findGit } from '../../git/head';
import { linesIn } from '../../hosts/own-lines';
import type { Ground, HostSetup, Offer, OwnFile, Rival, Scope, Sheet } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { cannotRun } from '../ui/refusal';
import { leftAlone, missingDirectories, readSettingsFile, whyNotWritable } from './files';
import { type Start, type StartFile, startFilesFor, startLineFor } from './launch';
import {
  type InstallRecord,
  isStopHook,
  type RecordsPlace,
  readRecords,
  recordsFile,
  type StopHookRecord,
} from './records';

export interface RemovalRequest extends RecordsPlace {
  readonly hosts: readonly HostName[];
}

export interface InstallRequest extends RemovalRequest {
  /** Whether lines written by hand and entries of older programs make room for ours. */
  readonly replace: boolean;
  /** Whether the host shall refuse when we crash, where it knows how. */
  readonly failClosed: boolean;
  readonly start: Start;
  /** What is added beside the entries, where it is missing. */
  readonly offers?: readonly Offer[];
}

/** One file as it is and as it shall be; `undefined` where there is none. Nothing is written yet. */
export interface FileChange {
  readonly host: HostName;
  readonly scope: Scope;
  /** The path by which the host knows it; it may be a link. */
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /**
   * What is noted of it afterwards; `undefined` when nothing of ours is left. Of an unchanged file: what to note of one
   * that is right and that nobody has noted yet, as in a clone.
   */
  readonly record: InstallRecord | undefined;
  readonly rivals: readonly FoundRival[];
  /** A backup of ours that stays because it is not what was put back. */
  readonly keptBackup: string | undefined;
  /** What was offered beside the entries and is added. */
  readonly extras?: readonly Extra[];
}

/** An entry beside ours that does the same work, and whether it makes room. */
export interface FoundRival extends Rival {
  readonly host: HostName;
  readonly scope: Scope;
  readonly file: string;
  /** The list in which it stands, such as `hooks.Stop`. */
  readonly list: string;
  readonly replaced: boolean;
}

export interface Plan {
  readonly changes: readonly FileChange[];
  readonly unchanged: readonly FileChange[];
  readonly rivals: readonly FoundRival[];
  readonly startFiles: readonly StartFile[];
}

const SCOPE_FLAGS: Record<Scope, string> = { project: 'without a flag', local: '--local', user: '--user' };

/** Works out what `install` will write. Reads, never writes. */
export function planInstall(request: InstallRequest): Plan {
  const plan = planHosts(request, (host) => planHost(host, request));
  const elsewhere = request.hosts.flatMap((host) => rivalsElsewhere(setupOf(host), request));
  const startFiles = startFilesFor(request.ground, request.start);
  return { ...plan, rivals: [...plan.rivals, ...elsewhere], startFiles };
}

function planHost(host: HostFiles, request: InstallRequest): readonly FileChange[] {
  const { setup, sheet, strays } = host;
  const { scopes, title } = setup;
  if (!scopes.includes(request.scope)) {
    const possible = scopes.map((each) => SCOPE_FLAGS[each]).join(', ');
    throw cannotRun(`${title} has no ${request.scope} settings. Use: ${possible}.`);
  }
  if (!isAbsolute(sheet.file)) {
    const where = `The environment puts the settings of ${title} at '${sheet.file}'`;
    throw cannotRun(`${where}, which is not an absolute path. Nothing was changed.`);
  }
  return [
    ...(sheet.kind === 'entries' ? [planEntries(host, sheet, request)] : []),
    ...ownFilesOf(sheet).map((own) => planOwnFile(host, own, request)),
    // Files of another version. One that was changed since stays.
    ...strays
      .filter(({ file, kind, digest }) => kind === 'own-file' && digest === sha256Hex(readText(file) ?? ''))
      .map(({ file }) => planFile(setup.name, file, request, () => ({ after: undefined }), false)),
  ];
}

/** In the settings of the other scopes: the host reads them all, so their entries run as well. */
function rivalsElsewhere(setup: HostSetup, { scope, ground, commonDir }: InstallRequest) {
  const others = setup.scopes.filter(
    (other) => other !== scope && (other === 'user' || commonDir !== undefined),
  );
  return others.flatMap((other) => {
    const sheet = sheetFor(setup, other, ground);
    return sheet.kind === 'entries' ? rivalsIn(readText(sheet.file) ?? '', setup, sheet, other) : [];
  });
}

function planEntries({ setup, recordOf }: HostFiles, sheet: EntriesSheet, request: InstallRequest) {
  const { scope, replace } = request;
  const { file, entries, skeleton } = sheet;
  return planFile(setup.name, file, request, (before) => {
    const edited = withEntries(before ?? '', {
      entries,
      skeleton,
      extras: extrasFor(setup, request),
      isOurs: setup.isOurs,
      makesRoom: (value) => replace && setup.rival(value) !== undefined,
      keepsOut: (value) => setup.rival(value)?.kind === 'by-hand',
    });
    if (!edited.ok) throw leftAlone(file, edited.failure);
    const known = recordOf(file);
    const about = { host: setup.name, scope, file, ...rootOf(request) };
    const noted = { ...about, ...recordFor(setup, sheet, before, edited.value, known) };
    const after = edited.value.text;
    const record = after === before ? adoptedAs(noted, known) : noted;
    const rivals = rivalsIn(before ?? '', setup, sheet, scope, replace);
    return { after, record, rivals, extras: edited.value.undo.added ?? [] };
  });
}

/** Settings of the project would override a status line of the person's own. */
function extrasFor(setup: HostSetup, { offers = [], ground }: InstallRequest): readonly Extra[] {
  return offers
    .flatMap((offer) => setup.offers?.[offer] ?? [])
    .filter((extra) => extra.kind === 'item' || otherValueOf(extra, setup, ground) === undefined);
}

/** The settings file that has another value for an extra. */
export function otherValueOf({ path, value }: Extra, setup: HostSetup, ground: Ground): string | undefined {
  const files = setup.scopes.map((scope) => sheetFor(setup, scope, ground).file);
  return files.find((file) => {
    const settings = parseSettings(readText(file) ?? '');
    const there = settings.ok ? valueAt(settings.value.value, path) : undefined;
    return there !== undefined && !isDeepStrictEqual(there, value);
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
    return { ...base, undo, digest: sha256Hex(text), existed: false, directories };
  }
  const backed = { existed: true, ...backupOf(sheet.file, before), directories: [] } as const;
  if (placesIn(before, sheet, setup.isOurs).length === 0)
    return { ...base, undo, digest: sha256Hex(text), ...backed };
  if (record?.undo === undefined) return { ...base, ...backed };
  const { digest, leaving: _left, ...known } = record;
  const first = record.undo;
  const both = {
    ...first,
    created: [...first.created, ...undo.created],
    filled: [...first.filled, ...undo.filled],
    replaced: [...first.replaced, ...undo.replaced],
    added: [...(first.added ?? []), ...(undo.added ?? [])],
  };
  return { ...known, ...base, undo: both, ...(digest === sha256Hex(before) && { digest: sha256Hex(text) }) };
}

/** Beside the file, under a name that nothing has yet: an existing backup is somebody's only copy. The same bytes will do. */
function backupOf(file: string, text: string): { readonly backup: string; readonly original: string } {
  for (let count = 1; ; count++) {
    const backup = `${file}${count === 1 ? '' : `.${count}`}.holdpoint-backup`;
    if (!existsSync(backup) || readText(backup) === text) return { backup, original: sha256Hex(text) };
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
      digest: sha256Hex(text),
      directories: known?.directories ?? missingDirectories(file),
      version: __VERSION__,
    };
    if (before === text) return { record: known === undefined ? record : undefined };
    if (before === undefined || isOwnText(before, known)) return { after: text, record };
    throw cannotRun(
      `${file} already exists and Holdpoint did not write it. Move it away, then install again.`,
    );
  });
}

function rootOf({ scope, ground }: InstallRequest): Pick<InstallRecord, 'root'> {
  return scope === 'user' ? {} : { root: ground.project };
}

/** Works out what `uninstall` will give back. Reads, never writes. Hosts that lack this scope have nothing there. */
export function planRemoval(request: RemovalRequest): Plan {
  return planHosts(request, ({ setup, sheet, strays, recordOf }) => {
    if (!setup.scopes.includes(request.scope)) return [];
    const remove = ({ file, kind }: Pick<InstallRecord, 'file' | 'kind'>): FileChange =>
      sheet.kind === 'entries' && kind === 'entries'
        ? removeEntries(setup, { ...sheet, file }, request, recordOf(file))
        : removeOwnFile(setup, file, request, recordOf(file));
    const own = ownFilesOf(sheet).map(({ file }) => ({ file, kind: 'own-file' }) as const);
    return [...(sheet.kind === 'entries' ? [sheet] : []), ...own, ...strays].map(remove);
  });
}

function removeOwnFile(
  { name }: HostSetup,
  file: string,
  request: RemovalRequest,
  record: InstallRecord | undefined,
): FileChange {
  const isOurs = (text: string | undefined): boolean => text !== undefined && isOwnText(text, record);
  return planFile(name, file, request, (before) => (isOurs(before) ? { after: undefined } : {}), false);
}

function removeEntries(
  setup: HostSetup,
  sheet: EntriesSheet,
  request: RemovalRequest,
  record: InstallRecord | undefined,
): FileChange {
  return planFile(setup.name, sheet.file, request, (before) => {
    if (before === undefined) return { keptBackup: otherBackup(record, undefined) };
    const isLocal = setup.name === 'claude-code' && request.scope === 'local';
    const { stopHooks } = isLocal ? readRecords(recordsFile(request)) : { stopHooks: [] };
    const stopHook = stopHooks.find((each) => each.file === sheet.file);
    const rest = textWithout(setup, sheet, before, record);
    const after = stopHook === undefined || rest === undefined ? rest : withoutStopHook(rest, stopHook);
    const rivals = rivalsIn(before, setup, sheet, request.scope).filter(
      ({ command }) => stopHook === undefined || !isStopHook({ command }),
    );
    return { after, rivals, keptBackup: otherBackup(record, rest) };
  });
}

/** The backup where nobody has touched the file since; else all but ours, and no file where there was none. */
function textWithout(
  setup: HostSetup,
  sheet: EntriesSheet,
  before: string,
  record: InstallRecord | undefined,
): string | undefined {
  const { file, entries, skeleton } = sheet;
  if (record !== undefined && record.digest === sha256Hex(before)) {
    if (!record.existed) return undefined;
    const original = backupText(record);
    if (original !== undefined && record.original === sha256Hex(original)) return original;
  }
  if (!record?.undo?.added?.length && placesIn(before, sheet, setup.isOurs).length === 0) {
    const settings = parseSettings(before);
    // A document that cannot be read may well have entries of ours: it is not called clean.
    if (!settings.ok) throw leftAlone(file, settings.failure);
    return before;
  }
  const rest = withoutEntries(before, {
    parents: parentsOf(entries),
    skeleton: Object.keys(skeleton),
    undo: record?.undo,
    extras: Object.values(setup.offers ?? {}).flat(),
    isOurs: setup.isOurs,
  });
  if (!rest.ok) throw leftAlone(file, rest.failure);
  return isBare(rest.value) && record?.existed === false ? undefined : rest.value;
}

/** A settings file without the gates' own entry; no file where there was none. */
function withoutStopHook(text: string, { file, existed, undo }: StopHookRecord): string | undefined {
  const rest = withoutEntries(text, { parents: [['hooks']], skeleton: [], undo, isOurs: isStopHook });
  if (!rest.ok) throw leftAlone(file, rest.failure);
  return existed || !isBare(rest.value) ? rest.value : undefined;
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
  return record?.backup === undefined ? undefined : readText(record.backup);
}

/** What a host is given, and what is recorded of it. */
interface HostFiles {
  readonly setup: HostSetup;
  readonly sheet: Sheet;
  recordOf(file: string): InstallRecord | undefined;
  /**
   * Recorded files that the sheet of today does not name: another version wrote them, or the host's settings lay
   * elsewhere then. Those of other work trees, which share the records, are not meant.
   */
  readonly strays: readonly InstallRecord[];
}

function planHosts(
  request: RemovalRequest & { readonly failClosed?: boolean },
  planHost: (host: HostFiles) => readonly FileChange[],
): Plan {
  const { scope, ground } = request;
  const files = request.hosts.map(setupOf).flatMap((setup) => {
    const sheet = sheetFor(setup, scope, ground, request.failClosed);
    const records = readRecords(recordsFile(request)).files.filter(({ host }) => host === setup.name);
    const known = [sheet.file, ...ownFilesOf(sheet).map(({ file }) => file)];
    const strays = records.filter(
      (record) =>
        record.scope === scope &&
        !known.includes(record.file) &&
        (scope === 'user' || findGit(dirname(record.file))?.root === ground.project),
    );
    const recordOf = (file: string) => records.find((record) => record.file === file);
    return planHost({ setup, sheet, recordOf, strays });
  });
  return {
    changes: files.filter(({ before, after }) => before !== after),
    unchanged: files.filter(({ before, after }) => before === after),
    rivals: files.flatMap(({ rivals }) => rivals),
    startFiles: [],
  };
}

/** Plans one file; what `decide` does not name stays as it is. */
function planFile(
  host: HostName,
  file: string,
  { scope, ground }: RemovalRequest,
  decide: (before: string | undefined) => Partial<FileChange>,
  respectsReadOnly = true,
): FileChange {
  const found = readSettingsFile(file, scope, ground);
  const before = found.text;
  const none = { after: before, record: undefined, rivals: [], keptBackup: undefined };
  const change = { host, scope, file, before, ...none, ...decide(before) };
  const isChecked = respectsReadOnly && change.after !== before;
  const problem = isChecked ? whyNotWritable(found) : undefined;
  if (problem !== undefined) throw cannotRun(problem);
  return change;
}

/** The sheet of a host whose settings others share with us. */
export type EntriesSheet = Extract<Sheet, { kind: 'entries' }>;

/** What a host is given at an installation. Gates run at the end of a turn; their own bound is 20 seconds below. */
export function sheetFor(setup: HostSetup, scope: Scope, ground: Ground, failClosed = false): Sheet {
  return setup.sheet(scope, ground, { start: startLineFor(setup.name), stopSeconds: 600, failClosed });
}

/** All files of a sheet that belong to Holdpoint alone. */
export function ownFilesOf(sheet: Sheet): readonly OwnFile[] {
  const first = sheet.kind === 'own-file' ? [{ file: sheet.file, text: sheet.text }] : [];
  return [...first, ...(sheet.files ?? [])];
}

/** Whether a file was written by us: it is as we noted it, or speaks of us as all of ours do. */
function isOwnText(text: string, record: InstallRecord | undefined): boolean {
  return record?.digest === sha256Hex(text) || /\bholdpoint\b/i.test(text);
}

function placesIn(text: string, { entries }: EntriesSheet, test: (value: Json) => boolean): EntryPlace[] {
  const settings = parseSettings(text);
  if (!settings.ok) return [];
  return parentsOf(entries).flatMap((parent) => placesBelow(settings.value.value, parent, test));
}

/** Entries that do the same work as ours, in all the lists beside ours. */
export function rivalsIn(
  text: string,
  setup: HostSetup,
  sheet: EntriesSheet,
  scope: Scope,
  replaced = false,
): readonly FoundRival[] {
  const isRival = (value: Json): boolean => setup.rival(value) !== undefined;
  return placesIn(text, sheet, isRival).flatMap(({ list, value }) => {
    const names = list.filter((step) => typeof step === 'string');
    const about = { host: setup.name, file: sheet.file, scope, replaced, list: names.slice(0, 2).join('.') };
    const rivals = linesIn(value).flatMap((command) => setup.rival({ command }) ?? []);
    return rivals.map((rival) => ({ ...rival, ...about }));
  });
}
