import { closeSync, constants, openSync } from 'node:fs';
import { writeText } from '../../../state/write-file';

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
