import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { JsonObject } from '../domain/json';
import { isJsonObject } from '../domain/json';
import { journalFiles } from './journal';
import type { Layout } from './layout';
import { linesBackwards } from './lines-backwards';

const EVERYTHING = { bytes: Number.POSITIVE_INFINITY };

/** Every line of the journal from the oldest to the newest; what is not a line of ours is left out. */
export function* readJournal(layout: Layout): Iterable<JsonObject> {
  const open = openJournal(layout);
  try {
    for (const fd of open.toReversed()) yield* parsed(readFileSync(fd, 'utf8').split('\n'));
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

/** The newest line with this id. */
export function findInJournal(layout: Layout, id: string): JsonObject | undefined {
  for (const line of parsed(newestFirst(layout, JSON.stringify(id)))) {
    if (line['id'] === id) return line;
  }
  return undefined;
}

/** The last `count` lines, the oldest of them first. */
export function tailJournal(layout: Layout, count: number): readonly JsonObject[] {
  const tail: JsonObject[] = [];
  for (const line of parsed(newestFirst(layout, ''))) {
    if (tail.length >= count) break;
    tail.push(line);
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

function* newestFirst(layout: Layout, containing: string): Iterable<string> {
  const open = openJournal(layout);
  try {
    for (const fd of open) {
      for (const line of linesBackwards(fd, fstatSync(fd).size, EVERYTHING)) {
        if (line?.includes(containing)) yield line.toString('utf8');
      }
    }
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

function* parsed(lines: Iterable<string>): Iterable<JsonObject> {
  for (const line of lines) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      continue;
    }
    if (isJsonObject(value)) yield value;
  }
}
