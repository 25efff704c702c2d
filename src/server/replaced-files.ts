import { close, constants, openSync, renameSync } from 'node:fs';

/** With more than these still to be let go, a rename takes as long as the disk wants. */
const MOST_HELD = 64;
const AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** How many replaced files are still held. */
let held = 0;

/**
 * Renames as Node does. A file that is replaced is given back to the disk by whoever lets go of it last, which may
 * take longer than everything else that an event does, and all other events would wait. So it is held until the new
 * one is in its place, and let go by a thread of its own.
 */
export function renameInTime(from: string, to: string): void {
  const replaced = held < MOST_HELD ? holdOf(to) : undefined;
  try {
    renameSync(from, to);
  } finally {
    if (replaced !== undefined) letGo(replaced);
  }
}

/** Nothing may be there, or something that is no plain file; then there is nothing to wait for. */
function holdOf(file: string): number | undefined {
  try {
    return openSync(file, AS_IT_IS);
  } catch {
    return undefined;
  }
}

function letGo(fd: number): void {
  held++;
  close(fd, () => {
    held--;
  });
}
