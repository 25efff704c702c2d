import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { detailOf, errorCode } from '../../../core/failure';
import { isoTime } from '../../../core/text';
import { attempt } from '../../../exec/attempt';
import type { RunOutput } from '../../../exec/output';
import { isMissing, writeFileAtomic } from '../../../state/files';
import type { GatesConfig } from '../config';
import { takeLease } from './lease';
import { plainLines } from './messages';
import type { Reporter, RunEvent } from './run';
import { leaseNote, runRecordFile } from './run-record';

export const LOCK_NAME = '.gauntlet-run.lock';
export const STATE_NAME = '.execution_state';
/** Where the last finished session's logs are. */
export const ARCHIVE_NAME = 'previous';
/** In which the older program kept what is now `working_tree_ref` of the state. */
export const LEGACY_REF_NAME = '.session_ref';

export function logDirOf(root: string, config: { readonly logDir: string }): string {
  return resolve(root, config.logDir);
}

/** Replaces a JSON file so that readers see the old or the new content. Returns its text; throws what the file system says. */
export function replaceFile(file: string, content: object, durable: boolean): string {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  writeFileAtomic(file, text, { durable, mode: 0o644 });
  return text;
}

/** A job's log: its id with everything but plain characters replaced, then the slot, then the run. */
export function gateLogName(id: string, run: number, slot?: string): string {
  return `${id.replace(/[^0-9A-Za-z._-]/g, '_')}${slot === undefined ? '' : `_${slot}`}.${run}.log`;
}

/** Whether a name ends as logs do; hidden files and names of several lines are none of ours. */
export function isLogName(name: string): boolean {
  return /^(?!\.).*\.(?:log|json)$/.test(name);
}

/** The run that a file belongs to, from the number that its name ends in; `undefined` for any other file. */
export function runOf(name: string): number | undefined {
  const digits = /^(?!\.).+\.(\d{1,9})\.(?:log|json)$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function isConsoleLog(name: string): boolean {
  return /^console\.\d+\.log$/.test(name);
}

export type CurrentLogs = ReturnType<typeof currentLogs>;

/** The logs that a directory holds now, by name; those of `previous/` are not among them. */
export function currentLogs(logDir: string) {
  const names = filesIn(logDir, (name) => runOf(name) !== undefined);
  const number = (name: string): number => runOf(name) ?? 0;
  const highestOf = (some: readonly string[]): number => Math.max(0, ...some.map(number));
  const ofGates = names.filter((name) => !isConsoleLog(name));
  const [console] = names.filter(isConsoleLog).sort((a, b) => number(b) - number(a));
  return {
    names,
    /** Whether a gate has left a log: then the session goes on, and its findings are to be verified. */
    ofGates: ofGates.length > 0,
    /** The highest number in use, console logs included; 0 without any. */
    highest: highestOf(names),
    highestOfGates: highestOf(ofGates),
    console,
  };
}

/** The plain files of a directory with wanted names; none where there is no directory. */
export function filesIn(dir: string, isWanted: (name: string) => boolean): readonly string[] {
  try {
    const entries = readdirSync(dir, { withFileTypes: true });
    return entries.flatMap((entry) => (isWanted(entry.name) && entry.isFile() ? entry.name : []));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return [];
    throw error;
  }
}

/** What cannot be written is lost: a full disk, or a gate that sweeps the directory, must not change its result. */
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
      appendFileSync(this.file, entries);
      this.#bytes += Buffer.byteLength(entries);
    } catch {
      // See above.
    }
  }

  /** The log got a program's output as it came; if nothing was cut, it now gets stdout first and then stderr. */
  replaceOutput({ cut, log, stderr }: RunOutput, stdout: string): void {
    if (cut || log !== 'whole' || stdout + stderr === '') return;
    // Where this fails, the output is there twice.
    attempt(() => truncateSync(this.file, this.#bytes));
    if (stdout !== '') this.write(stdout);
    if (stderr !== '') this.write(`STDERR:\n${stderr}`);
  }
}

export type ConsoleLog = ReturnType<typeof consoleLog>;

/** `console.N.log` is created only when a gate is about to run, so that runs with nothing to do leave no file. */
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
    /** Throws where the file is there already or cannot be made. */
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

/** The log that survives sessions. A line that cannot be written is lost; a full file becomes `.debug.log.1`. */
export function debugLog(logDir: string, config: Pick<GatesConfig, 'debugLog'>): DebugLog {
  const { enabled, maxSizeMb } = config.debugLog;
  if (!enabled) return () => undefined;
  const file = join(logDir, '.debug.log');
  return (line) => {
    try {
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size > 0 && size >= maxSizeMb * 1024 * 1024) renameSync(file, `${file}.1`);
      appendFileSync(file, `[${isoTime(Date.now())}] ${line.replace(/[\r\n]+/g, ' ')}\n`);
    } catch {
      // A debug log must not stop a run.
    }
  };
}

/** The `clean` command forgets the session and the run interval. Without anything to move, nothing is touched. */
export function cleanByHand(logDir: string) {
  if (isMissing(logDir)) return { kind: 'nothing' } as const;
  try {
    const lease = takeLease(logDir, leaseNote(runRecordFile(logDir, logDir)));
    if (lease.kind === 'held') return { ...lease, kind: 'locked' } as const;
    try {
      const files = [...archiveLogs(logDir), ...archiveState(logDir)];
      return files.length > 0 ? ({ kind: 'archived', files } as const) : ({ kind: 'nothing' } as const);
    } finally {
      lease.release();
    }
  } catch (error) {
    return { kind: 'failed', why: detailOf(error) } as const;
  }
}

/** Moves all logs to `previous/`, which is emptied first, and returns their names; without any it stays as it is. */
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

export function removeLegacyRef(logDir: string): void {
  rmSync(join(logDir, LEGACY_REF_NAME), { force: true });
}

function archiveState(logDir: string): readonly string[] {
  const file = join(logDir, STATE_NAME);
  if (isMissing(file)) return [];
  renameSync(file, join(archiveIn(logDir), STATE_NAME));
  return [STATE_NAME];
}

/** A symlink in its place could lead anywhere, and what is there would be removed. */
function archiveIn(logDir: string): string {
  const archive = join(logDir, ARCHIVE_NAME);
  const stat = lstatSync(archive, { throwIfNoEntry: false });
  if (stat && !stat.isDirectory()) throw new Error(`${archive} is not a directory`);
  if (!stat) mkdirSync(archive, { recursive: true });
  return archive;
}
