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
import { readText } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import type { Json } from '../../core/json';
import { sha256Hex } from '../../core/text';
import { findGit } from '../../git/head';
import { handWrittenEntry, hasOwnLine, linesIn } from '../../hosts/own-lines';
import type {
  DuplicateEntry,
  HostSetup,
  InstallSpec,
  InstallTarget,
  OptionalExtra,
  OwnFile,
  Scope,
} from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { cannotRun } from '../context';
import { missingDirectories, readSettingsFile, unchangedRefusal, whyNotWritable } from './files';
import { type LauncherFile, launcherFilesFor, type StartMode } from './launch';
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
  /** Whether our entries replace hook lines written by hand and entries of older programs. */
  readonly replace: boolean;
  /** Whether the host should block when we crash, if it can. */
  readonly failClosed: boolean;
  readonly start: StartMode;
  /** Extras to add if they are missing. */
  readonly offers?: readonly OptionalExtra[];
}

/** One file before and after; `undefined` means no file. Nothing is written yet. */
export interface FileChange {
  readonly host: HostName;
  readonly scope: Scope;
  /** The path the host uses; it may be a symlink. */
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /**
   * The record to keep; `undefined` if nothing of ours is left. For an unchanged file: the record to add if its
   * entries are correct but nobody recorded them, as in a clone.
   */
  readonly record: InstallRecord | undefined;
  readonly duplicates: readonly FoundDuplicate[];
  /** A backup that is kept because it differs from what was restored. */
  readonly keptBackup: string | undefined;
  /** The offered extras that are added. */
  readonly extras?: readonly Extra[];
}

/** Another entry that does the same work as ours, and whether ours replaces it. */
export interface FoundDuplicate extends DuplicateEntry {
  readonly host: HostName;
  readonly scope: Scope;
  readonly file: string;
  /** The list it is in, such as `hooks.Stop`. */
  readonly list: string;
  readonly replaced: boolean;
}

export interface Plan {
  readonly changes: readonly FileChange[];
  readonly unchanged: readonly FileChange[];
  readonly duplicates: readonly FoundDuplicate[];
  readonly startFiles: readonly LauncherFile[];
}

const SCOPE_FLAGS: Record<Scope, string> = { project: 'without a flag', local: '--local', user: '--user' };

/** Only reads. */
export function planInstall(request: InstallRequest): Plan {
  const plan = planHosts(request, (host) => planHost(host, request));
  const elsewhere = request.hosts.flatMap((host) => duplicatesElsewhere(setupOf(host), request));
  const startFiles = launcherFilesFor(request.target, request.start);
  return { ...plan, duplicates: [...plan.duplicates, ...elsewhere], startFiles };
}

function planHost(host: HostFiles, request: InstallRequest): readonly FileChange[] {
  const { setup, spec, unexpectedFiles } = host;
  const { scopes, title } = setup;
  if (!scopes.includes(request.scope)) {
    const possible = scopes.map((each) => SCOPE_FLAGS[each]).join(', ');
    throw cannotRun(`${title} has no ${request.scope} settings. Use: ${possible}.`);
  }
  if (!isAbsolute(spec.file)) {
    const where = `The environment puts the settings of ${title} at '${spec.file}'`;
    throw cannotRun(`${where}, which is not an absolute path. Nothing was changed.`);
  }
  return [
    ...(spec.entries.length > 0 ? [planEntries(host, request)] : []),
    ...(spec.files ?? []).map((own) => planOwnFile(host, own, request)),
    // Removes files of another version, unless they were changed since.
    ...unexpectedFiles
      .filter(({ file, kind, digest }) => kind === 'own-file' && digest === sha256Hex(readText(file) ?? ''))
      .map(({ file }) => planFile(setup.name, file, request, () => ({ after: undefined }), false)),
  ];
}

/** Duplicates in the settings of other scopes: the host reads them all, so their entries run too. */
function duplicatesElsewhere(setup: HostSetup, { scope, target, commonDir }: InstallRequest) {
  const others = setup.scopes.filter(
    (other) => other !== scope && (other === 'user' || commonDir !== undefined),
  );
  return others.flatMap((other) => {
    const spec = setup.installSpec(other, target);
    return duplicatesIn(readText(spec.file) ?? '', setup, spec, other);
  });
}

