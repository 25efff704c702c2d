import { lstatSync, readdirSync } from 'node:fs';
import { errorCode } from '../../../core/error-code';
import { isConsoleLog, runOf } from './log-names';

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
