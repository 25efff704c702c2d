import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { attempt, detailOf, errorCode } from '../../../core/failure';
import { isoTime } from '../../../core/text';
import type { RunOutput } from '../../../exec/output';
import { findGit } from '../../../git/head';
import { discard, isMissing, writeFileAtomic } from '../../../state/files';
import type { GatesConfig } from '../config';
import { runLock, takeLease } from './lease';
import { plainLines } from './messages';
import type { Reporter, RunEvent } from './run';

export const LOCK_NAME = '.gauntlet-run.lock';
export const STATE_NAME = '.execution_state';
/** The directory with the logs of the last finished session. */
export const ARCHIVE_NAME = 'previous';
/** Where agent-gauntlet kept what is now `working_tree_ref` of the state. */
export const LEGACY_REF_NAME = '.session_ref';

/** A symlink out of the project is not followed, since nothing is written there; the git directory serves instead. */
export function logDirOf(root: string, config: { readonly logDir: string }): string {
  const dir = resolve(root, config.logDir);
  return leadsOut(root, dir) ? join(findGit(root)?.gitDir ?? root, 'holdpoint', 'gate-logs') : dir;
}

/** Judged by the part of a path in the project that exists. */
function leadsOut(root: string, dir: string): boolean {
  let path = dir;
  while (path.startsWith(`${root}/`) && attempt(() => lstatSync(path)) === undefined) path = dirname(path);
  if (!path.startsWith(`${root}/`)) return false;
  const real = attempt(() => realpathSync.native(path));
  return real === undefined || !real.startsWith(`${realpathSync.native(root)}/`);
}

/** Why the logs are not where the config says; `undefined` if they are. */
export function movedLogs(root: string, config: { readonly logDir: string }): string | undefined {
  const [dir, used] = [resolve(root, config.logDir), logDirOf(root, config)];
  if (dir === used) return undefined;
  return `${dir} is behind a symlink that leads out of the project, which is not followed; logs are in ${used}. Replace the symlink with a real directory.`;
}

/** Replaces a JSON file atomically. Returns its text; throws file system errors. */
export function replaceFile(file: string, content: object, durable: boolean): string {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  writeFileAtomic(file, text, { durable, mode: 0o644 });
  return text;
}

/** A job's log: its id with special characters replaced, then the slot, then the run. */
export function gateLogName(id: string, run: number, slot?: string): string {
  return `${id.replace(/[^0-9A-Za-z._-]/g, '_')}${slot === undefined ? '' : `_${slot}`}.${run}.log`;
}

/** Whether a name ends like a log's; hidden files and names with line breaks are not ours. */
export function isLogName(name: string): boolean {
  return /^(?!\.).*\.(?:log|json)$/.test(name);
}

