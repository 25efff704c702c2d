import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { detailOf, errorCode } from '../../core/failure';
import { attempt, readText } from '../../exec/attempt';
import { acquireLock } from '../../state/lock';
import { CLIENTS } from '../../state/sessions';
import { cannotRun, Refusal } from '../ui/refusal';
import { missingDirectories, removeDirectories, removeLeftovers, writeChange } from './files';
import { LAUNCH_FILE, LIBRARY_FILE, removeStart, writeStart } from './launch';
import { projectsWithHooks } from './leaving';
import {
  type FileChange,
  type InstallRequest,
  type Plan,
  planInstall,
  planRemoval,
  type RemovalRequest,
} from './plan';
import {
  homeRecordsFile,
  type InstallRecord,
  projectRecordsFile,
  readRecords,
  recordsFile,
  updateRecords,
} from './records';

const LOCK_WAIT_MS = 10_000;

/** Installs. What starts the hook comes first, so that no line ever leads nowhere. Tells what was done. */
export function install(request: InstallRequest): Plan {
  return withLock(request, () => {
    const plan = planInstall(request);
    removeOldTemporaries(plan, request);
    const wasStarting = existsSync(join(request.ground.home, LAUNCH_FILE));
    try {
      writeInstall(plan, request);
      return plan;
    } catch (error) {
      // Where nothing came of it, nothing is left of it.
      if (!wasStarting) attempt(() => removeUnusedStart(request));
      throw error;
    }
  });
}

/** Gives back what was there before `install`. What starts the hook goes with the last known installation. */
export function uninstall(request: RemovalRequest): Plan {
  return withLock(request, () => {
    const plan = planRemoval(request);
    removeOldTemporaries(plan, request);
    refusingOnRecords(request, () => {
      const before = readRecords(recordsFile(request));
      writeAll(plan.changes, request);
      // A file whose entries someone else removed needs no record either.
      const done = [...plan.changes, ...plan.unchanged];
      const left = done.flatMap((change) => {
        const { file, keptBackup } = change;
        const record = before.files.find((each) => isOf(change, each));
        const stopHook = before.stopHooks.find((each) => each.file === file);
        return [
          ...tidy(record, keptBackup === undefined),
          ...tidy(stopHook, readText(stopHook?.backup ?? '') === readText(file)),
        ];
      });
      forget(done, left, request);
      removeUnusedStart(request);
    });
    return plan;
  });
}

/** One lock for all: every installation also writes what starts the hook. */
function withLock({ ground }: RemovalRequest, work: () => Plan): Plan {
  const directory = join(ground.home, dirname(LAUNCH_FILE));
  const file = join(directory, 'install.lock');
  const made = missingDirectories(file);
  const lock = acquireLock(file, LOCK_WAIT_MS);
  try {
    if (!lock.ok) {
      const { failure } = lock;
      if (failure.code === 'lock.timeout')
        throw cannotRun(`Another installation is running (${failure.holder}).`);
      const detail = 'detail' in failure ? failure.detail : failure.code;
      // The rest of the system's message is about the lock, which helps no one.
      const why = detail.split(',')[0];
      throw cannotRun(`~/.config/holdpoint cannot be written to (${why}). Nothing was changed.`);
    }
    removeLeftovers([file, join(ground.home, LAUNCH_FILE), join(ground.home, LIBRARY_FILE)]);
    return work();
  } finally {
    if (lock.ok) lock.value.release();
    removeDirectories([...new Set([...made, directory])]);
  }
}

/** Temporary files of everything that is written atomically. */
function removeOldTemporaries({ changes, unchanged }: Plan, request: RemovalRequest): void {
  const files = [...changes, ...unchanged].map(({ file }) => file);
  removeLeftovers([...files, homeRecordsFile(request.ground.home), recordsFile(request)]);
}

/** Records that cannot be written are reported; nothing is done without them. */
function refusingOnRecords(request: RemovalRequest, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal || errorCode(error) === '') throw error;
    throw cannotRun(`Installation record ${recordsFile(request)} could not be written (${detailOf(error)}).`);
  }
}

function writeInstall(plan: Plan, request: InstallRequest): void {
  const { scope, commonDir, ground } = request;
  try {
    writeStart(ground, plan.startFiles);
  } catch (error) {
    const what = 'The launcher could not be written to ~/.config/holdpoint';
    throw cannotRun(`${what} (${detailOf(error)}). No settings were changed.`);
  }
  refusingOnRecords(request, () => {
    // First: what starts the hook must not go with another project while this one is half done.
    if (scope !== 'user' && commonDir !== undefined)
      updateRecords(homeRecordsFile(ground.home), ({ projects, ...others }) => ({
        ...others,
        projects: [...new Set([...projects, commonDir])],
      }));
    writeAll(plan.changes, request);
    note(
      plan.unchanged.filter(({ record }) => record !== undefined),
      request,
    );
    knownInstallations(request);
  });
}

/**
 * One file after the other. What is to come is noted first: a session that runs meanwhile sees a file change, and
 * tells by the records whether that was us. What could not be written is noted as it was.
 */
function writeAll(changes: readonly FileChange[], request: RemovalRequest): void {
  const before = readRecords(recordsFile(request)).files;
  const recordOf = (change: Noted) => before.find((record) => isOf(change, record));
  const leaving = (record: InstallRecord | undefined) => record && { ...record, leaving: true };
  note(
    changes.map((change) => ({ ...change, record: change.record ?? leaving(recordOf(change)) })),
    request,
  );
  for (const [index, change] of changes.entries()) {
    try {
      writeChange(change, request.ground);
    } catch (error) {
      note(
        changes.slice(index).map((each) => ({ ...each, record: recordOf(each) })),
        request,
      );
      throw error;
    }
  }
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
  if (backup !== undefined && isBack && readText(backup) !== undefined) rmSync(backup, { force: true });
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
  // A clone whose settings came by git has no record here, and its hooks need the launcher as well.
  if (knownInstallations(request) > 0 || projectsWithHooks(request.ground).length > 0) return;
  // A client that still runs here would take the missing launcher for an agent's doing, and hold.
  const notes = join(request.commonDir ?? request.ground.home, 'holdpoint', CLIENTS);
  if (existsSync(notes)) rmSync(notes, { recursive: true, force: true });
  removeStart(request.ground);
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
