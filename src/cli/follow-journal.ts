import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../domain/json';
import { journalFile, type Layout } from '../store/layout';

const POLL_MS = 200;

/** Where the last look ended: which file, and how much of it has been shown. */
interface Position {
  readonly inode: number;
  readonly offset: number;
}

/** Shows what is appended from now on, until the process is ended. A journal that was put away is read to its end first. */
export async function followJournal(layout: Layout, show: (entry: JsonObject) => void): Promise<never> {
  const file = journalFile(layout);
  const stat = statSync(file, { throwIfNoEntry: false });
  let position: Position = { inode: stat?.ino ?? 0, offset: stat?.size ?? 0 };
  for (;;) {
    await wait(POLL_MS);
    position = showSince(file, position, show);
  }
}

function showSince(file: string, position: Position, show: (entry: JsonObject) => void): Position {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return position;
  const fd = openSync(file, 'r');
  try {
    const { ino, size } = fstatSync(fd);
    const from = ino === position.inode && size >= position.offset ? position.offset : 0;
    const buffer = Buffer.alloc(size - from);
    const text = buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, from));
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    for (const line of whole.split('\n')) showLine(line, show);
    return { inode: ino, offset: from + Buffer.byteLength(whole) };
  } finally {
    closeSync(fd);
  }
}

function showLine(line: string, show: (entry: JsonObject) => void): void {
  try {
    const entry: unknown = JSON.parse(line);
    if (isJsonObject(entry)) show(entry);
  } catch {
    // Half a line of a writer that died is passed over, as everywhere in the journal.
  }
}
