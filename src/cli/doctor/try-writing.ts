import { existsSync, renameSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { detailOf, type Failure } from '../../core/failure';
import { containerOf, type Layout } from '../../state/layout';
import { placeOf } from '../../state/place';
import { lockProject } from '../../state/update';
import { discard, writeTemporary } from '../../state/write-file';
import { nearestThere, stateDirectories } from '../project';

/** More than a file system keeps beside the name, so that a full disk shows. */
const TRIAL = `${'A trial of Holdpoint, to be removed at once. '.repeat(200)}\n`;

/**
 * Does once what keeping state takes: a lock, and in each directory a file that is written, renamed and removed. Leaves
 * nothing behind; of a directory that is not there yet, the one is tried in which it would be made.
 */
export function tryWriting(layout: Layout): Failure | undefined {
  for (const directory of stateDirectories(layout)) {
    const failure = tryIn(layout, `${directory}/trial`);
    if (failure !== undefined) return failure;
  }
  return existsSync(layout.own) ? tryLock(layout) : undefined;
}

function tryIn(layout: Layout, file: string): Failure | undefined {
  let written: string | undefined;
  try {
    const place = placeOf(containerOf(layout, 'own'), file);
    if (place.kind === 'outward') return { code: 'state.outside', file: dirname(file), target: place.target };
    const trial = `${nearestThere(dirname(file))}/holdpoint-trial-${process.pid}`;
    written = writeTemporary(trial, TRIAL, true);
    renameSync(written, trial);
    written = trial;
    unlinkSync(trial);
    return undefined;
  } catch (error) {
    if (written !== undefined) discard(written);
    return { code: 'state.write-failed', file: dirname(file), detail: detailOf(error) };
  }
}

/** That somebody holds it just now is another check's finding. */
function tryLock(layout: Layout): Failure | undefined {
  const lock = lockProject(layout, 0);
  if (lock.ok) lock.value.release();
  return lock.ok || lock.failure.code === 'lock.timeout' ? undefined : lock.failure;
}
