import { constants, statSync } from 'node:fs';
import { attempt, detailOf, errorCode } from '../../core/failure';
import type { TranscriptAsk, TranscriptFacts } from '../../core/guard';
import { type JsonObject, jsonObjectIn, numberIn, objectIn, objectsIn, textIn } from '../../core/json';
import { blockFor } from '../../exec/processes';
import { linesBackwards, NotAFile, readAt, withPlainFile } from '../../state/files';

/*
 * Reads Claude Code's transcripts: files of any size with one JSON entry per line, to which the client appends while we
 * read. Nothing here throws.
 */

type LastText = NonNullable<TranscriptFacts['lastText']>;
type Lines = ReturnType<typeof linesBackwards>;
type Tokens = NonNullable<TranscriptFacts['tokens']>;

const MB = 1024 * 1024;
/** How much of a file's end is read, and how much to see whether a tool was used. */
const REACH_BYTES = 32 * MB;
const TOOL_REACH_BYTES = MB / 2;
const LONGEST_LINE_BYTES = 8 * MB;
const PATIENCE_MS = 250;
const STEP_MS = 25;

/** Answers what was asked of a transcript, as far as it shows. */
export function transcriptFacts(
  path: string,
  { lastText, tokensFrom: offset, tokensSince: since, decidedOn: call, promptBlocked: prompt }: TranscriptAsk,
): TranscriptFacts {
  const decided =
    call === undefined ? undefined : retryBriefly(path, CONFIRM_MS, (lines) => decisionOn(lines, call));
  const blocked =
    prompt === undefined ? undefined : retryBriefly(path, QUEUE_MS, (lines) => provenOrigin(lines, prompt));
  const newTokens = since === undefined ? undefined : tokensSince(path, since);
  return {
    ...(lastText === true && { lastText: lastAssistantText(path) }),
    ...(newTokens && { newTokens }),
    ...(offset !== undefined && { tokens: tokensFrom(path, offset) }),
    ...(decided && { decidedOn: decided }),
    ...(blocked && { promptBlocked: blocked }),
  };
}

/** We have seen the client write up to 56 ms after it called us for the next event. */
const CONFIRM_MS = 100;
/** It writes that a prompt was queued about a tenth of a second later, so a queued one may be in our hands before that. */
const QUEUE_MS = 250;
const CONFIRM_REACH_BYTES = 8 * MB;

/** Passes the lines, newest first, to `look`; for a moment, reads them again while that finds nothing. */
function retryBriefly<T>(path: string, ms: number, look: (lines: Lines) => T | undefined): T | undefined {
  for (const until = Date.now() + ms; ; blockFor(STEP_MS)) {
    try {
      const found = withPlainFile(path, constants.O_RDONLY, (fd, { size }) =>
        look(linesBackwards(fd, size, { bytes: CONFIRM_REACH_BYTES })),
      );
      if (found !== undefined) return found;
    } catch {
      // The file may not exist yet.
    }
    if (Date.now() >= until) return undefined;
  }
}

/** Who allowed a call to run, according to its result. Other lines repeat the result without the decision. */
function decisionOn(lines: Lines, call: string): TranscriptFacts['decidedOn'] {
  for (const line of lines) {
    if (line === undefined || !line.includes(call) || !line.includes('permissionDecision')) continue;
    const entry = entryIn(line) ?? {};
    const results = blocksOf(entry).filter((block) => block['type'] === 'tool_result');
    if (entry['type'] !== 'user' || entry['isSidechain'] === true) continue;
    if (!results.some((block) => block['tool_use_id'] === call)) continue;
    const source = textIn(objectIn(entry, 'permissionDecision'), 'source');
    if (source !== undefined) return { source, result: objectIn(entry, 'toolUseResult') };
  }
  return undefined;
}

/**
 * The origin of a prompt that a hook has answered: of such a prompt the client records nothing but that answer. A
 * scheduled or queued prompt has an earlier entry; not only the person can add to that queue.
 */
function originOf(
  lines: Lines,
  { prompt, sinceMs }: NonNullable<TranscriptAsk['promptBlocked']>,
): TranscriptFacts['promptBlocked'] {
  let isNoted = sinceMs === undefined;
  for (const entry of mentions(lines, prompt)) {
    if (textIn(entry, 'content') !== prompt && entry['prompt'] !== prompt) {
      // This entry is from an earlier time that the prompt was typed.
      if (isNoted) break;
      if (Date.parse(textIn(entry, 'timestamp') ?? '') < (sinceMs ?? 0)) return undefined;
      isNoted = true;
    } else if (isNoted) return 'scheduled';
  }
  return isNoted ? 'typed' : undefined;
}

/** The same, but before a prompt is answered nothing proves that it was typed. */
function provenOrigin(lines: Lines, ask: NonNullable<TranscriptAsk['promptBlocked']>) {
  const origin = originOf(lines, ask);
  return origin === 'typed' && ask.sinceMs === undefined ? undefined : origin;
}

