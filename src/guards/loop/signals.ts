import type { Mode } from './frame';
import { linesOutsideCode } from './markdown';
import type { EndReason } from './state';

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

/** Whether a message may have to be parsed, which can take long. */
export function mayHoldSignal(text: string): boolean {
  return /<(?:loop-done|loop-pause|issue-complete|grind-done)>/.test(text);
}

function pauseIn(lines: readonly string[]): string | undefined {
  const line = lines.findLast(
    (one) => one.startsWith(PAUSE_BEGIN) && one.endsWith(PAUSE_END) && !one.slice(1).includes(PAUSE_BEGIN),
  );
  return line?.slice(PAUSE_BEGIN.length, -PAUSE_END.length).trim();
}