function planEntries({ setup, spec, recordOf }: HostFiles, request: InstallRequest) {
  const { scope, replace } = request;
  const { file } = spec;
  return planFile(setup.name, file, request, (before) => {
    const edited = withEntries(before ?? '', {
      ...spec,
      extras: extrasFor(setup, request),
      isOurs: hasOwnLine,
      makesRoom: (value) => replace && duplicateIn(value, setup) !== undefined,
      keepsOut: (value) => handWrittenEntry(value) !== undefined,
    });
    if (!edited.ok) throw unchangedRefusal(file, edited.failure);
    const known = recordOf(file);
    const noted = { ...recordFor(spec, before, edited.value, known), ...aboutFile(setup, file, request) };
    const after = edited.value.text;
    const record = after === before ? recordToAdopt(noted, known) : noted;
    const duplicates = duplicatesIn(before ?? '', setup, spec, scope, replace);
    return { after, record, duplicates, extras: edited.value.undo.added ?? [] };
  });
}

/** Leaves out a status line if another scope has one: the project's settings would override the user's own. */
function extrasFor(setup: HostSetup, { offers = [], target }: InstallRequest): readonly Extra[] {
  return offers
    .flatMap((offer) => setup.offers?.[offer] ?? [])
    .filter((extra) => extra.kind === 'item' || otherValueOf(extra, setup, target) === undefined);
}

/** The settings file that already has a different value for an extra. */
export function otherValueOf(
  { path, value }: Extra,
  setup: HostSetup,
  target: InstallTarget,
): string | undefined {
  const files = setup.scopes.map((scope) => setup.installSpec(scope, target).file);
  return files.find((file) => {
    const settings = parseSettings(readText(file) ?? '');
    const there = settings.ok ? valueAt(settings.value.value, path) : undefined;
    return there !== undefined && !isDeepStrictEqual(there, value);
  });
}

/** The record for entries that are correct already: those of a clone, or of an interrupted uninstall. */
function recordToAdopt(noted: InstallRecord, record: InstallRecord | undefined): InstallRecord | undefined {
  if (noted.entries.length === 0) return undefined;
  if (record !== undefined) return record.leaving === true ? noted : undefined;
  const { backup: _none, original: _nothing, ...withoutBackup } = noted;
  return withoutBackup;
}

/**
 * Builds the record. `digest` is kept only while nobody but us has changed the file since the backup, so that the
 * backup can be restored as it is. Entries of ours without a record came with a clone.
 */