/** The entries that schedule or queue a prompt, and those that say that a hook has answered it. */
function* mentions(lines: Lines, prompt: string): Generator<JsonObject> {
  for (const line of lines) {
    // Most lines can be skipped without parsing.
    if (line === undefined || !MENTIONING.some((word) => line.includes(word))) continue;
    const entry = entryIn(line) ?? {};
    const texts = [entry['prompt'], entry['content']];
    const isAnswered = textIn(entry, 'content')?.endsWith(`\nOriginal prompt: ${prompt}`) === true;
    if (isAnswered || texts.includes(prompt)) yield entry;
  }
}

const MENTIONING = ['"informational"', '"scheduled_task_fire"', '"queue-operation"'];

/**
 * Whether a tool was used after `sinceMs` on the main chain. `undefined` if unknown: the file is unreadable, or the
 * part that we read does not go back far enough.
 */
export function toolUsedSince(path: string, sinceMs: number): boolean | undefined {
  return attempt(() =>
    withPlainFile(path, constants.O_RDONLY, (fd, { size }) => toolUsedIn(fd, size, sinceMs)),
  );
}

function toolUsedIn(fd: number, size: number, sinceMs: number): boolean | undefined {
  for (const line of linesBackwards(fd, size, { bytes: TOOL_REACH_BYTES })) {
    if (line === undefined) return undefined;
    const entry = entryIn(line);
    if (entry?.['isSidechain'] !== false) continue;
    const at = Date.parse(textIn(entry, 'timestamp') ?? '');
    if (at < sinceMs) return false;
    if (at > sinceMs && (hasBlock(entry, 'tool_use') || hasBlock(entry, 'tool_result'))) return true;
  }
  return false;
}

/** The agent's last text since the prompt. The client writes it a moment after it called us, so we wait briefly. */
export function lastAssistantText(path: string): LastText {
  try {
    const until = Date.now() + PATIENCE_MS;
    let look = lookAt(path);
    while (look.text.kind === 'none' && Date.now() < until) {
      blockFor(STEP_MS);
      if (statSync(path).size !== look.size) look = lookAt(path);
    }
    return look.text;
  } catch (error) {
    const why = error instanceof NotAFile ? detailOf(error) : `cannot be read (${errorCode(error)})`;
    return { kind: 'unread', why };
  }
}

function lookAt(path: string): { text: LastText; size: number } {
  return withPlainFile(path, constants.O_RDONLY, (fd, { size }) => ({ text: lastTextIn(fd, size), size }));
}

function lastTextIn(fd: number, size: number): LastText {
  const texts: string[] = [];
  let message: string | undefined;
  let newest: JsonObject | undefined;
  for (const entry of turnBackwards(fd, size)) {
    if (entry === undefined && texts.length === 0)
      return { kind: 'unread', why: 'has no message of the agent near its end' };
    const isOlder = texts.length > 0 && (message === undefined || messageId(entry) !== message);
    // Text before a tool call or another message is older.
    if (entry === undefined || isOlder) break;
    message = messageId(entry);
    const { text, isWhole } = lastTextOf(entry);
    if (text !== '') texts.unshift(text);
    newest ??= entry;
    if (!isWhole && texts.length > 0) break;
  }
  return textSaid(texts.join('\n').trim(), newest);
}

function textSaid(text: string, entry: JsonObject = {}): LastText {
  const at = Date.parse(textIn(entry, 'timestamp') ?? '');
  return text === '' ? { kind: 'none' } : { kind: 'text', text, ...(at > 0 && { at }) };
}

/** The agent's own entries in this turn, newest first; `undefined` if the file cannot be read further. */
function* turnBackwards(fd: number, size: number): Generator<JsonObject | undefined> {
  const reach = { bytes: REACH_BYTES, until: Date.now() + PATIENCE_MS };
  let longest = REACH_BYTES;
  for (const line of linesBackwards(fd, size, reach)) {
    if (line === undefined) yield undefined;
    const entry = line && line.length <= longest ? messageIn(line) : undefined;
    if (entry === undefined) continue;
    if (beginsTurn(entry)) return;
    if (entry['type'] !== 'assistant') continue;
    // Only the last message may be of any length.
    longest = LONGEST_LINE_BYTES;
    yield entry;
  }
}

/** The entry in a line, if it may be a message of the main chain. */
function messageIn(line: Buffer): JsonObject | undefined {
  // Most lines can be skipped without parsing: inside a string these quotes would be escaped.
  if (!line.includes('"assistant"') && !line.includes('"user"')) return undefined;
  const entry = entryIn(line);
  return entry?.['isSidechain'] === true ? undefined : entry;
}

/** A prompt, an error, or feedback on an earlier stop: text before that was already judged then. */
function beginsTurn(entry: JsonObject): boolean {
  if (entry['isApiErrorMessage'] === true) return true;
  if (entry['type'] !== 'user' || hasBlock(entry, 'tool_result')) return false;
  if (entry['isMeta'] !== true) return true;
  return textIn(blocksOf(entry)[0] ?? {}, 'text')?.startsWith('Stop hook feedback') === true;
}

