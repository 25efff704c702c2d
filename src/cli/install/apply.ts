import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { detailOf, errorCode, type Failure, fail, type Result, succeed } from '../../core/failure';
import { acquireLock } from '../../state/lock';
import { missingDirectories, removeDirectories, removeLeftovers, textIn, writeChange } from './files';
import { LAUNCH_FILE, LIBRARY_FILE } from './launch';
import type { FileChange, InstallRequest, Plan, RemovalRequest } from './plan';
import { planInstall } from './plan-install';
import { planRemoval } from './plan-removal';
import {
  homeRecordsFile,
  type InstallRecord,
  projectRecordsFile,
  readRecords,
  recordsFile,
  updateRecords,
} from './records';
import { prepareStart, removeStart } from './start-files';

const LOCK_WAIT_MS = 10_000;

/** Installs. What starts the hook comes first, so that no line ever leads nowhere. Tells what was done. */
export function install(request: InstallRequest): Result<Plan, string> {
  return withLock(request, () => {
    const plan = planInstall(request);
    if (!plan.ok) return plan;
    removeOldTemporaries(plan.value, request);
    const wasStarting = existsSync(join(request.ground.home, LAUNCH_FILE));
    const written = writeInstall(plan.value, request);
    // Where nothing came of it, nothing is left of it.
    if (!written.ok && !wasStarting) catchRecordErrors(request, () => succeed(removeUnusedStart(request)));
    return written;
  });
}

/** Gives back what was there before `install`. What starts the hook goes with the last known installation. */
export function uninstall(request: RemovalRequest): Result<Plan, string> {
  return withLock(request, () => {
    const plan = planRemoval(request);
    if (!plan.ok) return plan;
    removeOldTemporaries(plan.value, request);
    return catchRecordErrors(request, () => {
      const before = readRecords(recordsFile(request));
      const written = writeAll(plan.value.changes, request);
      if (!written.ok) return written;
      // A file that somebody else has rid of us is nothing to remember either.
      const done = [...plan.value.changes, ...plan.value.unchanged];
      const left = done.flatMap((change) => {
        const { file, keptBackup } = change;
        const record = before.files.find((each) => isOf(change, each));
        const stopHook = before.stopHooks.find((each) => each.file === file);
        return [
          ...tidy(record, keptBackup === undefined),
          ...tidy(stopHook, textIn(stopHook?.backup ?? '') === textIn(file)),
        ];
      });
      forget(done, left, request);
      removeUnusedStart(request);
      return plan;
    });
  });
}

/** One lock for all: every installation also writes what starts the hook. */
function withLock({ ground }: RemovalRequest, work: () => Result<Plan, string>): Result<Plan, string> {
  const directory = join(ground.home, dirname(LAUNCH_FILE));
  const file = join(directory, 'install.lock');
  const made = missingDirectories(file);
  const lock = acquireLock(file, LOCK_WAIT_MS);
  try {
    if (!lock.ok) return fail(notLocked(lock.failure));
    removeLeftovers([file, join(ground.home, LAUNCH_FILE), join(ground.home, LIBRARY_FILE)]);
    return work();
  } finally {
    if (lock.ok) lock.value.release();
    removeDirectories([...new Set([...made, directory])]);
  }
}

function notLocked(failure: Failure): string {
  if (failure.code === 'lock.timeout') return `Another installation is going on (${failure.holder}).`;
  const detail = 'detail' in failure ? failure.detail : failure.code;
  // What comes behind the system's own words is about our lock, and helps nobody.
  return `~/.config/holdpoint cannot be written to (${detail.split(',')[0]}). Nothing was changed.`;
}

/** Every file of ours that is written beside itself first. */
function removeOldTemporaries({ changes, unchanged }: Plan, request: RemovalRequest): void {
  const files = [...changes, ...unchanged].map(({ file }) => file);
  removeLeftovers([...files, homeRecordsFile(request.ground.home), recordsFile(request)]);
}

/** Records that cannot be written are trouble to be told; nothing is done without them. */
function catchRecordErrors<T>(request: RemovalRequest, work: () => Result<T, string>): Result<T, string> {
  try {
    return work();
  } catch (error) {
    if (errorCode(error) === '') throw error;
    const file = recordsFile(request);
    return fail(`What is installed is noted in ${file}, and that could not be written (${detailOf(error)}).`);
  }
}

