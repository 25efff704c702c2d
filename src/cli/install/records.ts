import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Undo } from '../../config/settings/entries';
import type { HostName } from '../../core/host-name';
import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from '../../core/json';
import { readText } from '../../exec/attempt';
import { findGit } from '../../git/head';
import { linesIn } from '../../hosts/own-lines';
import type { Ground, Scope } from '../../hosts/setup';
import { writeFileAtomic } from '../../state/files';
import { missingDirectories } from './files';

/** What we know of one file that we have written, so that it can be given back. */
export interface InstallRecord {
  readonly host: HostName;
  readonly scope: Scope;
  readonly file: string;
  /** The work tree it is in; absent for a person's own settings. */
  readonly root?: string;
  /** All ours, or a document that others share. */
  readonly kind: 'entries' | 'own-file';
  readonly existed: boolean;
  /** The file as it was before us; absent where there was none. */
  readonly backup?: string;
  /** SHA-256 of what was put there: a backup that is something else by now is not put back. */
  readonly original?: string;
  /** SHA-256 of what we wrote last, for as long as nobody else has changed the file since our first write. */
  readonly digest?: string;
  /** The lists in which an entry of ours stands; none for files that are all ours. */
  readonly entries: readonly (readonly string[])[];
  /** What has to be known to take our entries out again; absent for files that are all ours. */
  readonly undo?: Undo;
  readonly directories: readonly string[];
  /** An uninstall has begun: whoever completes it, after it was interrupted, still has to know how it was. */
  readonly leaving?: boolean;
  readonly version: string;
}

/** What is noted of the entry by which the gates alone are asked at the end of a turn. It belongs to no installation. */
export type StopHookRecord = Pick<InstallRecord, 'file' | 'existed' | 'backup' | 'directories'> & {
  readonly undo: Undo;
};

export interface Records {
  readonly files: readonly InstallRecord[];
  /** In the home only: the git directories of projects with an installation, so that the last one is known. */
  readonly projects: readonly string[];
  /** In a project only. */
  readonly stopHooks: readonly StopHookRecord[];
}

export interface RecordsPlace {
  readonly ground: Ground;
  /** The git directory that all work trees share. Absent outside of a repository, where only `user` can be meant. */
  readonly commonDir: string | undefined;
  readonly scope: Scope;
}

/** Where the records of a scope are kept: with the project, or with the person. */
export function recordsFile({ scope, commonDir, ground }: RecordsPlace): string {
  if (scope === 'user' || commonDir === undefined) return homeRecordsFile(ground.home);
  return projectRecordsFile(commonDir);
}

export function projectRecordsFile(commonDir: string): string {
  return join(commonDir, 'holdpoint', 'installed.json');
}

export function homeRecordsFile(home: string): string {
  return join(home, '.config', 'holdpoint', 'installed.json');
}

/** Records that cannot be read count as none: then entries are found by what is in them. */
export function readRecords(file: string): Records {
  const { files, projects, stopHooks } = jsonObjectIn(readText(file) ?? '') ?? {};
  const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
  const undoable = (value: Json | undefined) => list(value).filter(isJsonObject).filter(isUndoable);
  return {
    files: undoable(files).filter(({ host }) => typeof host === 'string') as unknown as InstallRecord[],
    projects: list(projects).filter((each) => typeof each === 'string'),
    stopHooks: undoable(stopHooks).filter(({ undo }) => undo !== undefined) as unknown as StopHookRecord[],
  };
}

/** Changes the records and tells what they are now. No file stays where there is nothing left to note. */
export function updateRecords(file: string, update: (records: Records) => Records): Records {
  const records = update(readRecords(file));
  const { files, projects, stopHooks } = records;
  if (files.length + projects.length + stopHooks.length === 0) rmSync(file, { force: true });
  else {
    const more = { ...(projects.length > 0 && { projects }), ...(stopHooks.length > 0 && { stopHooks }) };
    writeFileAtomic(file, `${JSON.stringify({ version: 1, files, ...more }, null, 2)}\n`, { durable: true });
  }
  return records;
}

/** The line that `gates init` puts into settings. */
export const GATES_COMMAND = 'agent-gauntlet stop-hook';

/** Whether a value of a settings list, or a part of one, is that entry. */
export function isStopHook(value: Json): boolean {
  return linesIn(value).includes(GATES_COMMAND);
}

/** Notes the gates' own entry before it is written, so that `uninstall` knows it as ours. */
export function noteStopHook(
  root: string,
  { file, backup, undo }: { readonly file: string; readonly backup: string | undefined; readonly undo: Undo },
): void {
  const commonDir = findGit(root)?.commonDir;
  if (commonDir === undefined) return;
  const existed = backup !== undefined;
  const directories = missingDirectories(file);
  const record = { file, existed, ...(existed && { backup }), undo, directories };
  updateRecords(projectRecordsFile(commonDir), ({ stopHooks, ...others }) => ({
    ...others,
    stopHooks: [...stopHooks.filter((each) => each.file !== file), record],
  }));
}

/** A record that lacks something counts as none: what is put back has to be certain. */
function isUndoable({ file, directories, undo }: JsonObject): boolean {
  const isStrings = Array.isArray(directories) && directories.every((each) => typeof each === 'string');
  const lists = isJsonObject(undo) ? [undo['created'], undo['filled'], undo['replaced']] : [undo];
  return typeof file === 'string' && isStrings && (undo === undefined || lists.every(Array.isArray));
}
