import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ENDINGS_AT, HEADER_BYTES } from './first-chunk';
import type { Compiled } from './load-chunk';

/**
 * Writes compiled code in the place of what was kept of the same chunks before, by an older build too. Without code it
 * notes the endings, and leaves what is kept as it is. Whatever hinders it costs time at the next event and nothing else.
 */
export function keepCode(folder: string, compiled: Compiled, endings: number, code?: Buffer): void {
  try {
    if (code === undefined && compiled.endings !== 0) changeEndings(compiled.cacheFile, endings);
    else writeKept(folder, compiled, endings, code ?? Buffer.alloc(0));
  } catch {
    // Then not.
  }
}

/** In its place: one byte is there or is not. A file that another event has just put there instead stays as it is. */
function changeEndings(file: string, endings: number): void {
  const fd = openSync(file, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    writeSync(fd, Uint8Array.of(endings), 0, 1, ENDINGS_AT);
  } finally {
    closeSync(fd);
  }
}

function writeKept(folder: string, { series, cacheFile }: Compiled, endings: number, code: Buffer): void {
  const temporary = `${cacheFile}.${process.pid}.${Date.now().toString(36)}.tmp`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUIntLE(code.length, 0, 3);
    header.writeUInt8(endings, ENDINGS_AT);
    writeFileSync(temporary, Buffer.concat([header, code, code]), { mode: 0o600, flag: 'wx' });
    for (const name of readdirSync(folder)) {
      if (name.startsWith(series) && !name.endsWith('.tmp')) rmSync(join(folder, name), { force: true });
    }
    renameSync(temporary, cacheFile);
  } finally {
    rmSync(temporary, { force: true });
  }
}
