import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import type { Scope } from '../../hosts/setup';
import type { InstallRecord, StopHookRecord } from './record';
import { textIn } from './text-in';
import { writeWhole } from './write-whole';

/** What is noted of all installations in one place. */
export interface Records {
  readonly version: 1;
  readonly files: readonly InstallRecord[];
  /** In the home only: the git directories of projects with an installation, so that the last one is known. */
  readonly projects?: readonly string[];
  /** In a project only. */
  readonly stopHooks?: readonly StopHookRecord[];
}

const UNDO_LISTS = ['created', 'filled', 'replaced'];

/** Where the notes on a scope are kept: with the project, or with the person. */
export function recordsFile(scope: Scope, commonDir: string | undefined, home: string): string {
  const atHome = scope === 'user' || commonDir === undefined;
  return atHome ? homeRecordsFile(home) : join(commonDir, 'holdpoint', 'installed.json');
}

export function homeRecordsFile(home: string): string {
  return join(home, '.config', 'holdpoint', 'installed.json');
}

/** Notes that cannot be read count as none: then entries are found by what is in them. */
export function readRecords(file: string): Records {
  try {
    const value = JSON.parse(textIn(file) ?? '{}') as Json;
    const { files = [], projects = [], stopHooks = [] } = isJsonObject(value) ? value : {};
    return {
      version: 1,
      files: Array.isArray(files) ? (files.filter(isRecord) as unknown as InstallRecord[]) : [],
      projects: Array.isArray(projects) ? projects.filter((each) => typeof each === 'string') : [],
      stopHooks: Array.isArray(stopHooks)
        ? (stopHooks.filter(isStopHook) as unknown as StopHookRecord[])
        : [],
    };
  } catch {
    return { version: 1, files: [], projects: [], stopHooks: [] };
  }
}

/** No file stays where nothing is left to note. */
export function writeRecords(file: string, records: Records): void {
  const { files, projects = [], stopHooks = [] } = records;
  if (files.length + projects.length + stopHooks.length === 0) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const notes = {
    version: 1,
    files,
    ...(projects.length > 0 && { projects }),
    ...(stopHooks.length > 0 && { stopHooks }),
  };
  writeWhole(file, `${JSON.stringify(notes, null, 2)}\n`);
}

/** Half of what is needed would be worse than nothing: what is put back has to be certain. */
function isRecord(value: Json): boolean {
  return isJsonObject(value) && typeof value['host'] === 'string' && isUndoable(value);
}

function isStopHook(value: Json): boolean {
  return isJsonObject(value) && value['undo'] !== undefined && isUndoable(value);
}

function isUndoable({ file, directories, undo }: JsonObject): boolean {
  const lists = undo === undefined ? [] : isJsonObject(undo) ? UNDO_LISTS.map((key) => undo[key]) : [undo];
  return (
    typeof file === 'string' &&
    Array.isArray(directories) &&
    directories.every((each) => typeof each === 'string') &&
    lists.every(Array.isArray)
  );
}
