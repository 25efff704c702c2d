import type { EventOf } from '../../core/event';
import type { Context, TranscriptFacts } from '../../core/guard';
import { type JsonObject, numberIn, objectIn } from '../../core/json';
import { digest } from '../../core/text';
import type { EndReason, Frame, LoopState, Mode } from './state';

const LOOP_SIGNALS: readonly (readonly [string, EndReason])[] = [
  ['<loop-done>COMPLETE</loop-done>', 'COMPLETE'],
  ['<loop-done>MAX_ITERATIONS</loop-done>', 'MAX_ITERATIONS'],
  ['<loop-done>STUCK</loop-done>', 'STUCK'],
];

/** The signals that end a loop of each mode, with the reason that is recorded. */
const SIGNALS: Readonly<Record<Mode, ReadonlyMap<string, EndReason>>> = {
  loop: new Map(LOOP_SIGNALS),
  issue: new Map([...LOOP_SIGNALS, ['<issue-complete>DONE</issue-complete>', 'COMPLETE']]),
  grind: new Map([
    ['<grind-done>NO_MORE_ISSUES</grind-done>', 'NO_MORE_ISSUES'],
    ['<grind-done>MAX_ISSUES</grind-done>', 'MAX_ISSUES'],
  ]),
  unknown: new Map(),
};

const PAUSE_BEGIN = '<loop-pause>';
const PAUSE_END = '</loop-pause>';

/** What the agent's last message means for the loop. */
export interface MessageSignals {
  readonly signal?: EndReason;
  /** The reason, if the agent asks to wait for a person. */
  readonly pause?: string;
  /** The message contains a signal, but not where it counts. */
  readonly nearMiss: boolean;
  /** The message is too long or too deeply nested to tell where. */
  readonly isUnchecked?: true;
}

/** Reads a Markdown message. Parses it only if a signal or a pause is in it somewhere. */
export function signalsIn(text: string, mode: Mode, ctx: Pick<Context, 'part'>): MessageSignals {
  const signals = SIGNALS[mode];
  const namesSignal = [...signals.keys()].some((signal) => text.includes(signal));
  if (!namesSignal && !text.includes(PAUSE_BEGIN)) return { nearMiss: false };
  const lines = ctx.part('markdown').linesOutsideCode(text);
  if (lines === undefined) return { nearMiss: true, isUnchecked: true };
  const last = lines.findLast((line) => signals.has(line) || isPause(line));
  if (last === undefined) return { nearMiss: true };
  const signal = signals.get(last);
  if (signal !== undefined) return { signal, nearMiss: false };
  return { nearMiss: namesSignal, pause: last.slice(PAUSE_BEGIN.length, -PAUSE_END.length).trim() };
}

function isPause(line: string): boolean {
  return line.startsWith(PAUSE_BEGIN) && line.endsWith(PAUSE_END) && !line.slice(1).includes(PAUSE_BEGIN);
}

/** The agent's last message, and where it was found. */
export interface LastMessage {
  readonly text: string;
  /** The transcript may end with the message of an earlier turn: the newest may not have been written yet. */
  readonly source: 'event' | 'transcript' | 'none';
  /** When it was written, if the transcript tells. */
  readonly at?: number | undefined;
}

/** The event's own message is the newest; the transcript is used only if the event has none. */
export function lastMessage(event: EventOf<'turn.stop'>, transcript: TranscriptFacts): LastMessage {
  if (event.lastMessage) return { text: event.lastMessage, source: 'event' };
  const last = transcript.lastText;
  return last?.kind === 'text'
    ? { text: last.text, source: 'transcript', at: last.at }
    : { text: '', source: 'none' };
}

/** Identifies a message that was acted on, without storing its text. */
export function markOf({ text }: LastMessage, event: EventOf<'turn.stop'>): JsonObject {
  return { hash: digest(text), prompt_id: event.promptId ?? null };
}

/** Whether this message was acted on before. With a new prompt it is new, unless it is from the transcript. */
export function wasConsumed(
  { envelope }: LoopState,
  words: LastMessage,
  event: EventOf<'turn.stop'>,
): boolean {
  const last = objectIn(envelope, 'last_signal');
  if (last['hash'] !== digest(words.text)) return false;
  return words.source === 'transcript' || (last['prompt_id'] ?? null) === (event.promptId ?? null);
}

/** After how many equal iterations in a row the agent is warned, and after how many the loop ends. */
export const WARNED_AFTER = 3;
export const ENDED_AFTER = 5;

/** What a frame remembers of its last iteration, and how often in a row that was the same. */
export type Progress = {
  readonly head: string;
  readonly index: string;
  readonly text: string;
  readonly streak: number;
};

/** The progress after this iteration. Anything that moved, or a tool that can write, restarts the streak. */
export function progressOf(frame: Frame, words: string, wrote: boolean, ctx: Context): Progress {
  const head = headMark(ctx);
  const index = ctx.git === undefined ? '' : fileMark(ctx, `${ctx.git.gitDir}/index`);
  const text = digest(words);
  const before = objectIn(frame.raw, 'progress');
  const isSame = !wrote && before['head'] === head && before['index'] === index && before['text'] === text;
  const row = isSame ? (numberIn(before, 'streak') ?? 0) : 0;
  return { head, index, text, streak: row + 1 };
}

function headMark(ctx: Context): string {
  if (ctx.git === undefined) return '';
  const { position, commonDir } = ctx.git;
  if (position.kind !== 'branch') return 'commit' in position ? position.commit : '';
  const loose = `${commonDir}/refs/heads/${position.branch}`;
  const ref = ctx.file({ path: loose, maxTextBytes: 100 });
  if (ref.kind !== 'missing') return ref.kind === 'file' ? (ref.text ?? '').trim() : '';
  // A branch without a file of its own is in one that holds many.
  const packed = [`${commonDir}/packed-refs`, `${commonDir}/reftable/tables.list`];
  return packed
    .map((path) => fileMark(ctx, path))
    .join(' ')
    .trim();
}

function fileMark({ file }: Context, path: string): string {
  const fact = file({ path });
  return fact.kind === 'file' ? `${fact.size}-${fact.mtimeMs}` : '';
}
