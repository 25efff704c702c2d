import { constants } from 'node:fs';
import type { TranscriptAsk, TranscriptFacts } from '../../core/snapshot';
import { linesBackwards, withPlainFile } from '../../state/read-file';
import { entryIn, hasBlock } from './transcript-entry';
import { lastAssistantText } from './transcript-text';
import { tokensFrom } from './transcript-tokens';

const REACH_BYTES = 512 * 1024;

/** What was asked of a transcript, as far as it can be told. Never throws. */
export function transcriptFacts(
  path: string,
  { lastText, tokensFrom: offset }: TranscriptAsk,
): TranscriptFacts {
  return {
    ...(lastText === true && { lastText: lastAssistantText(path) }),
    ...(offset !== undefined && { tokens: tokensFrom(path, offset) }),
  };
}

/**
 * Whether the transcript shows a tool at work after `sinceMs`, on the main chain.
 * Only its tail is read. Undefined when that does not tell: the file cannot be read,
 * or the tail ends before it reaches back so far.
 */
export function toolUsedSince(path: string, sinceMs: number): boolean | undefined {
  try {
    return withPlainFile(path, constants.O_RDONLY, (fd, { size }) => searchBackwards(fd, size, sinceMs));
  } catch {
    return undefined;
  }
}

/** The newest line that settles the question, looked for from the end. */
function searchBackwards(fd: number, size: number, sinceMs: number): boolean | undefined {
  for (const line of linesBackwards(fd, size, { bytes: REACH_BYTES })) {
    if (line === undefined) return undefined;
    const entry = entryIn(line);
    if (entry?.['isSidechain'] !== false) continue;
    const at = typeof entry['timestamp'] === 'string' ? Date.parse(entry['timestamp']) : Number.NaN;
    if (at < sinceMs) return false;
    if (at > sinceMs && hasBlock(entry, 'tool_use', 'tool_result')) return true;
  }
  return false;
}
