import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../core/error-code';
import { detailOf, fail, type Result, succeed } from '../../core/failure';
import { installedState } from './installed-state';
import * as say from './messages';
import type { FileChange, Plan } from './plan';
import type { InstallRecord, StopHookRecord } from './record';
import { homeRecordsFile, readRecords, recordsFile, writeRecords } from './records';
import type { InstallRequest, RemovalRequest } from './request';
import { prepareStart, removeStart } from './start-files';
import { LAUNCH_FILE } from './start-line';
import { startsHere } from './starts-here';
import { textIn } from './text-in';
import { removeDirectories, writeChange } from './write-change';

/** Writes a plan of `planInstall`. What starts the hook comes first, so that no line ever leads nowhere. */
export function applyInstall(plan: Plan, request: InstallRequest): Result<Plan, string> {
  const { ground } = request;
  const wasStarting = existsSync(join(ground.home, LAUNCH_FILE));
  const written = writeInstall(plan, request);
  // Where nothing came of it, nothing is left of it.
  if (!written.ok && !wasStarting) noting(request, () => withoutStart(plan, request));
  return written;
}

function writeInstall(plan: Plan, request: InstallRequest): Result<Plan, string> {
  let startFiles: Plan['startFiles'];
  try {
    startFiles = prepareStart(request.ground, request.start);
  } catch (error) {
    return fail(say.notStarted(detailOf(error)));
  }
  const { direct } = request;
  if (direct !== undefined && !startsHere(direct.program)) return fail(say.notStartedThere(direct.program));
  return noting(request, () => {
    // First: what starts the hook must not go with another project while this one is half done.
    listProject(request);
    const written = writeAll(plan.changes, request);
    if (!written.ok) return written;
    note(
      plan.adopted.map((record) => ({ file: record.file, host: record.host, record })),
      request,
    );
    isAnyLeft(request);
    return succeed({ ...plan, startFiles });
  });
}

function withoutStart(plan: Plan, request: RemovalRequest): Result<Plan, string> {
  if (!isAnyLeft(request) && !isStartedDirectly(request)) removeStart(request.ground);
  return succeed(plan);
}

/** Also of entries that nobody has noted: a host that finds their program gone lets everything pass. */
function isStartedDirectly({ ground, commonDir }: RemovalRequest): boolean {
  return installedState(ground, commonDir).some(({ programs }) => programs.length > 0);
}

/** Writes a plan of `planRemoval`. What starts the hook goes with the last installation that is known. */
export function applyRemoval(plan: Plan, request: RemovalRequest): Result<Plan, string> {
  return noting(request, () => {
    const notes = notesOf(request);
    const { files, stopHooks = [] } = readRecords(notes);
    const written = writeAll(plan.changes, request);
    if (!written.ok) return written;
    // A file that somebody else has rid of us is nothing to remember either.
    const done = [...plan.changes, ...plan.unchanged];
    const left = done.flatMap(({ file, host, keptBackup }) => {
      const record = files.find((each) => each.file === file && each.host === host);
      const stopHook = stopHooks.find((each) => each.file === file);
      return [
        ...(record === undefined ? [] : tidy(record, keptBackup === undefined)),
        ...(stopHook === undefined ? [] : tidy(stopHook, isSame(stopHook))),
      ];
    });
    note(
      done.map(({ file, host }) => ({ file, host, record: undefined })),
      request,
    );
    forgetStopHooks(done, notes);
    if (left.length > 0) handDown(left, notes);
    return withoutStart(plan, request);
  });
}

/** Where the original is back, a copy of it says nothing more. Tells which directories of ours are left. */
function tidy(
  { backup, directories }: Pick<InstallRecord, 'backup' | 'directories'>,
  isBack: boolean,
): readonly string[] {
  if (backup !== undefined && isBack && textIn(backup) !== undefined) rmSync(backup, { force: true });
  return removeDirectories(directories);
}

function isSame({ file, backup }: StopHookRecord): boolean {
  return backup !== undefined && textIn(backup) === textIn(file);
}

function forgetStopHooks(done: readonly Pick<FileChange, 'file'>[], notes: string): void {
  const records = readRecords(notes);
  const { stopHooks = [] } = records;
  const left = stopHooks.filter((each) => !done.some(({ file }) => file === each.file));
  if (left.length < stopHooks.length) writeRecords(notes, { ...records, stopHooks: left });
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
  const recordOf = ({ file, host }: Noted) => before.find((each) => each.file === file && each.host === host);
  note(
    changes.map((change) => ({ ...change, record: change.record ?? leaving(recordOf(change)) })),
    request,
  );
  for (const [index, change] of changes.entries()) {
    const written = writeChange(change, request.ground);
    if (written.ok) continue;
    note(
      changes.slice(index).map((each) => ({ ...each, record: recordOf(each) })),
      request,
    );
    return written;
  }
  return succeed(undefined);
}

function leaving(record: InstallRecord | undefined): InstallRecord | undefined {
  return record && { ...record, leaving: true };
}

/** Notes that cannot be written are trouble to be told; what was about to be done is not done without them. */
function noting(request: RemovalRequest, work: () => Result<Plan, string>): Result<Plan, string> {
  try {
    return work();
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return fail(say.notNoted(notesOf(request), detailOf(error)));
  }
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

function listProject({ commonDir, scope, ground }: RemovalRequest): void {
  if (scope === 'user' || commonDir === undefined) return;
  const file = homeRecordsFile(ground.home);
  const records = readRecords(file);
  writeRecords(file, { ...records, projects: [...new Set([...(records.projects ?? []), commonDir])] });
}

/** Whether any installation is left that we know of. Projects without one, and those that are gone, are forgotten. */
function isAnyLeft({ commonDir, ground }: RemovalRequest): boolean {
  const file = homeRecordsFile(ground.home);
  const records = readRecords(file);
  const known = new Set([...(records.projects ?? []), ...(commonDir === undefined ? [] : [commonDir])]);
  const projects = [...known].filter((project) =>
    readRecords(recordsFile('project', project, ground.home)).files.some(isThere),
  );
  writeRecords(file, { ...records, projects });
  return projects.length > 0 || records.files.length > 0;
}

/** A settings file may belong to another branch than the one that is checked out; a work tree that is gone is gone. */
function isThere({ root }: InstallRecord): boolean {
  return root === undefined || existsSync(join(root, '.git'));
}
