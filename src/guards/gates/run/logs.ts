import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { errorCode } from '../../../core/error-code';
import { detailOf } from '../../../core/failure';
import { isoTime, isPlainWord } from '../../../core/text';
import type { Base } from '../../../git/base';
import { writeText } from '../../../state/write-file';
import type { GatesConfig } from '../config';
import type { ExecutionState } from '../run-result';
import { removeLegacyRef, removeState } from './cache';
import { plainLines } from './check';
import { type LeaseHolder, takeLease } from './lease';
import {
  branchChanged,
  CLEANED_BEFORE,
  cleanedFor,
  commitMerged,
  consoleLogLost,
  forgotFor,
  NEW_TURN,
  NOTHING_LEFT,
  notOurArchive,
} from './messages';
import { isPass, type Reporter, type RunEvent } from './run';

export const LOCK_NAME = '.gauntlet-run.lock';
export const STATE_NAME = '.execution_state';
export const DEBUG_LOG_NAME = '.debug.log';
/** Where the last finished session's logs are. */
export const ARCHIVE_NAME = 'previous';
/** How the older program once kept what is now `working_tree_ref` of the state. */
export const LEGACY_REF_NAME = '.session_ref';

/** The directory of logs and state, absolute. */
export function logDirOf(root: string, config: { readonly logDir: string }): string {
  return resolve(root, config.logDir);
}

/*
 * Every file of a run ends in its number; whatever else lies in the directory is somebody else's. No patterns, as
 * these names are looked at many times in a process that lasts milliseconds.
 */

const ENDINGS = ['.log', '.json'];
const MOST_DIGITS = 9;
const CONSOLE = 'console';
const LINE_BREAKS = ['\n', '\r', '\u2028', '\u2029'];

/** A job's log: its id with everything but plain characters replaced, then the slot, then the run. */
export function gateLogName(id: string, run: number, slot?: string): string {
  let stem = '';
  for (let at = 0; at < id.length; at++) stem += isPlainWord(id.charAt(at), '._-') ? id.charAt(at) : '_';
  return `${stem}${slot === undefined ? '' : `_${slot}`}.${run}.log`;
}

export function consoleLogName(run: number): string {
  return `${CONSOLE}.${run}.log`;
}

/** Whether a name ends as logs do; hidden files and names of several lines are none of ours. */
export function isLogName(name: string): boolean {
  if (name.startsWith('.') || !ENDINGS.some((ending) => name.endsWith(ending))) return false;
  return !LINE_BREAKS.some((sign) => name.includes(sign));
}

/** The run that a file belongs to; `undefined` for a file that is not of a run. */
export function runOf(name: string): number | undefined {
  if (!isLogName(name)) return undefined;
  const end = name.lastIndexOf('.');
  const from = name.lastIndexOf('.', end - 1) + 1;
  const digits = name.slice(from, end);
  return from > 1 && digits.length <= MOST_DIGITS && isNumber(digits) ? Number(digits) : undefined;
}

export function isConsoleLog(name: string): boolean {
  const [stem, digits = '', ending, ...rest] = name.split('.');
  return stem === CONSOLE && isNumber(digits) && ending === 'log' && rest.length === 0;
}

function isNumber(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charAt(at) < '0' || text.charAt(at) > '9') return false;
  return text !== '';
}

/** The logs that a directory holds now, by name; those of `previous/` are not among them. */
export interface CurrentLogs {
  readonly names: readonly string[];
  /** Whether a gate has left a log: then the session goes on, and its findings are to be verified. */
  readonly ofGates: boolean;
  /** The highest number in use, console logs included; 0 without any. */
  readonly highest: number;
  /** The same without console logs. */
  readonly highestOfGates: number;
  /** The newest console log's name. */
  readonly console?: string;
}

export function currentLogs(logDir: string): CurrentLogs {
  const names = filesIn(logDir, (name) => runOf(name) !== undefined);
  const ofGates = names.filter((name) => !isConsoleLog(name));
  const consoles = names.filter(isConsoleLog).sort((a, b) => numberOf(b) - numberOf(a));
  return {
    names,
    ofGates: ofGates.length > 0,
    highest: highestOf(names),
    highestOfGates: highestOf(ofGates),
    ...(consoles[0] !== undefined && { console: consoles[0] }),
  };
}

