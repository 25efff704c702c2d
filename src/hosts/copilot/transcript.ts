import { constants } from 'node:fs';
import { errorCode } from '../../core/error-code';
import { type Json, type JsonObject, jsonObjectIn } from '../../core/json';
import type { TranscriptAsk, TranscriptFacts } from '../../core/snapshot';
import { blockFor } from '../../exec/standard-io';
import { linesBackwards, withPlainFile } from '../../state/read-file';
import { objectIn, textIn } from '../loose-fields';

type LastText = NonNullable<TranscriptFacts['lastText']>;

const REACH_BYTES = 32 * 1024 * 1024;
const PATIENCE_MS = 1000;
const STEP_MS = 20;
const NONE: LastText = { kind: 'none' };
const LATE: LastText = { kind: 'unread', why: 'has not been written yet' };

/**
 * What was asked of a transcript of Copilot CLI by the stop in `raw`. It does not tell what an earlier turn cost.
 * Never throws.
 */
export function transcriptFacts(
  path: string,
  { lastText, tokensFrom }: TranscriptAsk,
  raw: JsonObject,
): TranscriptFacts {
  return {
    ...(lastText === true && { lastText: lastWords(path, timeOf(raw['timestamp'])) }),
    ...(tokensFrom !== undefined && { tokens: { used: 0, until: tokensFrom } }),
  };
}

/** What a look at the file shows. Only what stands before the note of our own call is sure to be whole. */
interface Look {
  readonly text: LastText;
  readonly sure: boolean;
}

/** The agent's last words. The file is written a moment after we are called, so they are waited for a little while. */
function lastWords(path: string, stoppedAt: number): LastText {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const look = lookAt(path, stoppedAt);
    if (look.sure || look.text.kind === 'text' || Date.now() >= until) return look.text;
    blockFor(STEP_MS);
  }
}

function lookAt(path: string, stoppedAt: number): Look {
  try {
    return withPlainFile(path, constants.O_RDONLY, (fd, { size }) => wordsIn(fd, size, stoppedAt));
  } catch (error) {
    const code = errorCode(error);
    return { text: { kind: 'unread', why: `cannot be read (${code})` }, sure: code !== 'ENOENT' };
  }
}

/**
 * Seen from the end. Before it calls us the client notes the call, so behind the note of an earlier stop there is
 * nothing new yet. After a prompt or a tool's work nothing has been said. Subagents write into the same file.
 */
function wordsIn(fd: number, size: number, stoppedAt: number): Look {
  let sure = false;
  for (const line of linesBackwards(fd, size, { bytes: REACH_BYTES })) {
    if (line === undefined) return { text: { kind: 'unread', why: 'is too long to be read' }, sure: true };
    const entry = entryIn(line);
    if (entry['agentId'] !== undefined) continue;
    const data = objectIn(entry, 'data');
    const type = String(entry['type']);
    const calledAt = type === 'hook.start' ? callOfStop(data) : undefined;
    if (calledAt !== undefined && calledAt !== stoppedAt) return { text: LATE, sure: false };
    sure ||= calledAt !== undefined;
    if (type === 'user.message' || type.startsWith('tool.')) return { text: NONE, sure };
    if (type === 'assistant.message') return { text: wordsOf(data), sure };
  }
  return { text: NONE, sure };
}

/** When hooks were called for the end of a turn; other calls are none of ours. */
function callOfStop(note: JsonObject): number | undefined {
  return note['hookType'] === 'agentStop' ? timeOf(objectIn(note, 'input')['timestamp']) : undefined;
}

function wordsOf(message: JsonObject): LastText {
  const calls = message['toolRequests'];
  const text = (textIn(message, 'content') ?? '').trim();
  return text === '' || (Array.isArray(calls) && calls.length > 0) ? NONE : { kind: 'text', text };
}

/** The client writes times as numbers or as texts, by the spelling of the event. */
function timeOf(stamp: Json | undefined): number {
  return typeof stamp === 'string' ? Date.parse(stamp) : Number(stamp);
}

/** A line that is not whole, or broken, is as good as none. */
function entryIn(line: Buffer): JsonObject {
  return jsonObjectIn(line.toString('utf8')) ?? {};
}
