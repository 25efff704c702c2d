import { closeSync, constants, openSync, readSync } from 'node:fs';
import { putText, textOf } from '../process/text-of';

const BEFORE = 'function(exports,require,module,__filename,__dirname){';

/**
 * Chunks as one array of functions. They are put together as bytes: texts that are joined are copied once more
 * when V8 gets them. The build sees to it that every byte is a letter.
 */
export function chunkSource(files: readonly string[], bytes: Uint8Array): string {
  let end = putText('[', bytes, 0);
  for (const file of files) {
    end = putText(end === 1 ? BEFORE : `,${BEFORE}`, bytes, end);
    end = append(file, bytes, end);
    end = putText('\n}', bytes, end);
  }
  return textOf(bytes, 0, putText(']', bytes, end), 'latin1');
}

function append(file: string, bytes: Uint8Array, at: number): number {
  const fd = openSync(file, constants.O_RDONLY);
  let end = at;
  try {
    for (let read = -1; read !== 0 && end < bytes.length; end += read) {
      read = readSync(fd, bytes, end, bytes.length - end, null);
    }
  } finally {
    closeSync(fd);
  }
  return end;
}