/** The text after the last block of another kind, and whether there is no such block. */
function lastTextOf(entry: JsonObject): { text: string; isWhole: boolean } {
  const blocks = blocksOf(entry);
  const other = blocks.findLastIndex(({ type }) => type !== 'text');
  const texts = blocks.slice(other + 1).map((block) => textIn(block, 'text') ?? '');
  return { text: texts.filter((text) => text.trim() !== '').join('\n'), isWhole: other < 0 };
}

/**
 * The tokens of the messages after an offset, including those of subagents in the same file. Everything that a request
 * processes counts, even cache reads: a limit that counts too much ends early, one that counts too little never does.
 * What cannot be read now is left for the next time.
 */
export function tokensFrom(path: string, offset: number): Tokens {
  const tokens = attempt(() =>
    withPlainFile(path, constants.O_RDONLY, (fd, { size }) =>
      // A file that has become shorter is a different file; its earlier cost is unknown.
      offset > size ? { used: 0, until: size } : tokensBetween(fd, Math.max(0, offset), size),
    ),
  );
  return tokens ?? { used: 0, until: offset };
}

/** The same for the messages since a time. */
function tokensSince(path: string, since: number): Tokens | undefined {
  const offset = attempt(() =>
    withPlainFile(path, constants.O_RDONLY, (fd, { size }) => offsetSince(fd, size, since)),
  );
  return offset === undefined ? undefined : tokensFrom(path, offset);
}

/** The end of the last message with usage before a time, or of no known time. */
function offsetSince(fd: number, size: number, since: number): number {
  let offset = size;
  for (const line of linesBackwards(fd, size, { bytes: REACH_BYTES, until: Date.now() + PATIENCE_MS })) {
    const entry = line && spendingIn(line);
    const isEarlier = entry !== undefined && !(Date.parse(textIn(entry, 'timestamp') ?? '') >= since);
    if (line === undefined || isEarlier) break;
    offset -= line.length + 1;
  }
  return Math.max(0, offset);
}

function tokensBetween(fd: number, offset: number, size: number): Tokens {
  const counted = messageBefore(fd, offset);
  const deadline = Date.now() + PATIENCE_MS;
  const block = readAt(fd, offset, Math.min(REACH_BYTES, size - offset));
  const byMessage = new Map<string, number>();
  let unnamed = 0;
  let begin = 0;
  for (let end = block.indexOf('\n'); end >= 0; end = block.indexOf('\n', begin)) {
    const entry = spendingIn(block.subarray(begin, end));
    const id = messageId(entry);
    // A message has a line per block, each with the whole usage.
    if (id === undefined) unnamed += usageOf(entry);
    else if (id !== counted) byMessage.set(id, usageOf(entry));
    begin = end + 1;
    if (Date.now() > deadline) break;
  }
  // A line that is longer than what we read is skipped; an incomplete last line is left for the next time.
  if (begin === 0 && offset + block.length < size) begin = block.length;
  const used = [...byMessage.values()].reduce((sum, tokens) => sum + tokens, unnamed);
  return { used, until: offset + begin };
}

/** The last message before the offset; it has already been counted. */
function messageBefore(fd: number, offset: number): string | undefined {
  for (const line of linesBackwards(fd, offset, { bytes: MB })) {
    const entry = line && spendingIn(line);
    if (entry !== undefined) return messageId(entry);
  }
  return undefined;
}

/** The entry in a line, if it has the token usage of a message. */
function spendingIn(line: Buffer): JsonObject | undefined {
  if (!line.includes('"usage"') || line.length > LONGEST_LINE_BYTES) return undefined;
  const entry = entryIn(line);
  return entry?.['type'] === 'assistant' ? entry : undefined;
}

const USAGE_KEYS = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
];

function usageOf(entry: JsonObject = {}): number {
  const usage = objectIn(objectIn(entry, 'message'), 'usage');
  return USAGE_KEYS.reduce((sum, key) => sum + Math.max(0, numberIn(usage, key) ?? 0), 0);
}

/** The entry in a line; `undefined` if the line is incomplete or broken. */
function entryIn(line: Buffer): JsonObject | undefined {
  return jsonObjectIn(line.toString('utf8'));
}

/** The blocks of a message; plain text counts as one block. */
export function blocksOf(entry: JsonObject): readonly JsonObject[] {
  const message = objectIn(entry, 'message');
  const text = textIn(message, 'content');
  return text === undefined ? objectsIn(message, 'content') : [{ type: 'text', text }];
}

function hasBlock(entry: JsonObject, type: string): boolean {
  return blocksOf(entry).some((block) => block['type'] === type);
}

/** Several lines may belong to one message: the client writes each block on its own line. */
function messageId(entry: JsonObject = {}): string | undefined {
  return textIn(objectIn(entry, 'message'), 'id');
}
