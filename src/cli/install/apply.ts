import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, detailOf, errorCode, readText } from '../../core/failure';
import { LAUNCH_FILE, LIBRARY_FILE } from '../../hosts/start-line';
import { acquireLock } from '../../state/files';
import { CLIENTS } from '../../state/sessions';
import { mayBeRunByAgent } from '../caller';
import { type Context, cannotRun, Refusal } from '../context';
import { personOnlyText } from '../req/context';
import { missingDirectories, removeDirectories, removeLeftovers, writeChange } from './files';
import { removeLauncher, writeLauncher } from './launch';
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
import { projectsWithHooks } from './remains';

const LOCK_WAIT_MS = 10_000;

/** Writes the launcher before the settings, so that no hook line points to a missing file. Returns what was done. */
export function install(request: InstallRequest, context: Context): Plan {
  return withLock(request, () => {
    const plan = planInstall(request);
    refuseOtherProgram(plan, request, context);
    removeOldTemporaries(plan, request);
    const wasStarting = existsSync(join(request.target.home, LAUNCH_FILE));
    try {
      writeInstall(plan, request);
      return plan;
    } catch (error) {
      // A failed install leaves no launcher behind.
      if (!wasStarting) attempt(() => removeUnusedStart(request));
      throw error;
    }
  });
}

/** Or an agent could choose the program that holds it. */
function refuseOtherProgram({ startFiles }: Plan, { target }: InstallRequest, context: Context): void {
  const launch = startFiles.find(({ file }) => file === join(target.home, LAUNCH_FILE));
  if (launch?.action === 'changed' && mayBeRunByAgent(context))
    throw new Refusal(personOnlyText('change what the hooks start', context));
}

/** Restores what was there before `install`. The launcher is removed with the last known installation. */
export function uninstall(request: RemovalRequest): Plan {
  return withLock(request, () => {
    const plan = planRemoval(request);
    removeOldTemporaries(plan, request);
    refusingOnRecords(request, () => {
      const before = readRecords(recordsFile(request));
      writeAll(plan.changes, request);
      // A file whose entries somebody else removed needs no record either.
      const done = [...plan.changes, ...plan.unchanged];
      const left = done.flatMap((change) => {
        const { file, keptBackup } = change;
        const record = before.files.find((each) => isRecordOf(change, each));
        const stopHook = before.stopHooks.find((each) => each.file === file);
        return [
          ...tidy(record, keptBackup === undefined),
          ...tidy(stopHook, readText(stopHook?.backup ?? '') === readText(file)),
        ];
      });
      forgetRecords(done, left, request);
      removeUnusedStart(request);
    });
    return plan;
  });
}

/** One lock for all scopes, since every install also writes the launcher. */
function withLock({ target }: RemovalRequest, work: () => Plan): Plan {
  const directory = join(target.home, dirname(LAUNCH_FILE));
  const file = join(directory, 'install.lock');
  const made = missingDirectories(file);
  const lock = acquireLock(file, LOCK_WAIT_MS);
  try {
    if (!lock.ok) {
      const { failure } = lock;
      if (failure.code === 'lock.timeout')
        throw cannotRun(`Another installation is running (${failure.holder}).`);
      const detail = 'detail' in failure ? failure.detail : failure.code;
      // The rest of the system's message is about the lock file, which does not help.
      const why = detail.split(',')[0];
      throw cannotRun(`~/.config/holdpoint cannot be written to (${why}). No settings were changed.`);
    }
    removeLeftovers([file, join(target.home, LAUNCH_FILE), join(target.home, LIBRARY_FILE)]);
    return work();
  } finally {
    if (lock.ok) lock.value.release();
    removeDirectories([...new Set([...made, directory])]);
  }
}

function removeOldTemporaries({ changes, unchanged }: Plan, request: RemovalRequest): void {
  const files = [...changes, ...unchanged].map(({ file }) => file);
  removeLeftovers([...files, homeRecordsFile(request.target.home), recordsFile(request)]);
}

/** Reports records that cannot be written; without records nothing else is changed. */
function refusingOnRecords(request: RemovalRequest, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal || errorCode(error) === '') throw error;
    throw cannotRun(`Installation record ${recordsFile(request)} could not be written (${detailOf(error)}).`);
  }
}

