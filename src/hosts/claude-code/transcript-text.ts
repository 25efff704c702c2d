import { constants, statSync } from 'node:fs';
import { errorCode } from '../../core/error-code';
import { detailOf } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import type { TranscriptFacts } from '../../core/snapshot';
import { blockFor } from '../../exec/standard-io';
import { linesBackwards, NotAFile, withPlainFile } from '../../state/read-file';
import { blocksOf, entryIn, hasBlock, messageId } from './transcript-entry';

export type LastText = NonNullable<TranscriptFacts['lastText']>;

const REACH_BYTES = 32 * 1024 * 1024;
const LONGEST_LINE_BYTES = 8 * 1024 * 1024;
const PATIENCE_MS = 250;
const STEP_MS = 25;
const NONE: LastText = { kind: 'none' };
const UNREACHED: LastText = {
  kind: 'unread',
  why: 'holds no words of the agent in as much of its end as is read',
};

/**
 * The agent's last words since the prompt, in a file that may be of any size. The client writes them a
 * moment after it has called us, so that they are waited for a little while. Never throws.
 */
export function lastAssistantText(path: string): LastText {
  try {
    const until = Date.now() + PATIENCE_MS;
    let look = lookSteadily(path);
    while (look.text.kind === 'none' && Date.now() < until) {
      blockFor(STEP_MS);
      if (statSync(path).size !== look.size) look = lookSteadily(path);
    }
    return look.text;
  } catch (error) {
    const why = error instanceof NotAFile ? detailOf(error) : `cannot be read (${errorCode(error)})`;
    return { kind: 'unread', why };
  }
}

interface Look {
  readonly text: LastText;
  readonly size: number;
}

/** A file that was replaced or cut short meanwhile is looked at once more. */
function lookSteadily(path: string): Look {
  const first = lookOnce(path);
  const { ino, size } = statSync(path);
  return ino === first.ino && size >= first.size ? first : lookOnce(path);
}

function lookOnce(path: string): Look & { readonly ino: number } {
  return withPlainFile(path, constants.O_RDONLY, (fd, { ino, size }) => {
    return { text: textBackwards(fd, size), size, ino };
  });
}

function textBackwards(fd: number, size: number): LastText {
  const words: string[] = [];
  let speaker: string | undefined;
  for (const entry of turnBackwards(fd, size)) {
    if (entry === undefined) return words.length > 0 ? textOf(words) : UNREACHED;
    // Text that a tool's call or another message separates from the last words is older than they are.
    if (words.length > 0 && (speaker === undefined || messageId(entry) !== speaker)) break;
    speaker = messageId(entry);
    const { text, interrupted } = lastWords(entry);
    if (text !== '') words.unshift(text);
    if (interrupted && words.length > 0) break;
  }
  return textOf(words);
}

function textOf(words: readonly string[]): LastText {
  const text = words.join('\n').trim();
  return text === '' ? NONE : { kind: 'text', text };
}

/** What the agent itself has written in this turn, the newest first; `undefined` where it cannot be read further. */
function* turnBackwards(fd: number, size: number): Generator<JsonObject | undefined> {
  let met = false;
  const reach = { bytes: REACH_BYTES, until: Date.now() + PATIENCE_MS };
  for (const line of linesBackwards(fd, size, reach)) {
    if (line === undefined) yield undefined;
    if (line === undefined || !mayMatter(line) || (met && line.length > LONGEST_LINE_BYTES)) continue;
    const entry = entryIn(line);
    if (entry === undefined || entry['isSidechain'] === true) continue;
    if (beginsTurn(entry) || entry['isApiErrorMessage'] === true) return;
    if (entry['type'] !== 'assistant') continue;
    met = true;
    yield entry;
  }
}

/** Cheap and generous: whoever wrote the line, how it is spaced does not matter. In a text the quotes are escaped. */
function mayMatter(line: Buffer): boolean {
  return line.includes('"assistant"') || line.includes('"user"');
}

/** A prompt, or the refusal of an earlier stop: what was said before it has been heard already. */
function beginsTurn(entry: JsonObject): boolean {
  if (entry['type'] !== 'user' || hasBlock(entry, 'tool_result')) return false;
  if (entry['isMeta'] !== true) return true;
  const { text } = blocksOf(entry)[0] ?? {};
  return typeof text === 'string' && text.startsWith('Stop hook feedback');
}

/** The texts behind the last block of another kind, and whether there was such a block. */
function lastWords(entry: JsonObject): { text: string; interrupted: boolean } {
  const blocks = blocksOf(entry);
  const other = blocks.findLastIndex(({ type }) => type !== 'text');
  const texts = blocks.slice(other + 1).map(({ text }) => (typeof text === 'string' ? text : ''));
  return { text: texts.filter((text) => text.trim() !== '').join('\n'), interrupted: other >= 0 };
}
