import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { JsonObject } from '../../domain/json';
import { isJsonObject } from '../../domain/json';

const BLOCK = 64 * 1024;
const MOST = 512 * 1024;
const NEWLINE = 10;

type Found = 'tool' | 'older' | 'neither';

/**
 * Whether the transcript shows a tool at work after `sinceMs`, on the main chain.
 * Only its tail is read. Undefined when that does not tell: the file cannot be read,
 * or the tail ends before it reaches back so far.
 */
export function toolUsedSince(path: string, sinceMs: number): boolean | undefined {
  try {
    const stat = statSync(path);
    // A pipe in its place would block us for ever.
    if (!stat.isFile()) return undefined;
    const file = openSync(path, 'r');
    try {
      return searchBackwards(file, stat.size, sinceMs);
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function searchBackwards(file: number, size: number, sinceMs: number): boolean | undefined {
  const limit = Math.max(0, size - MOST);
  let unfinished = Buffer.alloc(0);
  for (let end = size; end > limit; ) {
    const start = Math.max(limit, end - BLOCK);
    const bytes = Buffer.concat([readBlock(file, start, end - start), unfinished]);
    // The first line of a block may begin in the block before it.
    const first = start === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    const whole = start === 0 || first > 0;
    const found = whole ? lastFact(bytes.subarray(first).toString('utf8'), sinceMs) : 'neither';
    if (found !== 'neither') return found === 'tool';
    unfinished = whole ? bytes.subarray(0, first) : bytes;
    end = start;
  }
  return limit === 0 ? false : undefined;
}

function readBlock(file: number, position: number, length: number): Buffer {
  const block = Buffer.alloc(length);
  return block.subarray(0, readSync(file, block, 0, length, position));
}

/** The newest line that settles the question, looked for from the end. */
function lastFact(text: string, sinceMs: number): Found {
  for (const line of text.split('\n').reverse()) {
    const entry = parsed(line);
    if (entry?.['isSidechain'] !== false) continue;
    const at = typeof entry['timestamp'] === 'string' ? Date.parse(entry['timestamp']) : Number.NaN;
    if (at < sinceMs) return 'older';
    if (at > sinceMs && showsTool(entry)) return 'tool';
  }
  return 'neither';
}

function showsTool(entry: JsonObject): boolean {
  const content = isJsonObject(entry['message']) ? entry['message']['content'] : undefined;
  return (
    Array.isArray(content) &&
    content.some((block) => block?.type === 'tool_use' || block?.type === 'tool_result')
  );
}

function parsed(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
