import { dirname } from 'node:path';
import type { Snapshot } from '../../core/snapshot';
import type { Place } from './find-loop';
import type { LoopDirs } from './task-file';

const SWITCH = '.idle-disabled';

/** The directories in which the loop of a place keeps its things. */
export function loopDirs({ dir, ref }: Place, { git, projectRoot }: Snapshot): LoopDirs {
  const own = git === undefined ? `${projectRoot}/.holdpoint/state` : `${git.commonDir}/holdpoint`;
  return dir !== undefined && ref.base === 'messages' ? { own, store: dir } : { own };
}

/** Files beside the state, or in the project's root, by which people switch loops off. */
export function switchFiles({ dir }: Place, { projectRoot }: Snapshot): string[] {
  const dirs = dir === undefined ? [] : [dir, dirname(dir)];
  if (!dirs.includes(projectRoot)) dirs.push(projectRoot);
  return dirs.map((one) => `${one}/${SWITCH}`);
}

export function isSwitchedOff(place: Place, snapshot: Snapshot): boolean {
  for (const path of switchFiles(place, snapshot)) {
    if ((snapshot.files.get(path)?.kind ?? 'missing') !== 'missing') return true;
  }
  return false;
}
