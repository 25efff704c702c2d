import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject, type Json } from '../../domain/json';
import type { Scope } from '../../hosts/setup';
import { writeTemporary } from '../../store/whole-file';
import type { InstallRecord } from './record';
import { textIn } from './text-in';

/** What is noted of all installations in one place. */
export interface Records {
  readonly version: 1;
  readonly files: readonly InstallRecord[];
  /** In the home only: the git directories of projects with an installation, so that the last one is known. */
  readonly projects?: readonly string[];
}

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
    const { files = [], projects = [] } = isJsonObject(value) ? value : {};
    return {
      version: 1,
      files: Array.isArray(files) ? (files.filter(isRecord) as unknown as InstallRecord[]) : [],
      projects: Array.isArray(projects) ? projects.filter((each) => typeof each === 'string') : [],
    };
  } catch {
    return { version: 1, files: [], projects: [] };
  }
}

/** No file stays where nothing is left to note. */
export function writeRecords(file: string, records: Records): void {
  const { files, projects = [] } = records;
  if (files.length + projects.length === 0) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  renameSync(
    writeTemporary(
      file,
      `${JSON.stringify({ version: 1, files, ...(projects.length > 0 && { projects }) }, null, 2)}\n`,
      true,
    ),
    file,
  );
}

function isRecord(value: Json): boolean {
  return (
    isJsonObject(value) &&
    typeof value['file'] === 'string' &&
    typeof value['host'] === 'string' &&
    Array.isArray(value['directories'])
  );
}