/** The run number at the end of a log's name; `undefined` for any other file. */
export function runOf(name: string): number | undefined {
  const digits = /^(?!\.).+\.(\d{1,9})\.(?:log|json)$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function isConsoleLog(name: string): boolean {
  return /^console\.\d+\.log$/.test(name);
}

export type CurrentLogs = ReturnType<typeof currentLogs>;

/** The logs in a directory, without those in `previous/`. */
export function currentLogs(logDir: string) {
  const names = filesIn(logDir, (name) => runOf(name) !== undefined);
  const number = (name: string): number => runOf(name) ?? 0;
  const highestOf = (some: readonly string[]): number => Math.max(0, ...some.map(number));
  const ofGates = names.filter((name) => !isConsoleLog(name));
  const [console] = names.filter(isConsoleLog).sort((a, b) => number(b) - number(a));
  return {
    names,
    /** Whether a gate has left a log: then the session is open, and its findings must be verified. */
    ofGates: ofGates.length > 0,
    /** The highest number in use, console logs included; 0 without any. */
    highest: highestOf(names),
    highestOfGates: highestOf(ofGates),
    console,
  };
}

/** The regular files with wanted names; none if the directory does not exist. */
export function filesIn(dir: string, isWanted: (name: string) => boolean): readonly string[] {
  try {
    const entries = readdirSync(dir, { withFileTypes: true });
    return entries.flatMap((entry) => (isWanted(entry.name) && entry.isFile() ? entry.name : []));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return [];
    throw error;
  }
}

/** Write errors are ignored: a full disk, or a gate that cleans the directory, must not change a result. */
export class GateLog {
  readonly file: string;
  #bytes = 0;

  constructor(file: string) {
    this.file = file;
  }

  write(...texts: readonly string[]): void {
    const time = isoTime(Date.now());
    const entries = texts.map((text) => `[${time}] ${text}${text.endsWith('\n') ? '' : '\n'}`).join('');
    attempt(() => {
      appendFileSync(this.file, entries);
      this.#bytes += Buffer.byteLength(entries);
    });
  }

  /** Output was logged as it arrived; if nothing was cut, this reorders it: stdout, then stderr. */
  replaceOutput({ cut, isLogged, stderr }: RunOutput, stdout: string): void {
    if (cut || !isLogged || stdout + stderr === '') return;
    // If this fails, the log has the output twice.
    attempt(() => truncateSync(this.file, this.#bytes));
    if (stdout !== '') this.write(stdout);
    if (stderr !== '') this.write(`STDERR:\n${stderr}`);
  }
}

export type ConsoleLog = ReturnType<typeof consoleLog>;

/** `console.N.log` is created when a gate is about to run, so runs with nothing to do leave no file. */
export function consoleLog(reporter: Reporter) {
  let pending = '';
  let write = (text: string): void => {
    pending += text;
  };
  return {
    say(event: RunEvent): void {
      reporter(event);
      write(plainLines(event).reduce((text, line) => `${text}${line}\n`, ''));
    },
    /** Throws if the file exists already or cannot be created. */
    open(file: string): void {
      appendFileSync(file, pending, { flag: 'ax' });
      write = (text) => {
        try {
          if (text !== '') appendFileSync(file, text);
        } catch (error) {
          write = () => undefined;
          reporter({ kind: 'warning', text: `${file} could not be written: ${detailOf(error)}` });
        }
      };
    },
  };
}

export type DebugLog = (line: string) => void;

/** The log that is kept across sessions. Write errors are ignored; a full file becomes `.debug.log.1`. */
export function debugLog(logDir: string, config: Pick<GatesConfig, 'debugLog'>): DebugLog {
  const { enabled, maxSizeMb } = config.debugLog;
  if (!enabled) return () => undefined;
  const file = join(logDir, '.debug.log');
  const write = (line: string): void => {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > 0 && size >= maxSizeMb * 1024 * 1024) renameSync(file, `${file}.1`);
    appendFileSync(file, `[${isoTime(Date.now())}] ${line.replace(/[\r\n]+/g, ' ')}\n`);
  };
  return (line) => void attempt(() => write(line));
}

/** The `clean` command: resets the session and the run interval, if there is anything to move. */
export function cleanByHand(logDir: string) {
  if (isMissing(logDir)) return { kind: 'nothing' } as const;
  try {
    const lease = takeLease({ ...runLock(logDir, { logDir, home: '' }, undefined), isBelieved: () => true });
    if (lease.kind === 'held') return { ...lease, kind: 'locked' } as const;
    try {
      removeLegacyRef(logDir);
      const files = [...archiveLogs(logDir), ...archiveState(logDir)];
      return files.length > 0 ? ({ kind: 'archived', files } as const) : ({ kind: 'nothing' } as const);
    } finally {
      lease.release();
    }
  } catch (error) {
    return { kind: 'failed', why: detailOf(error) } as const;
  }
}

/** Empties `previous/`, moves all logs there, and returns their names. Without logs, it stays as it is. */
export function archiveLogs(logDir: string): readonly string[] {
  const { names } = currentLogs(logDir);
  if (names.length === 0) return [];
  const archive = archiveIn(logDir);
  // Other files in there are not ours to remove.
  const older = filesIn(archive, (name) => isLogName(name) || name === STATE_NAME);
  for (const name of older) if (!names.includes(name)) unlinkSync(join(archive, name));
  for (const name of names) renameSync(join(logDir, name), join(archive, name));
  return names;
}

export function removeLegacyRef(logDir: string): void {
  discard(join(logDir, LEGACY_REF_NAME));
}

function archiveState(logDir: string): readonly string[] {
  const file = join(logDir, STATE_NAME);
  if (isMissing(file)) return [];
  renameSync(file, join(archiveIn(logDir), STATE_NAME));
  return [STATE_NAME];
}

/** Refuses a symlink: it could point anywhere, and files there would be removed. */
function archiveIn(logDir: string): string {
  const archive = join(logDir, ARCHIVE_NAME);
  const stat = lstatSync(archive, { throwIfNoEntry: false });
  if (stat && !stat.isDirectory()) throw new Error(`${archive} is not a directory`);
  if (!stat) mkdirSync(archive, { recursive: true });
  return archive;
}
