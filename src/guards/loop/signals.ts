import { linesOutsideCode, signalsIn } from '../../markdown/signals';
import type { Mode } from './frame';
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

export function heardIn(text: string, mode: Mode): Heard {
  // Every signal has one; most words have none.
  if (!text.includes('<')) return { nearMiss: false };
  const signals = signalsOf(mode);
  const { accepted, nearMiss } = signalsIn(text, [...signals.keys()]);
  const signal = accepted === undefined ? undefined : signals.get(accepted);
  const pause = signal === undefined ? pauseIn(text) : undefined;
  return { nearMiss, ...(signal !== undefined && { signal }), ...(pause !== undefined && { pause }) };
}

function pauseIn(text: string): string | undefined {
  if (!text.includes(PAUSE_BEGIN)) return undefined;
  const line = linesOutsideCode(text).findLast(
    (one) => one.startsWith(PAUSE_BEGIN) && one.endsWith(PAUSE_END) && !one.slice(1).includes(PAUSE_BEGIN),
  );
  return line?.slice(PAUSE_BEGIN.length, -PAUSE_END.length).trim();
}