function writeInstall(plan: Plan, request: InstallRequest): void {
  const { scope, commonDir, target } = request;
  try {
    writeLauncher(target, plan.startFiles);
  } catch (error) {
    const what = 'The launcher could not be written to ~/.config/holdpoint';
    throw cannotRun(`${what} (${detailOf(error)}). No settings were changed.`);
  }
  refusingOnRecords(request, () => {
    // First, or uninstalling from another project could remove the launcher while this install is half done.
    if (scope !== 'user' && commonDir !== undefined)
      updateRecords(homeRecordsFile(target.home), ({ projects, ...others }) => ({
        ...others,
        projects: [...new Set([...projects, commonDir])],
      }));
    writeAll(plan.changes, request);
    writeRecords(
      plan.unchanged.filter(({ record }) => record !== undefined),
      request,
    );
    knownInstallations(request);
  });
}

/**
 * Updates the records before each write: a session that runs meanwhile sees a file change, and checks the records to
 * tell whether we did it. On failure, files that were not written get their old records back.
 */
function writeAll(changes: readonly FileChange[], request: RemovalRequest): void {
  const before = readRecords(recordsFile(request)).files;
  const recordOf = (change: Noted) => before.find((record) => isRecordOf(change, record));
  const leaving = (record: InstallRecord | undefined) => record && { ...record, leaving: true };
  writeRecords(
    changes.map((change) => ({ ...change, record: change.record ?? leaving(recordOf(change)) })),
    request,
  );
  for (const [index, change] of changes.entries()) {
    try {
      writeChange(change, request.target);
    } catch (error) {
      writeRecords(
        changes.slice(index).map((each) => ({ ...each, record: recordOf(each) })),
        request,
      );
      throw error;
    }
  }
}

type Noted = Pick<FileChange, 'file' | 'host' | 'record'>;

function isRecordOf({ file, host }: Omit<Noted, 'record'>, record: InstallRecord): boolean {
  return file === record.file && host === record.host;
}

function writeRecords(changes: readonly Noted[], request: RemovalRequest): void {
  if (changes.length === 0) return;
  updateRecords(recordsFile(request), (records) => {
    const others = records.files.filter((record) => !changes.some((change) => isRecordOf(change, record)));
    return { ...records, files: [...others, ...changes.flatMap(({ record }) => record ?? [])] };
  });
}

/** Deletes the backup once the original is restored. Returns the directories of ours that could not be removed. */
function tidy(
  record: Pick<InstallRecord, 'backup' | 'directories'> | undefined,
  isBack: boolean,
): readonly string[] {
  const { backup, directories = [] } = record ?? {};
  if (backup !== undefined && isBack && readText(backup) !== undefined) rmSync(backup, { force: true });
  return removeDirectories(directories);
}

/** Removes the records of files. Directories that other files of ours still use move to their records. */
function forgetRecords(
  done: readonly FileChange[],
  directories: readonly string[],
  request: RemovalRequest,
): void {
  updateRecords(recordsFile(request), (records) => ({
    ...records,
    files: records.files
      .filter((record) => !done.some((change) => isRecordOf(change, record)))
      .map((record) => {
        const above = directories.filter((directory) => record.file.startsWith(`${directory}/`));
        return { ...record, directories: [...new Set([...above, ...record.directories])] };
      }),
    stopHooks: records.stopHooks.filter((record) => !done.some(({ file }) => file === record.file)),
  }));
}

function removeUnusedStart(request: RemovalRequest): void {
  // A clone that got its settings by git has no record here, but its hooks need the launcher too.
  if (knownInstallations(request) > 0 || projectsWithHooks(request.target).length > 0) return;
  // Or a client that still runs here would take the missing launcher for an agent's doing, and hold.
  const notes = request.commonDir && join(request.commonDir, 'holdpoint', CLIENTS);
  if (notes !== undefined && existsSync(notes)) rmSync(notes, { recursive: true, force: true });
  removeLauncher(request.target);
}

/** Counts the known installations. Forgets projects that are gone or no longer have one. */
function knownInstallations({ commonDir, target }: RemovalRequest): number {
  const { files, projects } = updateRecords(homeRecordsFile(target.home), (records) => {
    const known = new Set([...records.projects, ...(commonDir === undefined ? [] : [commonDir])]);
    // Does not check the settings file, which may be on another branch, but whether its work tree still exists.
    const isInstalled = (project: string): boolean =>
      readRecords(projectRecordsFile(project)).files.some(
        ({ root }) => root === undefined || existsSync(join(root, '.git')),
      );
    return { ...records, projects: [...known].filter(isInstalled) };
  });
  return projects.length + files.length;
}
