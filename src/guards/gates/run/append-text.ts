import { closeSync, openSync, writeSync } from 'node:fs';

/** Adds to the end of a file, in three calls that the hook makes anyway; `appendFileSync` would be slower the first time. */
export function appendText(file: string, text: string, flag: 'a' | 'ax' = 'a'): void {
  const fd = openSync(file, flag);
  try {
    let written = writeSync(fd, text);
    if (written === Buffer.byteLength(text)) return;
    const bytes = Buffer.from(text);
    while (written < bytes.length) written += writeSync(fd, bytes, written);
  } finally {
    closeSync(fd);
  }
}
