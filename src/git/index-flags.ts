import { readFileSync } from 'node:fs';

/** Entries that git is told not to look at in the work tree. */
export interface Flagged {
  readonly assumed: readonly string[];
  readonly skipped: readonly string[];
}

const NONE: Flagged = { assumed: [], skipped: [] };
/** Times, device, inode, mode, owner and size stand before an entry's hash. */
const BEFORE_HASH = 40;
const ASSUME_VALID = 0x8000;
const EXTENDED = 0x4000;
const SKIP_WORKTREE = 0x4000;

/** What an index says of its entries, by git's documented format (versions 2 to 4); none where it cannot be read. */
export function flaggedIn(file: string, commonDir: string): Flagged {
  try {
    const isLong = /^\s*objectformat\s*=\s*sha256\s*$/im.test(readFileSync(`${commonDir}/config`, 'utf8'));
    return flaggedOf(readFileSync(file), isLong ? 32 : 20);
  } catch {
    return NONE;
  }
}

function flaggedOf(bytes: Buffer, hashBytes: number): Flagged {
  if (bytes.toString('latin1', 0, 4) !== 'DIRC') return NONE;
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  const assumed: string[] = [];
  const skipped: string[] = [];
  let entry: Entry = { flags: 0, more: 0, name: Buffer.alloc(0), next: 12 };
  for (let at = 0; at < count; at++) {
    entry = entryAt(bytes, entry, version, hashBytes);
    if ((entry.flags & ASSUME_VALID) !== 0) assumed.push(entry.name.toString('utf8'));
    if ((entry.more & SKIP_WORKTREE) !== 0) skipped.push(entry.name.toString('utf8'));
  }
  return { assumed, skipped };
}

interface Entry {
  readonly flags: number;
  readonly more: number;
  readonly name: Buffer;
  /** Where the next one begins. */
  readonly next: number;
}

function entryAt(bytes: Buffer, before: Entry, version: number, hashBytes: number): Entry {
  const at = before.next;
  const flags = bytes.readUInt16BE(at + BEFORE_HASH + hashBytes);
  const start = at + BEFORE_HASH + hashBytes + 2;
  const isExtended = version > 2 && (flags & EXTENDED) !== 0;
  const more = isExtended ? bytes.readUInt16BE(start) : 0;
  const from = start + (isExtended ? 2 : 0);
  // Only the newest version shortens names by what they share with the one before.
  const cut = version === 4 ? varint(bytes, from) : undefined;
  const begin = cut?.next ?? from;
  const end = bytes.indexOf(0, begin);
  if (end < 0) throw new Error('an entry has no end');
  const own = bytes.subarray(begin, end);
  if (cut !== undefined) {
    const shared = before.name.subarray(0, before.name.length - cut.value);
    return { flags, more, name: Buffer.concat([shared, own]), next: end + 1 };
  }
  // Older versions fill up with one to eight zeros.
  return { flags, more, name: own, next: at + (Math.floor((end - at) / 8) + 1) * 8 };
}

/** A number as git writes offsets: seven bits a byte, and one is added for each byte that follows. */
function varint(bytes: Buffer, from: number): { readonly value: number; readonly next: number } {
  let byte = bytes.readUInt8(from);
  let value = byte & 0x7f;
  let at = from + 1;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(at++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, next: at };
}
