import { constants } from 'node:fs';
import { errorCode } from '../../core/failure';
import type { TranscriptAsk, TranscriptFacts } from '../../core/guard';
import { type Json, type JsonObject, jsonObjectIn, listIn, objectIn, textIn } from '../../core/json';
import { blockFor } from '../../exec/processes';
import { linesBackwards, withPlainFile } from '../../state/files';

type LastText = NonNullable<TranscriptFacts['lastText']>;

const REACH_BYTES = 32 * 1024 * 1024;
const PATIENCE_MS = 1000;
const STEP_MS = 20;

/**
 * Answers what was asked of a Copilot CLI transcript for the stop in `raw`. The transcript does not tell what an
 * earlier turn cost. Never throws.
 */
export function transcriptFacts(
  path: string,
  { lastText, tokensFrom }: TranscriptAsk,
  raw: JsonObject,
): TranscriptFacts {
  return {
    ...(lastText === true && { lastText: lastAssistantText(path, timeOf(raw['timestamp'])) }),
    ...(tokensFrom !== undefined && { tokens: { used: 0, until: tokensFrom } }),
  };
}

/** The result of one read. Final once the file mentions this stop: then everything before it has been written. */
interface Look {
  readonly text: LastText;
  readonly isFinal: boolean;
}

/** The agent's last text. The file is written a moment after we are called, so we wait briefly. */
function lastAssistantText(path: string, stoppedAt: number): LastText {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const { text, isFinal } = lookAt(path, stoppedAt);
    if (isFinal || text.kind === 'text' || Date.now() >= until) return text;
    blockFor(STEP_MS);
  }
}

function lookAt(path: string, stoppedAt: number): Look {
  try {
    return withPlainFile(path, constants.O_RDONLY, (fd, { size }) => lastTextIn(fd, size, stoppedAt));
  } catch (error) {
    const code = errorCode(error);
    return { text: { kind: 'unread', why: `cannot be read (${code})` }, isFinal: code !== 'ENOENT' };
  }
}

/**
 * The client records a hook call before it calls us, so if the last record is of an earlier stop, nothing new has been
 * written yet. After a prompt or tool use, nothing has been said. Subagents write to the same file.
 */
function lastTextIn(fd: number, size: number, stoppedAt: number): Look {
  let isFinal = false;
  for (const line of linesBackwards(fd, size, { bytes: REACH_BYTES })) {
    if (line === undefined) return { text: { kind: 'unread', why: 'is too long to be read' }, isFinal: true };
    const entry = entryIn(line);
    if (entry['agentId'] !== undefined) continue;
    const data = objectIn(entry, 'data');
    const type = String(entry['type']);
    const calledAt = type === 'hook.start' ? stopNotedIn(data) : undefined;
    if (calledAt !== undefined && calledAt !== stoppedAt) {
      return { text: { kind: 'unread', why: 'has not been written yet' }, isFinal: false };
    }
    isFinal ||= calledAt !== undefined;
    if (type === 'user.message' || type.startsWith('tool.')) break;
    if (type === 'assistant.message') return { text: textOf(data), isFinal };
  }
  return { text: { kind: 'none' }, isFinal };
}

/** The entry in a line; empty if the line is incomplete or broken. */
function entryIn(line: Buffer): JsonObject {
  return jsonObjectIn(line.toString('utf8')) ?? {};
}

/** The time of a hook call, if it was for the end of a turn. */
function stopNotedIn(data: JsonObject): number | undefined {
  return data['hookType'] === 'agentStop' ? timeOf(objectIn(data, 'input')['timestamp']) : undefined;
}

function textOf(message: JsonObject): LastText {
  const text = (textIn(message, 'content') ?? '').trim();
  const hasCalls = listIn(message, 'toolRequests').length > 0;
  return text === '' || hasCalls ? { kind: 'none' } : { kind: 'text', text };
}

/** The client writes times as numbers or strings, depending on the spelling of the event. */
function timeOf(stamp: Json | undefined): number {
  return typeof stamp === 'string' ? Date.parse(stamp) : Number(stamp);
}
