import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Undo } from '../../config/settings/entries';
import { readText } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from '../../core/json';
import { findGit } from '../../git/head';
import { linesIn } from '../../hosts/own-lines';
import type { InstallTarget, Scope } from '../../hosts/setup';
import { writeFileAtomic } from '../../state/files';
import { missingDirectories } from './files';

/** What we must know about a file we wrote in order to restore it. */
export interface InstallRecord {
  readonly host: HostName;
  readonly scope: Scope;
  readonly file: string;
  /** The work tree; absent for user settings. */
  readonly root?: string;
  /** `own-file`: ours alone. `entries`: a document shared with others. */
  readonly kind: 'entries' | 'own-file';
  readonly existed: boolean;
  /** Path of a copy of the original; absent if there was no file. */
  readonly backup?: string;
  /** SHA-256 of the backup as written: a backup that was changed since is not restored. */
  readonly original?: string;
  /** SHA-256 of our last write; absent once somebody else has changed the file. */
  readonly digest?: string;
  /** The lists that contain an entry of ours; none for `own-file`. */
  readonly entries: readonly (readonly string[])[];
  /** How to remove our entries; absent for `own-file`. */
  readonly undo?: Undo;
  readonly directories: readonly string[];
  /** An uninstall has begun. If it is interrupted, the record is still needed to complete it. */
  readonly leaving?: boolean;
  readonly version: string;
}

/** The entry by which `gates init` runs only the gates at the end of a turn. Not part of an installation. */
export type StopHookRecord = Pick<InstallRecord, 'file' | 'existed' | 'backup' | 'directories'> & {
  readonly undo: Undo;
};

export interface Records {
  readonly files: readonly InstallRecord[];
  /** In the home only: the git directories of projects with an installation, to know which one is the last. */
  readonly projects: readonly string[];
  /** In a project only. */
  readonly stopHooks: readonly StopHookRecord[];
}

export interface RecordsPlace {
  readonly target: InstallTarget;
  /** The git directory shared by all work trees. Absent outside a repository, where only scope `user` is possible. */
  readonly commonDir: string | undefined;
  readonly scope: Scope;
}

export function recordsFile({ scope, commonDir, target }: RecordsPlace): string {
  if (scope === 'user' || commonDir === undefined) return homeRecordsFile(target.home);
  return projectRecordsFile(commonDir);
}

export function projectRecordsFile(commonDir: string): string {
  return join(commonDir, 'holdpoint', 'installed.json');
}

export function homeRecordsFile(home: string): string {
  return join(home, '.config', 'holdpoint', 'installed.json');
}

/** Unreadable records count as none; entries are then found by their content. */
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

/** Returns the new records. Deletes the file if nothing is left to record. */
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

/** The command that `gates init` writes into settings. */
export const GATES_COMMAND = 'agent-gauntlet stop-hook';

/** Whether a value in a settings list, or part of one, is that entry. */
export function isStopHook(value: Json): boolean {
  return linesIn(value).includes(GATES_COMMAND);
}

/** Records the gates' own entry before it is written, so that `uninstall` recognises it. */
export function recordStopHook(
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

/** An incomplete record counts as none: only what is certain may be restored. */
function isUndoable({ file, directories, undo }: JsonObject): boolean {
  const isStrings = Array.isArray(directories) && directories.every((each) => typeof each === 'string');
  const lists = isJsonObject(undo) ? [undo['created'], undo['filled'], undo['replaced']] : [undo];
  return typeof file === 'string' && isStrings && (undo === undefined || lists.every(Array.isArray));
}
