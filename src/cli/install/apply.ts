import { unlinkSync } from 'node:fs';
import { detailOf, fail, type Result, succeed } from '../../domain/failure';
import * as say from './messages';
import type { FileChange, Plan } from './plan';
import { homeRecordsFile, readRecords, recordsFile, writeRecords } from './records';
import type { InstallRequest, RemovalRequest } from './request';
import { prepareStart, removeStart } from './start-files';
import { textIn } from './text-in';
import { removeDirectories, writeChange } from './write-change';

/** Writes a plan of `planInstall`. What starts the hook comes first, so that no line ever leads nowhere. */
export function applyInstall(plan: Plan, request: InstallRequest): Result<Plan, string> {
  try {
    prepareStart(request.ground);
  } catch (error) {
    return fail(say.notStarted(detailOf(error)));
  }
  const written = writeAll(plan.changes, request);
  if (!written.ok) return written;
  note(
    plan.adopted.map((record) => ({ file: record.file, host: record.host, record })),
    request,
  );
  noteProject(request);
  return succeed(plan);
}

/** Writes a plan of `planRemoval`. What starts the hook goes with the last installation that is known. */
export function applyRemoval(plan: Plan, request: RemovalRequest): Result<Plan, string> {
  const notes = notesOf(request);
  const { files } = readRecords(notes);
  const written = writeAll(plan.changes, request);
  if (!written.ok) return written;
  const left: string[] = [];
  for (const { file, host, after } of plan.changes) {
    const record = files.find((each) => each.file === file && each.host === host);
    if (record === undefined) continue;
    // Where the original was put back, a copy of it says nothing more.
    if (record.backup !== undefined && textIn(record.backup) === after) unlinkSync(record.backup);
    left.push(...removeDirectories(record.directories));
  }
  // A file that somebody else has rid of us is nothing to remember.
  note(
    plan.unchanged.map((each) => ({ ...each, record: undefined })),
    request,
  );
  if (left.length > 0) handDown(left, notes);
  if (!noteProject(request)) removeStart(request.ground);
  return succeed(plan);
}

/** Directories of ours that others of ours still use go with the last of them. */
function handDown(directories: readonly string[], notes: string): void {
  const records = readRecords(notes);
  const files = records.files.map((record) => {
    const above = directories.filter((directory) => record.file.startsWith(`${directory}/`));
    return { ...record, directories: [...new Set([...above, ...record.directories])] };
  });
  writeRecords(notes, { ...records, files });
}

/**
 * One file after the other. What is to come is noted first: a session that runs meanwhile sees a file change, and
 * tells by the notes whether that was us. What could not be written is noted as it was.
 */
function writeAll(changes: readonly FileChange[], request: RemovalRequest): Result<undefined, string> {
  const before = readRecords(notesOf(request)).files;
  note(
    changes.map(({ file, host, record }) => ({ file, host, record })),
    request,
  );
  for (const [index, change] of changes.entries()) {
    const written = writeChange(change, request.ground);
    if (written.ok) continue;
    const undone = changes.slice(index).map(({ file, host }) => ({
      file,
      host,
      record: before.find((record) => record.file === file && record.host === host),
    }));
    note(undone, request);
    return written;
  }
  return succeed(undefined);
}

type Noted = Pick<FileChange, 'file' | 'host' | 'record'>;

function note(changes: readonly Noted[], request: RemovalRequest): void {
  if (changes.length === 0) return;
  const records = readRecords(notesOf(request));
  const others = records.files.filter(
    (record) => !changes.some(({ file, host }) => file === record.file && host === record.host),
  );
  writeRecords(notesOf(request), {
    ...records,
    files: [...others, ...changes.flatMap(({ record }) => record ?? [])],
  });
}

function notesOf({ scope, commonDir, ground }: RemovalRequest): string {
  return recordsFile(scope, commonDir, ground.home);
}

/** Keeps the list of projects up to date, and tells whether any installation is left that we know of. */
function noteProject({ commonDir, ground }: RemovalRequest): boolean {
  const file = homeRecordsFile(ground.home);
  const records = readRecords(file);
  const isUsed = (project: string): boolean =>
    readRecords(recordsFile('project', project, ground.home)).files.length > 0;
  const known = new Set([...(records.projects ?? []), ...(commonDir === undefined ? [] : [commonDir])]);
  const projects = [...known].filter(isUsed);
  writeRecords(file, { ...records, projects });
  return projects.length > 0 || records.files.length > 0;
}
