import { dirname } from 'node:path';
import { type EntryPlace, parentsOf, placesBelow } from '../../config/settings/entries';
import { parseSettings, type SettingsTrouble, splitMark } from '../../config/settings/parse';
import type { HostName } from '../../core/host-name';
import type { Json } from '../../core/json';
import { findGit } from '../../git/find-git';
import { linesIn } from '../../hosts/own-lines';
import type { Ground, HostSetup, OwnFile, Rival, Scope, Sheet } from '../../hosts/setup';
import { digestOf } from './files';
import { startLineFor } from './launch';
import type { InstallRecord } from './records';
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
  /** What is noted of it afterwards; `undefined` when nothing of ours is left. */
  readonly record: InstallRecord | undefined;
  /** A backup of ours that stays because it is not what was put back. */
  readonly keptBackup?: string | undefined;
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

/** What one file of a host comes to: a change, or none where it is right already. */
export interface FilePlan {
  readonly host: HostName;
  readonly file: string;
  readonly change?: FileChange;
  /** The file is right already and nobody has noted it, as in a clone: what to note. */
  readonly adopted?: InstallRecord | undefined;
  readonly rivals?: readonly FoundRival[];
  /** A backup of ours that is left beside an unchanged file because it is something else. */
  readonly keptBackup?: string | undefined;
}

/** Everything that is about to happen. */
export interface Plan {
  readonly changes: readonly FileChange[];
  readonly adopted: readonly InstallRecord[];
  readonly rivals: readonly FoundRival[];
  readonly unchanged: readonly {
    readonly host: HostName;
    readonly file: string;
    readonly keptBackup?: string;
  }[];
  /** What starts the hook, as far as it has to be written. */
  readonly startFiles: readonly StartFile[];
}

/** The plan of all files together. */
export function planOf(
  files: readonly FilePlan[],
  rivalsElsewhere: readonly FoundRival[] = [],
  startFiles: readonly StartFile[] = [],
): Plan {
  return {
    changes: files.flatMap(({ change }) => change ?? []),
    adopted: files.flatMap(({ adopted }) => adopted ?? []),
    rivals: [...files.flatMap(({ rivals }) => rivals ?? []), ...rivalsElsewhere],
    unchanged: files
      .filter(({ change }) => change === undefined)
      .map(({ host, file, keptBackup }) => ({ host, file, ...(keptBackup !== undefined && { keptBackup }) })),
    startFiles,
  };
}

/** The sheet of a host whose settings others share with us. */
export type EntriesSheet = Extract<Sheet, { kind: 'entries' }>;

/** Gates run at the end of a turn. Their own bound is 20 seconds below. */
const STOP_SECONDS = 600;

/** What a host is given at an installation. */
export function sheetFor(setup: HostSetup, scope: Scope, ground: Ground, failClosed = false): Sheet {
  return setup.sheet(scope, ground, {
    start: startLineFor(setup.name),
    stopSeconds: STOP_SECONDS,
    failClosed,
  });
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

/** Everything in the lists of a document, beside ours too, that passes the test. */
export function placesIn(
  text: string,
  { entries }: EntriesSheet,
  test: (value: Json) => boolean,
): EntryPlace[] {
  const settings = parseSettings(splitMark(text)[1]);
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

/**
 * Of the files recorded for a host, those that its sheet of today does not name: another version wrote them, or the
 * host's settings lay elsewhere then. Those of other work trees, which share the records, are not meant.
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

/** Why a document is left alone, for people. */
export function settingsTrouble(file: string, trouble: SettingsTrouble): string {
  return `${troublePlace(file, trouble)}. The file was left as it is.`;
}

/** The same without its end, for who only looks. */
export function troublePlace(file: string, { line, column, text }: SettingsTrouble): string {
  return `${file}:${line}:${column}: ${text}`;
}