function writeInstall(plan: Plan, request: InstallRequest): Result<Plan, string> {
  let startFiles: Plan['startFiles'];
  try {
    startFiles = prepareStart(request.ground, request.start);
  } catch (error) {
    const what = 'What starts the hook could not be put into ~/.config/holdpoint';
    return fail(`${what} (${detailOf(error)}). No settings were changed.`);
  }
  const { scope, commonDir, ground } = request;
  return catchRecordErrors(request, () => {
    // First: what starts the hook must not go with another project while this one is half done.
    if (scope !== 'user' && commonDir !== undefined)
      updateRecords(homeRecordsFile(ground.home), ({ projects, ...others }) => ({
        ...others,
        projects: [...new Set([...projects, commonDir])],
      }));
    const written = writeAll(plan.changes, request);
    if (!written.ok) return written;
    note(
      plan.unchanged.filter(({ record }) => record !== undefined),
      request,
    );
    knownInstallations(request);
    return succeed({ ...plan, startFiles });
  });
}

/**
 * One file after the other. What is to come is noted first: a session that runs meanwhile sees a file change, and
 * tells by the records whether that was us. What could not be written is noted as it was.
 */
function writeAll(changes: readonly FileChange[], request: RemovalRequest): Result<undefined, string> {
  const before = readRecords(recordsFile(request)).files;
  const recordOf = (change: Noted) => before.find((record) => isOf(change, record));
  const leaving = (record: InstallRecord | undefined) => record && { ...record, leaving: true };
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

type Noted = Pick<FileChange, 'file' | 'host' | 'record'>;

function isOf({ file, host }: Omit<Noted, 'record'>, record: InstallRecord): boolean {
  return file === record.file && host === record.host;
}

function note(changes: readonly Noted[], request: RemovalRequest): void {
  if (changes.length === 0) return;
  updateRecords(recordsFile(request), (records) => {
    const others = records.files.filter((record) => !changes.some((change) => isOf(change, record)));
    return { ...records, files: [...others, ...changes.flatMap(({ record }) => record ?? [])] };
  });
}

/** Where the original is back, its backup is not needed any more. Tells which directories of ours are left. */
function tidy(
  record: Pick<InstallRecord, 'backup' | 'directories'> | undefined,
  isBack: boolean,
): readonly string[] {
  const { backup, directories = [] } = record ?? {};
  if (backup !== undefined && isBack && textIn(backup) !== undefined) rmSync(backup, { force: true });
  return removeDirectories(directories);
}

/** Removes the records of files. Directories of ours that others of ours still use go with the last of them. */
function forget(done: readonly FileChange[], directories: readonly string[], request: RemovalRequest): void {
  updateRecords(recordsFile(request), (records) => ({
    ...records,
    files: records.files
      .filter((record) => !done.some((change) => isOf(change, record)))
      .map((record) => {
        const above = directories.filter((directory) => record.file.startsWith(`${directory}/`));
        return { ...record, directories: [...new Set([...above, ...record.directories])] };
      }),
    stopHooks: records.stopHooks.filter((record) => !done.some(({ file }) => file === record.file)),
  }));
}

function removeUnusedStart(request: RemovalRequest): void {
  if (knownInstallations(request) === 0) removeStart(request.ground);
}

/** How many installations are left that we know of. Projects without one, and those that are gone, are forgotten. */
function knownInstallations({ commonDir, ground }: RemovalRequest): number {
  const { files, projects } = updateRecords(homeRecordsFile(ground.home), (records) => {
    const known = new Set([...records.projects, ...(commonDir === undefined ? [] : [commonDir])]);
    // A settings file may belong to another branch than the one that is checked out; a work tree that is gone is gone.
    const isInstalled = (project: string): boolean =>
      readRecords(projectRecordsFile(project)).files.some(
        ({ root }) => root === undefined || existsSync(join(root, '.git')),
      );
    return { ...records, projects: [...known].filter(isInstalled) };
  });
  return projects.length + files.length;
}
