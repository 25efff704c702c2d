import { constants, copyFileSync, readFileSync } from 'node:fs';
import { errorCode } from '../../core/error-code';
import { detailOf, fail, type Result, succeed } from '../../core/failure';
import { placeOf } from '../../state/place';
import { type ConfigFile, pathOf } from './config-file';

/**
 * Keeps a file as it is, beside itself. It takes a name that nothing has yet, since an older copy may be somebody's
 * only one; the same bytes will do. Tells the copy, or nothing where there was no file.
 */
export function keepCopy(file: ConfigFile): Result<string | undefined> {
  const shown = pathOf(file);
  try {
    const place = placeOf(file.base, shown);
    return succeed(place.kind === 'found' ? copyOf(place.path) : undefined);
  } catch (error) {
    return fail({ code: 'state.write-failed', file: `${shown}.bak`, detail: detailOf(error) });
  }
}

function copyOf(path: string): string {
  const before = readFileSync(path);
  for (let count = 1; ; count++) {
    const copy = `${path}${count === 1 ? '' : `.${count}`}.bak`;
    try {
      copyFileSync(path, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      if (isSame(copy, before)) return copy;
    }
  }
}

function isSame(copy: string, before: Buffer): boolean {
  try {
    return readFileSync(copy).equals(before);
  } catch {
    return false;
  }
}
