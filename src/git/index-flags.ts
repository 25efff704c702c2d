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
  const [assumed, skipped]: string[][] = [[], []];
  let name: Buffer = Buffer.alloc(0);
  let at = 12;
  for (let entry = 0; entry < count; entry++) {
    const flags = bytes.readUInt16BE(at + BEFORE_HASH + hashBytes);
    const isExtended = version > 2 && (flags & EXTENDED) !== 0;
    const start = at + BEFORE_HASH + hashBytes + 2;
    const more = isExtended ? bytes.readUInt16BE(start) : 0;
    let from = start + (isExtended ? 2 : 0);
    let kept = 0;
    if (version === 4) {
      const cut = varint(bytes, from);
      kept = name.length - cut.value;
      from = cut.next;
    }
    const end = bytes.indexOf(0, from);
    if (end < 0 || kept < 0) return NONE;
    // Only the newest version shortens names by what they share with the one before.
    if (version === 4) name = Buffer.concat([name.subarray(0, kept), bytes.subarray(from, end)]);
    const isFlagged = (flags & ASSUME_VALID) !== 0 || (more & SKIP_WORKTREE) !== 0;
    if (isFlagged) {
      const path = (version === 4 ? name : bytes.subarray(from, end)).toString('utf8');
      if ((flags & ASSUME_VALID) !== 0) assumed?.push(path);
      if ((more & SKIP_WORKTREE) !== 0) skipped?.push(path);
    }
    // Older versions fill up with one to eight zeros.
    at = version === 4 ? end + 1 : at + (Math.floor((end - at) / 8) + 1) * 8;
  }
  return { assumed: assumed ?? [], skipped: skipped ?? [] };
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
