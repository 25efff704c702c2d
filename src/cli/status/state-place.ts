import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { detailOf, type Failure } from '../../core/failure';
import { containerOf, type Layout } from '../../state/layout';
import { placeOf } from '../../state/place';
import { nearestThere, stateDirectories } from '../state-directories';

/** Why nothing can be recorded here, if it cannot: what the next write would come to, found out without one. */
export function stateTrouble(layout: Layout): Failure | undefined {
  for (const directory of stateDirectories(layout)) {
    const trouble = directoryTrouble(layout, directory);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

function directoryTrouble(layout: Layout, directory: string): Failure | undefined {
  try {
    const place = placeOf(containerOf(layout, 'own'), directory);
    switch (place.kind) {
      case 'outward':
        return { code: 'state.outside', file: directory, target: place.target };
      case 'found':
        if (!place.stats.isDirectory()) throw new Error('ENOTDIR: not a directory');
        return unlessWritable(place.path);
      case 'missing':
        return unlessWritable(nearestThere(dirname(place.path)));
    }
  } catch (error) {
    return { code: 'state.write-failed', file: directory, detail: detailOf(error) };
  }
}

/** Throws where nothing may be put in it. */
function unlessWritable(directory: string): undefined {
  accessSync(directory, constants.W_OK | constants.X_OK);
}
