import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { JsonObject } from '../core/json';
import { journalFiles } from './journal';
import { recordsIn } from './journal-records';
import type { Layout } from './layout';
import { linesBackwards } from './lines-backwards';

const EVERYTHING = { bytes: Number.POSITIVE_INFINITY };

/** Every record of the journal from the oldest to the newest; what is none of ours is left out. */
export function* readJournal(layout: Layout): Iterable<JsonObject> {
  const open = openJournal(layout);
  try {
    for (const fd of open.toReversed()) {
      for (const line of readFileSync(fd, 'utf8').split('\n')) yield* recordsIn(line);
    }
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

/** The newest record with this id. */
export function findInJournal(layout: Layout, id: string): JsonObject | undefined {
  for (const record of newestFirst(layout, JSON.stringify(id))) {
    if (record['id'] === id) return record;
  }
  return undefined;
}

/** The last `count` records, the oldest of them first. */
export function tailJournal(layout: Layout, count: number): readonly JsonObject[] {
  const tail: JsonObject[] = [];
  for (const record of newestFirst(layout, '')) {
    if (tail.length >= count) break;
    tail.push(record);
  }
  return tail.reverse();
}

/** The newest file is opened first: one that is put away meanwhile is then met twice, never missed. */
function openJournal(layout: Layout): number[] {
  const open: number[] = [];
  const met = new Set<number>();
  for (const file of journalFiles(layout)) {
    const fd = tryOpen(file);
    if (fd === undefined) continue;
    const inode = fstatSync(fd).ino;
    if (met.has(inode)) closeSync(fd);
    else open.push(fd);
    met.add(inode);
  }
  return open;
}

function tryOpen(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

/** The records of all lines that contain a text. */
function* newestFirst(layout: Layout, containing: string): Iterable<JsonObject> {
  const open = openJournal(layout);
  try {
    for (const fd of open) {
      for (const line of linesBackwards(fd, fstatSync(fd).size, EVERYTHING)) {
        if (line?.includes(containing)) yield* recordsIn(line.toString('utf8')).reverse();
      }
    }
  } finally {
    for (const fd of open) closeSync(fd);
  }
}