function recordFor(
  spec: InstallSpec,
  before: string | undefined,
  { text, undo }: Edited,
  record: InstallRecord | undefined,
): Omit<InstallRecord, keyof ReturnType<typeof aboutFile>> {
  const ours = placesIn(text, spec, hasOwnLine);
  const lists = spec.entries.map(({ path }) => path);
  const entries = lists.filter((path) =>
    ours.some(({ list }) => path.every((step, at) => list[at] === step)),
  );
  const base = { kind: 'entries', entries } as const;
  if (before === undefined) {
    // Directories made by an interrupted install are ours too.
    const directories = [...(record?.directories ?? []), ...missingDirectories(spec.file)];
    return { ...base, undo, digest: sha256Hex(text), existed: false, directories };
  }
  const backed = { existed: true, ...backupOf(spec.file, before), directories: [] } as const;
  if (placesIn(before, spec, hasOwnLine).length === 0)
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

/** A free name beside the file: an old backup may be somebody's only copy. One with the same bytes is reused. */
function backupOf(file: string, text: string): { readonly backup: string; readonly original: string } {
  for (let count = 1; ; count++) {
    const backup = `${file}${count === 1 ? '' : `.${count}`}.holdpoint-backup`;
    if (!existsSync(backup) || readText(backup) === text) return { backup, original: sha256Hex(text) };
  }
}

/** Plans a file that belongs to us alone. Refuses if somebody else's file has that name. */
function planOwnFile({ setup, recordOf }: HostFiles, { file, text }: OwnFile, request: InstallRequest) {
  return planFile(setup.name, file, request, (before) => {
    const known = recordOf(file);
    const directories = known?.directories ?? missingDirectories(file);
    const whole = { kind: 'own-file', existed: false, entries: [], digest: sha256Hex(text) } as const;
    const record: InstallRecord = { ...aboutFile(setup, file, request), ...whole, directories };
    if (before === text) return { record: known === undefined ? record : undefined };
    if (before === undefined || isOwnText(before, known)) return { after: text, record };
    throw cannotRun(
      `${file} already exists and Holdpoint did not write it. Move it away, then install again.`,
    );
  });
}

function aboutFile({ name: host }: HostSetup, file: string, { scope, target }: InstallRequest) {
  return { host, scope, file, version: __VERSION__, ...(scope !== 'user' && { root: target.project }) };
}

/** Only reads. Hosts that lack this scope have nothing to remove. */
export function planRemoval(request: RemovalRequest): Plan {
  return planHosts(request, ({ setup, spec, unexpectedFiles, recordOf }) => {
    if (!setup.scopes.includes(request.scope)) return [];
    const remove = ({ file, kind }: Pick<InstallRecord, 'file' | 'kind'>): FileChange => {
      const record = recordOf(file);
      if (spec.entries.length > 0 && kind === 'entries')
        return removeEntries(setup, { ...spec, file }, request, record);
      const isOurs = (text: string | undefined): boolean => text !== undefined && isOwnText(text, record);
      return planFile(setup.name, file, request, (text) => (isOurs(text) ? { after: undefined } : {}), false);
    };
    const settings = spec.entries.length > 0 ? [{ file: spec.file, kind: 'entries' } as const] : [];
    const own = (spec.files ?? []).map(({ file }) => ({ file, kind: 'own-file' }) as const);
    return [...settings, ...own, ...unexpectedFiles].map(remove);
  });
}

function removeEntries(
  setup: HostSetup,
  spec: InstallSpec,
  request: RemovalRequest,
  record: InstallRecord | undefined,
): FileChange {
  return planFile(setup.name, spec.file, request, (before) => {
    if (before === undefined) return { keptBackup: otherBackup(record, undefined) };
    const isLocal = setup.name === 'claude-code' && request.scope === 'local';
    const { stopHooks } = isLocal ? readRecords(recordsFile(request)) : { stopHooks: [] };
    const stopHook = stopHooks.find((each) => each.file === spec.file);
    const rest = textWithout(setup, spec, before, record);
    const after = stopHook === undefined || rest === undefined ? rest : withoutStopHook(rest, stopHook);
    const duplicates = duplicatesIn(before, setup, spec, request.scope).filter(
      ({ command }) => stopHook === undefined || !isStopHook({ command }),
    );
    return { after, duplicates, keptBackup: otherBackup(record, rest) };
  });
}

/** Restores the backup if nobody changed the file since, else removes only our entries. `undefined`: no file. */
function textWithout(
  setup: HostSetup,
  spec: InstallSpec,
  before: string,
  record: InstallRecord | undefined,
): string | undefined {
  const { file, entries, skeleton = {} } = spec;
  if (record !== undefined && record.digest === sha256Hex(before)) {
    if (!record.existed) return undefined;
    const original = backupText(record);
    if (original !== undefined && record.original === sha256Hex(original)) return original;
  }
  if (!record?.undo?.added?.length && placesIn(before, spec, hasOwnLine).length === 0) {
    const settings = parseSettings(before);
    // An unreadable document may contain entries of ours, so it must not be reported as clean.
    if (!settings.ok) throw unchangedRefusal(file, settings.failure);
    return before;
  }
  const rest = withoutEntries(before, {
    parents: parentsOf(entries),
    skeleton: Object.keys(skeleton),
    undo: record?.undo,
    extras: Object.values(setup.offers ?? {}).flat(),
    isOurs: hasOwnLine,
  });
  if (!rest.ok) throw unchangedRefusal(file, rest.failure);
  return isBlank(rest.value) && record?.existed === false ? undefined : rest.value;
}

/** Removes the gates' own entry; `undefined` deletes a file that did not exist before. */
function withoutStopHook(text: string, { file, existed, undo }: StopHookRecord): string | undefined {
  const rest = withoutEntries(text, { parents: [['hooks']], skeleton: [], undo, isOurs: isStopHook });
  if (!rest.ok) throw unchangedRefusal(file, rest.failure);
  return existed || !isBlank(rest.value) ? rest.value : undefined;
}

/** Whether nothing is left: `{}`, or blank text, since a file that we created started out blank. */
function isBlank(text: string): boolean {
  return /^\s*(?:\{\s*\}\s*)?$/.test(text);
}

/** The backup, if it differs from the new text and must be kept. */
function otherBackup(record: InstallRecord | undefined, after: string | undefined): string | undefined {
  const original = backupText(record);
  return original === undefined || original === after ? undefined : record?.backup;
}

function backupText(record: InstallRecord | undefined): string | undefined {
  return record?.backup === undefined ? undefined : readText(record.backup);
}

interface HostFiles {
  readonly setup: HostSetup;
  readonly spec: InstallSpec;
  recordOf(file: string): InstallRecord | undefined;
  /**
   * Recorded files that the current install spec does not name: another version wrote them, or the host's settings were
   * elsewhere then. Excludes those of other work trees, which share the records.
   */
  readonly unexpectedFiles: readonly InstallRecord[];
}

function planHosts(
  request: RemovalRequest & { readonly failClosed?: boolean },
  planHost: (host: HostFiles) => readonly FileChange[],
): Plan {
  const { scope, target } = request;
  const files = request.hosts.map(setupOf).flatMap((setup) => {
    const spec = setup.installSpec(scope, target, request.failClosed);
    const records = readRecords(recordsFile(request)).files.filter(({ host }) => host === setup.name);
    const known = [spec, ...(spec.files ?? [])].map(({ file }) => file);
    const strays = records.filter(
      (record) =>
        record.scope === scope &&
        !known.includes(record.file) &&
        (scope === 'user' || findGit(dirname(record.file))?.root === target.project),
    );
    const recordOf = (file: string) => records.find((record) => record.file === file);
    return planHost({ setup, spec, recordOf, unexpectedFiles: strays });
  });
  return {
    changes: files.filter(({ before, after }) => before !== after),
    unchanged: files.filter(({ before, after }) => before === after),
    duplicates: files.flatMap(({ duplicates }) => duplicates),
    startFiles: [],
  };
}

/** Plans one file; fields that `decide` leaves out mean no change. */
function planFile(
  host: HostName,
  file: string,
  { scope, target }: RemovalRequest,
  decide: (before: string | undefined) => Partial<FileChange>,
  respectsReadOnly = true,
): FileChange {
  const found = readSettingsFile(file, scope, target);
  const before = found.text;
  const none = { after: before, record: undefined, duplicates: [], keptBackup: undefined };
  const change = { host, scope, file, before, ...none, ...decide(before) };
  const isChecked = respectsReadOnly && change.after !== before;
  const problem = isChecked ? whyNotWritable(found) : undefined;
  if (problem !== undefined) throw cannotRun(problem);
  return change;
}

/** Whether we wrote a file: it matches the recorded digest, or mentions Holdpoint, as all our files do. */
function isOwnText(text: string, record: InstallRecord | undefined): boolean {
  return record?.digest === sha256Hex(text) || /\bholdpoint\b/i.test(text);
}

function placesIn(text: string, { entries }: InstallSpec, test: (value: Json) => boolean): EntryPlace[] {
  const settings = parseSettings(text);
  if (!settings.ok) return [];
  return parentsOf(entries).flatMap((parent) => placesBelow(settings.value.value, parent, test));
}

function duplicateIn(value: Json, setup: HostSetup): DuplicateEntry | undefined {
  return handWrittenEntry(value) ?? setup.olderProgram?.(value);
}

/** Entries that do the same work as ours, in any list next to ours. */
export function duplicatesIn(
  text: string,
  setup: HostSetup,
  spec: InstallSpec,
  scope: Scope,
  replaced = false,
): readonly FoundDuplicate[] {
  const isRival = (value: Json): boolean => duplicateIn(value, setup) !== undefined;
  return placesIn(text, spec, isRival).flatMap(({ list, value }) => {
    const names = list.filter((step) => typeof step === 'string');
    const about = { host: setup.name, file: spec.file, scope, replaced, list: names.slice(0, 2).join('.') };
    const duplicates = linesIn(value).flatMap((command) => duplicateIn({ command }, setup) ?? []);
    return duplicates.map((duplicate) => ({ ...duplicate, ...about }));
  });
}
