import { dirname } from 'node:path';
import { type EntryPlace, parentsOf, placesBelow } from '../../config/settings/entries';
import { parseSettings } from '../../config/settings/parse';
import { fail, type Result, succeed } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import type { Json } from '../../core/json';
import { findGit } from '../../git/head';
import { linesIn } from '../../hosts/own-lines';
import type { Ground, HostSetup, OwnFile, Rival, Scope, Sheet } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { digestOf, readSettingsFile, whyNotWritable } from './files';
import { startLineFor } from './launch';
import { type InstallRecord, readRecords, recordsFile } from './records';
import type { Start, StartFile } from './start-files';

/** What somebody wants to have uninstalled, and where. */
export interface RemovalRequest {
  readonly ground: Ground;
  /** The git directory that all work trees share. Absent outside of a repository, where only `user` can be meant. */
  readonly commonDir: string | undefined;
  readonly scope: Scope;
  readonly hosts: readonly HostName[];
}

/** What somebody wants to have installed, and where. */
export interface InstallRequest extends RemovalRequest {
  /** Whether lines written by hand and entries of older programs make room for ours. */
  readonly replace: boolean;
  /** Whether the host shall refuse when we crash, where it knows how. */
  readonly failClosed: boolean;
  readonly start: Start;
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

/** Everything that is about to happen. */
export interface Plan {
  readonly changes: readonly FileChange[];
  readonly unchanged: readonly FileChange[];
  readonly rivals: readonly FoundRival[];
  /** What starts the hook, as far as it has to be written. */
  readonly startFiles: readonly StartFile[];
}

/** What a host is given, and what is recorded of it. */
export interface HostFiles {
  readonly setup: HostSetup;
  readonly sheet: Sheet;
  recordOf(file: string): InstallRecord | undefined;
  /**
   * Recorded files that the sheet of today does not name: another version wrote them, or the host's settings lay
   * elsewhere then. Those of other work trees, which share the records, are not meant.
   */
  readonly strays: readonly InstallRecord[];
}

/** Plans the files of all hosts that are meant. */
export function planHosts(
  request: RemovalRequest & { readonly failClosed?: boolean },
  planHost: (host: HostFiles) => readonly Result<FileChange, string>[],
): Result<Plan, string> {
  const { scope, ground } = request;
  const files: FileChange[] = [];
  for (const setup of request.hosts.flatMap((host) => setupOf(host) ?? [])) {
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
    for (const planned of planHost({ setup, sheet, recordOf, strays })) {
      if (!planned.ok) return planned;
      files.push(planned.value);
    }
  }
  return succeed({
    changes: files.filter(({ before, after }) => before !== after),
    unchanged: files.filter(({ before, after }) => before === after),
    rivals: files.flatMap(({ rivals }) => rivals),
    startFiles: [],
  });
}

/** Plans one file; what `decide` does not name stays as it is. */
export function planFile(
  host: HostName,
  file: string,
  { scope, ground }: RemovalRequest,
  decide: (before: string | undefined) => Result<Partial<FileChange>, string>,
  respectsReadOnly = true,
): Result<FileChange, string> {
  const found = readSettingsFile(file, scope, ground);
  if (!found.ok) return found;
  const before = found.value.text;
  const decided = decide(before);
  if (!decided.ok) return decided;
  const none = { after: before, record: undefined, rivals: [], keptBackup: undefined };
  const change = { host, scope, file, before, ...none, ...decided.value };
  const isChecked = respectsReadOnly && change.after !== before;
  const problem = isChecked ? whyNotWritable(found.value) : undefined;
  return problem === undefined ? succeed(change) : fail(problem);
}

/** The sheet of a host whose settings others share with us. */
export type EntriesSheet = Extract<Sheet, { kind: 'entries' }>;

/** What a host is given at an installation. Gates run at the end of a turn; their own bound is 20 seconds below. */
export function sheetFor(setup: HostSetup, scope: Scope, ground: Ground, failClosed = false): Sheet {
  return setup.sheet(scope, ground, { start: startLineFor(setup.name), stopSeconds: 600, failClosed });
}

/** All files of a sheet that nobody shares with us. */
export function ownFilesOf(sheet: Sheet): readonly OwnFile[] {
  const first = sheet.kind === 'own-file' ? [{ file: sheet.file, text: sheet.text }] : [];
  return [...first, ...(sheet.files ?? [])];
}

/** Whether a file was written by us: it is as we noted it, or speaks of us as all of ours do. */
export function isOwnText(text: string, record: InstallRecord | undefined): boolean {
  return record?.digest === digestOf(text) || /\bholdpoint\b/i.test(text);
}

/** Everything in the lists of a document that passes the test. */
export function placesIn(
  text: string,
  { entries }: EntriesSheet,
  test: (value: Json) => boolean,
): EntryPlace[] {
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
