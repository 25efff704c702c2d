import { linesOutsideCode } from '../../src/markdown/signals';
import { generatedDocument, mutatedDocument, randomNumbers } from './generated-documents';
import { countedByReference } from './reference';
import { SIGNAL_CASES, SUBTLE_CASES } from './signal-cases';

/** Different ones, so that a line is known by its text. */
const SIGNALS = Array.from({ length: 12 }, (_, number) => `<loop-done>${number}</loop-done>`);
const CASES = Object.values({ ...SIGNAL_CASES, ...SUBTLE_CASES }).map(([text]) => text);

export interface Comparison {
  readonly documents: number;
  /** Signals that count by the reference. */
  readonly counted: number;
  /** Documents in which a signal counts that does not by the reference. */
  readonly wrong: readonly string[];
  /** Documents in which a signal does not count that does by the reference. */
  readonly missed: readonly string[];
}

/** Compares the scanner with the reference over documents made from this seed: one in four a changed case. */
export function compare(seed: number, documents: number): Comparison {
  const random = randomNumbers(seed);
  const wrong: string[] = [];
  const missed: string[] = [];
  let counted = 0;
  for (let made = 0; made < documents; made += 1) {
    const text = made % 4 === 0 ? changedCase(random) : generatedDocument(random, SIGNALS);
    const reference = countedByReference(text, SIGNALS);
    const found = linesOutsideCode(text).filter((line) => SIGNALS.includes(line));
    counted += reference.length;
    if (leftOver(found, reference).length > 0) wrong.push(text);
    if (leftOver(reference, found).length > 0) missed.push(text);
  }
  return { documents, counted, wrong, missed };
}

/** How many documents there may be, in one, in which a signal is missed: those that leave room for doubt. */
export const MOST_MISSED = 0.02;

/** A line on what was compared, and the shortest document in which a signal was missed. */
export function report({ documents, counted, wrong, missed }: Comparison): string {
  const shortest = missed.toSorted((one, other) => one.length - other.length)[0] ?? '';
  return `${documents} documents, ${counted} signals: ${wrong.length} wrong, ${missed.length} missed, as in ${JSON.stringify(shortest)}`;
}

function changedCase(random: () => number): string {
  const text = CASES[Math.floor(random() * CASES.length)]!;
  let next = Math.floor(random() * SIGNALS.length);
  const signal = () => SIGNALS[next++ % SIGNALS.length]!;
  return mutatedDocument(text.replaceAll('S', signal), random, SIGNALS);
}

function leftOver(from: readonly string[], taken: readonly string[]): readonly string[] {
  const rest = [...taken];
  return from.filter((each) => {
    const at = rest.indexOf(each);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}
