import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../core/json';
import { recordsIn } from '../state/journal';
import { journalFile, type Layout } from '../state/layout';

const POLL_MS = 200;

/** Shows one entry; false once nobody reads any more. */
type Show = (entry: JsonObject) => boolean;

/** An open journal file and how much of it has been shown. It stays open, so that it can be read to its end after it was put away. */
interface Reading {
  readonly fd: number;
  readonly inode: number;
  readonly offset: number;
}

/** Marks the end of the journal; what it gives back shows everything appended since, until nobody reads or the process is ended. */
export function openFollower(layout: Layout): (show: Show) => Promise<void> {
  const file = journalFile(layout);
  let reading = openReading(file, 'end');
  return async (show) => {
    for (;;) {
      const after = showNew(file, reading, show);
      if (after === 'unread') return;
      reading = after;
      await wait(POLL_MS);
    }
  };
}

function showNew(file: string, reading: Reading | undefined, show: Show): Reading | undefined | 'unread' {
  const inode = statSync(file, { throwIfNoEntry: false })?.ino;
  const after = reading && showRest(reading, show);
  if (after === 'unread' || inode === undefined || inode === after?.inode) return after;
  if (after !== undefined) closeSync(after.fd);
  const next = openReading(file, 'begin');
  return next && showRest(next, show);
}

function openReading(file: string, from: 'begin' | 'end'): Reading | undefined {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const fd = openSync(file, 'r');
  const { ino, size } = fstatSync(fd);
  return { fd, inode: ino, offset: from === 'end' ? size : 0 };
}

function showRest(reading: Reading, show: Show): Reading | 'unread' {
  const { size } = fstatSync(reading.fd);
  const from = size >= reading.offset ? reading.offset : 0;
  const buffer = Buffer.alloc(size - from);
  const bytes = buffer.subarray(0, readSync(reading.fd, buffer, 0, buffer.length, from));
  const end = bytes.lastIndexOf('\n') + 1;
  const entries = bytes.toString('utf8', 0, end).split('\n').flatMap(recordsIn);
  return entries.every(show) ? { ...reading, offset: from + end } : 'unread';
}
