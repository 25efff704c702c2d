import { constants, statSync } from 'node:fs';
import { errorCode } from '../../domain/error-code';
import type { JsonObject } from '../../domain/json';
import { isJsonObject } from '../../domain/json';
import type { TranscriptAsk, TranscriptFacts } from '../../domain/snapshot';
import { blockFor } from '../../process/block-for';
import { linesBackwards } from '../../store/lines-backwards';
import { withPlainFile } from '../../store/plain-file';
import { objectIn, textIn } from '../loose-fields';

type LastText = NonNullable<TranscriptFacts['lastText']>;

const REACH_BYTES = 32 * 1024 * 1024;
const PATIENCE_MS = 500;
const STEP_MS = 20;
const NONE: LastText = { kind: 'none' };

/** What was asked of a transcript of Copilot CLI. It does not tell what an earlier turn cost. Never throws. */
export function transcriptFacts(path: string, { lastText, tokensFrom }: TranscriptAsk): TranscriptFacts {
  return {
    ...(lastText === true && { lastText: lastWords(path) }),
    ...(tokensFrom !== undefined && { tokens: { used: 0, until: tokensFrom } }),
  };
}

/** The agent's last words. They are written a moment after we are called, so they are waited for a little while. */
function lastWords(path: string): LastText {
  try {
    const until = Date.now() + PATIENCE_MS;
    let look = lookAt(path);
    while (look.text.kind === 'none' && Date.now() < until) {
      blockFor(STEP_MS);
      if (statSync(path).size !== look.size) look = lookAt(path);
    }
    return look.text;
  } catch (error) {
    return { kind: 'unread', why: `cannot be read (${errorCode(error)})` };
  }
}

function lookAt(path: string): { readonly text: LastText; readonly size: number } {
  return withPlainFile(path, constants.O_RDONLY, (fd, { size }) => {
    for (const line of linesBackwards(fd, size, { bytes: REACH_BYTES })) {
      if (line === undefined) return { text: { kind: 'unread', why: 'is too long to be read' }, size };
      const text = wordsIn(entryIn(line));
      if (text !== undefined) return { text, size };
    }
    return { text: NONE, size };
  });
}

/**
 * What an entry tells of the last words, seen from the end; `undefined` where nothing. After a prompt or a
 * tool's work nothing has been said yet. Subagents write into the same file.
 */
function wordsIn(entry: JsonObject): LastText | undefined {
  if (entry['agentId'] !== undefined) return undefined;
  const type = String(entry['type']);
  if (type === 'user.message' || type.startsWith('tool.')) return NONE;
  if (type !== 'assistant.message') return undefined;
  const data = objectIn(entry, 'data');
  const calls = data['toolRequests'];
  const text = (textIn(data, 'content') ?? '').trim();
  return text === '' || (Array.isArray(calls) && calls.length > 0) ? NONE : { kind: 'text', text };
}

/** A line that is not whole, or broken, is as good as none. */
function entryIn(line: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
