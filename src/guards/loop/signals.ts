import type { EventOf } from '../../core/event';
import type { GitHead } from '../../core/git-head';
import type { Context } from '../../core/guard';
import { digest } from '../../core/hash';
import { isJsonObject, type JsonObject } from '../../core/json';
import type { FileFact, TranscriptFacts } from '../../core/snapshot';
import { linesOutsideCode } from './markdown';
import type { EndReason, Frame, LoopState, Mode } from './state';

const LOOP_SIGNALS: readonly (readonly [string, EndReason])[] = [
  ['<loop-done>COMPLETE</loop-done>', 'COMPLETE'],
  ['<loop-done>MAX_ITERATIONS</loop-done>', 'MAX_ITERATIONS'],
  ['<loop-done>STUCK</loop-done>', 'STUCK'],
];

/** What a loop of a mode takes for its end, and under which reason it is booked. */
function signalsOf(mode: Mode): ReadonlyMap<string, EndReason> {
  switch (mode) {
    case 'loop':
      return new Map(LOOP_SIGNALS);
    case 'issue':
      return new Map([...LOOP_SIGNALS, ['<issue-complete>DONE</issue-complete>', 'COMPLETE']]);
    case 'grind':
      return new Map([
        ['<grind-done>NO_MORE_ISSUES</grind-done>', 'NO_MORE_ISSUES'],
        ['<grind-done>MAX_ISSUES</grind-done>', 'MAX_ISSUES'],
      ]);
    case 'unknown':
      return new Map();
  }
}

const PAUSE_BEGIN = '<loop-pause>';
const PAUSE_END = '</loop-pause>';

/** What the agent's last words say to the loop. */
export interface Heard {
  readonly signal?: EndReason;
  /** The agent asks to wait for a person, with its reason. */
  readonly pause?: string;
  /** A signal stood there, but nowhere where it counts. */
  readonly nearMiss: boolean;
}

/** Reads a message, which is Markdown. Only one that has a signal or a pause in it somewhere is parsed. */
export function heardIn(text: string, mode: Mode): Heard {
  const signals = signalsOf(mode);
  const namesSignal = [...signals.keys()].some((signal) => text.includes(signal));
  if (!namesSignal && !text.includes(PAUSE_BEGIN)) return { nearMiss: false };
  const lines = linesOutsideCode(text);
  const signal = signals.get(lines.findLast((line) => signals.has(line)) ?? '');
  if (signal !== undefined) return { signal, nearMiss: false };
  const pause = pauseIn(lines);
  return { nearMiss: namesSignal, ...(pause !== undefined && { pause }) };
}

function pauseIn(lines: readonly string[]): string | undefined {
  const line = lines.findLast(
    (one) => one.startsWith(PAUSE_BEGIN) && one.endsWith(PAUSE_END) && !one.slice(1).includes(PAUSE_BEGIN),
  );
  return line?.slice(PAUSE_BEGIN.length, -PAUSE_END.length).trim();
}

/** The agent's last words, and how we know them. */
export interface Words {
  readonly text: string;
  /** Words from the transcript may be those of an earlier turn: the newest may not have been written yet. */
  readonly source: 'event' | 'transcript' | 'none';
}

/** The event's own words are the newest there are; the transcript is asked only where it has none. */
export function lastWords(event: EventOf<'turn.stop'>, transcript: TranscriptFacts): Words {
  if (event.lastMessage) return { text: event.lastMessage, source: 'event' };
  const last = transcript.lastText;
  return last?.kind === 'text' ? { text: last.text, source: 'transcript' } : { text: '', source: 'none' };
}

/** What is remembered of words that were acted on. The words themselves are not kept. */
export function markOf({ text }: Words, event: EventOf<'turn.stop'>): JsonObject {
  return { hash: digest(text), prompt_id: event.promptId ?? null };
}

/** Whether these words were acted on before. A new prompt makes the same words new, unless they may be old ones. */
export function isConsumed({ envelope }: LoopState, words: Words, event: EventOf<'turn.stop'>): boolean {
  const last = envelope['last_signal'];
  if (!isJsonObject(last) || last['hash'] !== digest(words.text)) return false;
  return words.source === 'transcript' || (last['prompt_id'] ?? null) === (event.promptId ?? null);
}

/** As many equal iterations in a row are told, and as many end the loop. */
export const TOLD_AFTER = 3;
export const ENDED_AFTER = 5;

/** What a frame remembers of its last iteration, and how often that has been the same. */
export type Progress = {
  readonly head: string;
  readonly index: string;
  readonly text: string;
  readonly streak: number;
};

/** The file of the branch, which many a branch has not: then it stands in one that holds many. */
function looseRef({ position, commonDir }: GitHead): string | undefined {
  return position.kind === 'branch' ? `${commonDir}/refs/heads/${position.branch}` : undefined;
}

function packedRefs({ commonDir }: GitHead): string[] {
  return [`${commonDir}/packed-refs`, `${commonDir}/reftable/tables.list`];
}

/** What this iteration leaves behind. Anything that moved, or a tool that can write, begins the row anew. */
export function progressOf(frame: Frame, words: string, wrote: boolean, ctx: Context): Progress {
  const head = headMark(ctx);
  const index = ctx.git === undefined ? '' : markIn(ctx.file({ path: `${ctx.git.gitDir}/index` }));
  const text = digest(words);
  const before = frame.raw['progress'];
  const goesOn =
    isJsonObject(before) &&
    !wrote &&
    before['head'] === head &&
    before['index'] === index &&
    before['text'] === text;
  const row = goesOn && typeof before['streak'] === 'number' ? before['streak'] : 0;
  return { head, index, text, streak: row + 1 };
}

function headMark({ git, file }: Context): string {
  if (git === undefined) return '';
  const loose = looseRef(git);
  if (loose === undefined) return 'commit' in git.position ? git.position.commit : '';
  const fact = file({ path: loose });
  if (fact.kind !== 'missing') return markIn(fact);
  return packedRefs(git)
    .map((path) => markIn(file({ path })))
    .join(' ')
    .trim();
}

function markIn(fact: FileFact): string {
  return fact.kind === 'file' ? `${fact.size}-${fact.mtimeMs}` : '';
}
