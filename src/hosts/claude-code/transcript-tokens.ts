import { constants } from 'node:fs';
import type { JsonObject } from '../../core/json';
import { isJsonObject } from '../../core/json';
import type { TranscriptFacts } from '../../core/snapshot';
import { linesBackwards, readAt, withPlainFile } from '../../state/read-file';
import { entryIn, messageId, messageOf } from './transcript-entry';

type Tokens = NonNullable<TranscriptFacts['tokens']>;

const BLOCK_BYTES = 1024 * 1024;
const REACH_BYTES = 32 * 1024 * 1024;
const LONGEST_LINE_BYTES = 8 * 1024 * 1024;
const PATIENCE_MS = 250;
const NEWLINE = 10;
const KINDS = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
] as const;

/**
 * The tokens of the messages that begin behind an offset, subagents' in the same file included. All that
 * a request processes counts, be it read from the cache: a bound that counts too much ends early, one that
 * counts too little is none. What cannot be read now is left for the next time. Never throws.
 */
export function tokensFrom(path: string, offset: number): Tokens {
  try {
    return withPlainFile(path, constants.O_RDONLY, (fd, { size }) => {
      // A file that has become shorter is another one; what it cost before nobody can tell.
      return offset > size ? { used: 0, until: size } : countBetween(fd, Math.max(0, offset), size);
    });
  } catch {
    return { used: 0, until: offset };
  }
}

function countBetween(fd: number, offset: number, size: number): Tokens {
  const before = messageBefore(fd, offset);
  const byMessage = new Map<string, number>();
  let unnamed = 0;
  const until = eachLine(fd, offset, size, (line) => {
    const entry = line.includes('"usage"') ? entryIn(line) : undefined;
    if (entry?.['type'] !== 'assistant') return;
    const id = messageId(entry);
    if (id === undefined) unnamed += usageOf(entry);
    else if (id !== before) byMessage.set(id, usageOf(entry));
  });
  return { used: [...byMessage.values()].reduce((sum, tokens) => sum + tokens, unnamed), until };
}

/** A message has a line a block, each with the whole usage: the one before the offset was counted by then. */
function messageBefore(fd: number, offset: number): string | undefined {
  for (const line of linesBackwards(fd, offset, { bytes: BLOCK_BYTES })) {
    const entry = line?.includes('"usage"') ? entryIn(line) : undefined;
    if (entry?.['type'] === 'assistant') return messageId(entry);
  }
  return undefined;
}

/** Every whole line from an offset on, as far as the bounds allow; answers where the first unread one begins. */
function eachLine(fd: number, offset: number, size: number, visit: (line: Buffer) => void): number {
  const end = Math.min(size, offset + REACH_BYTES);
  const deadline = Date.now() + PATIENCE_MS;
  let begin = offset;
  let length = BLOCK_BYTES;
  while (begin < end && Date.now() < deadline) {
    const block = readAt(fd, begin, Math.min(length, size - begin));
    const whole = block.lastIndexOf(NEWLINE) + 1;
    if (whole === 0) {
      if (begin + block.length >= size) return begin;
      if (length >= LONGEST_LINE_BYTES) begin += block.length;
      else length *= 2;
      continue;
    }
    for (let at = 0; at < whole; ) {
      const newline = block.indexOf(NEWLINE, at);
      visit(block.subarray(at, newline));
      at = newline + 1;
    }
    begin += whole;
    length = BLOCK_BYTES;
  }
  return begin;
}

function usageOf(entry: JsonObject): number {
  const { usage } = messageOf(entry);
  if (!isJsonObject(usage)) return 0;
  return KINDS.reduce((sum, kind) => {
    const count = usage[kind];
    return sum + (typeof count === 'number' && count > 0 ? count : 0);
  }, 0);
}
