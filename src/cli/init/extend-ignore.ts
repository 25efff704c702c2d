import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { detailOf, fail, type Result, succeed } from '../../core/failure';
import { type Place, placeOf } from '../../state/place';
import { discard, temporaryBeside } from '../../state/write-file';
import { leadsOut, notWritten } from '../gates/init-files';
import { writeHindrance } from '../install/settings-file';
import { keepOwner } from '../install/write-change';
import type { IgnoreChange } from './gitignore';

type Within = Exclude<Place, { kind: 'outward' }>;

/** Puts the lines at the end of `.gitignore`, all of them or, on a full disk, none. The failure is a sentence. */
export function extendIgnore(root: string, { before, after, lines }: IgnoreChange): Result<true, string> {
  if (lines.length === 0) return succeed(true);
  try {
    const place = placeOf(root, join(root, '.gitignore'));
    if (place.kind === 'outward') return fail(leadsOut('.gitignore', place.target));
    // What somebody has added since it was read stays.
    const now = place.kind === 'found' ? readFileSync(place.path) : Buffer.alloc(0);
    const hindrance = writeHindrance({ path: place.path, ...textAndMode(place) });
    if (hindrance !== undefined) return fail(hindrance);
    replace(place, Buffer.concat([now, after.subarray(before?.length ?? 0)]));
    return succeed(true);
  } catch (error) {
    return fail(notWritten('.gitignore', detailOf(error)));
  }
}

function textAndMode(place: Within): { readonly text: string | undefined; readonly mode: number } {
  return place.kind === 'found'
    ? { text: '', mode: place.stats.mode & 0o777 }
    : { text: undefined, mode: 0o666 };
}

/** Beside it first, then in its place, with the mode and the owner it had. */
function replace(place: Within, bytes: Uint8Array): void {
  const temporary = temporaryBeside(place.path);
  try {
    writeFileSync(temporary, bytes, { flag: 'wx', flush: true });
    if (place.kind === 'found') {
      chmodSync(temporary, place.stats.mode & 0o777);
      keepOwner(place.path, temporary);
    }
    renameSync(temporary, place.path);
  } catch (error) {
    discard(temporary);
    throw error;
  }
}