/** The plain files of a directory with wanted names; none where there is no directory. */
export function filesIn(dir: string, isWanted: (name: string) => boolean): readonly string[] {
  try {
    const isFile = (name: string): boolean =>
      lstatSync(`${dir}/${name}`, { throwIfNoEntry: false })?.isFile() === true;
    return readdirSync(dir).filter((name) => isWanted(name) && isFile(name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return [];
    throw error;
  }
}

function highestOf(names: readonly string[]): number {
  return names.reduce((highest, name) => Math.max(highest, numberOf(name)), 0);
}

function numberOf(name: string): number {
  return runOf(name) ?? 0;
}

/**
 * A log of one gate. The first line of each entry carries the time. What cannot be written is lost:
 * a full disk, or a gate that sweeps the directory, must not change how the gate ended.
 */
export class GateLog {
  readonly file: string;
  #bytes = 0;

  constructor(file: string) {
    this.file = file;
  }

  write(...texts: readonly string[]): void {
    const time = isoTime(Date.now());
    const entries = texts.map((text) => `[${time}] ${text}${text.endsWith('\n') ? '' : '\n'}`).join('');
    try {
      appendText(this.file, entries);
      this.#bytes += Buffer.byteLength(entries);
    } catch {
      // See above.
    }
  }

  /** Takes back what others have appended since the last entry, such as a program's output as it came. */
  takeBack(): void {
    try {
      truncateSync(this.file, this.#bytes);
    } catch {
      // Then it stands there twice.
    }
  }
}

/** As a number, since Node takes long to make ready what reads such words as `a`. */
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND;

/** Adds to the end of a file, in three calls that the hook makes anyway; `appendFileSync` would be slower the first time. */
export function appendText(file: string, text: string, where: 'any file' | 'new file' = 'any file'): void {
  const fd = openSync(file, where === 'new file' ? APPEND | constants.O_EXCL : APPEND);
  try {
    writeText(fd, text);
  } finally {
    closeSync(fd);
  }
}

/**
 * What a run says: to whoever listens, and to `console.N.log`. The file is begun only when a gate is about
 * to run; what was said before is written into it then, so that runs with nothing to do leave no file.
 */
export class ConsoleLog {
  readonly #reporter: Reporter;
  #kept = '';
  #file: string | undefined;
  #broken = false;

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
  }

  readonly say: Reporter = (event: RunEvent): void => {
    this.#reporter(event);
    const text = plainLines(event)
      .map((line) => `${line}\n`)
      .join('');
    if (text === '') return;
    if (this.#file === undefined) this.#kept += text;
    else this.#append(text);
  };

  /** Throws where the file is there already or cannot be made. */
  open(file: string): void {
    appendText(file, this.#kept, 'new file');
    this.#file = file;
    this.#kept = '';
  }

  #append(text: string): void {
    if (this.#file === undefined || this.#broken) return;
    try {
      appendText(this.#file, text);
    } catch (error) {
      this.#broken = true;
      this.#reporter({ kind: 'warning', text: consoleLogLost(this.#file, detailOf(error)) });
    }
  }
}

export type DebugLog = (line: string) => void;

const MEGABYTE = 1024 * 1024;

/**
 * The log that survives sessions, where the config wants one. A line that cannot be written is lost;
 * when the file has its full size it becomes `.debug.log.1`.
 */
export function debugLog(logDir: string, config: Pick<GatesConfig, 'debugLog'>): DebugLog {
  const { enabled, maxSizeMb } = config.debugLog;
  if (!enabled) return () => undefined;
  const file = join(logDir, DEBUG_LOG_NAME);
  return (line) => {
    try {
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size > 0 && size >= maxSizeMb * MEGABYTE) renameSync(file, `${file}.1`);
      appendText(file, `[${isoTime(Date.now())}] ${line.replace(/[\r\n]+/g, ' ')}\n`);
    } catch {
      // Nobody's work may hang on it.
    }
  };
}

export type Cleaned =
  | { readonly kind: 'archived'; readonly files: readonly string[] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'locked'; readonly file: string; readonly holder: LeaseHolder }
  | { readonly kind: 'failed'; readonly why: string };

/**
 * The `clean` command: moves logs and state to `previous/`, which forgets the session and the run interval.
 * Without anything to move nothing is touched, and no directory is made.
 */
export function cleanByHand(logDir: string): Cleaned {
  if (!lstatSync(logDir, { throwIfNoEntry: false })) return { kind: 'nothing' };
  try {
    const taken = takeLease(logDir);
    if (taken.kind === 'held') return { kind: 'locked', file: taken.file, holder: taken.holder };
    try {
      const files = [...archiveLogs(logDir), ...archiveState(logDir)];
      return files.length > 0 ? { kind: 'archived', files } : { kind: 'nothing' };
    } finally {
      taken.lease.release();
    }
  } catch (error) {
    return { kind: 'failed', why: detailOf(error) };
  }
}

/**
 * Moves the logs of all runs to `previous/`, which is emptied of the older ones first; without any, it stays
 * as it is. Answers with the names of what was moved. Throws what the file system says.
 */
export function archiveLogs(logDir: string): readonly string[] {
  removeLegacyRef(logDir);
  const { names } = currentLogs(logDir);
  if (names.length === 0) return [];
  const archive = archiveIn(logDir);
  // Anything else in there is not ours to remove.
  const older = filesIn(archive, (name) => isLogName(name) || name === STATE_NAME);
  for (const name of older) if (!names.includes(name)) unlinkSync(join(archive, name));
  for (const name of names) renameSync(join(logDir, name), join(archive, name));
  return names;
}

function archiveState(logDir: string): readonly string[] {
  const file = join(logDir, STATE_NAME);
  if (!lstatSync(file, { throwIfNoEntry: false })) return [];
  renameSync(file, join(archiveIn(logDir), STATE_NAME));
  return [STATE_NAME];
}

/** A link in its place could lead anywhere, and what is there would be removed. */
function archiveIn(logDir: string): string {
  const archive = join(logDir, ARCHIVE_NAME);
  const stat = lstatSync(archive, { throwIfNoEntry: false });
  if (stat && !stat.isDirectory()) throw new Error(notOurArchive(archive));
  if (!stat) mkdirSync(archive, { recursive: true });
  return archive;
}

export type CleanReason =
  | { readonly kind: 'branch changed'; readonly from: string; readonly to: string }
  | { readonly kind: 'commit merged'; readonly commit: string; readonly base: string }
  | { readonly kind: 'session over' }
  | { readonly kind: 'new turn' }
  | { readonly kind: 'nothing left' };

export interface Where {
  readonly branch: string;
  readonly base: Base;
  /** Whether a commit that was not in the base then is in it now. */
  hasBeenMerged(commit: string, before: string | undefined, after: string): Promise<boolean>;
}

/** Why the logs that are there are about something else than what would be checked now, if they are. */
export async function contextChange(state: ExecutionState, where: Where): Promise<CleanReason | undefined> {
  const { branch, commit } = state;
  if (branch !== undefined && branch !== where.branch) {
    return { kind: 'branch changed', from: branch, to: where.branch };
  }
  const { base } = where;
  const hasMoved = base.commit !== undefined && base.commit !== state.base_commit;
  if (commit && base.commit && hasMoved && state.commit_in_base !== true) {
    const merged = await where.hasBeenMerged(commit, state.base_commit, base.commit);
    if (merged) return { kind: 'commit merged', commit, base: base.ref };
  }
  return state.last_status !== undefined && isPass(state.last_status) ? { kind: 'session over' } : undefined;
}

/**
 * Archives what an earlier session left, and says so. Only a pass leaves its state in force: the interval
 * is counted from it. Answers with the sentence for the console, if anything was done.
 */
export function autoClean(logDir: string, reason: CleanReason): string | undefined {
  const hadLogs = currentLogs(logDir).names.length > 0;
  if (hadLogs) archiveLogs(logDir);
  if (reason.kind === 'session over') return hadLogs ? CLEANED_BEFORE : undefined;
  removeState(logDir);
  const words = wordsFor(reason);
  return hadLogs ? cleanedFor(words) : forgotFor(words);
}

function wordsFor(reason: Exclude<CleanReason, { kind: 'session over' }>): string {
  switch (reason.kind) {
    case 'branch changed':
      return branchChanged(reason.from, reason.to);
    case 'commit merged':
      return commitMerged(reason.commit, reason.base);
    case 'new turn':
      return NEW_TURN;
    case 'nothing left':
      return NOTHING_LEFT;
  }
}
