import type { LineCounter } from 'yaml';
import type { Span } from './source';

/** The stretch between two offsets, cut at the end of its first line. */
export function spanAt(text: string, counter: LineCounter, start: number, end: number): Span {
  const { line, col } = counter.linePos(Math.max(0, start));
  const newline = text.indexOf('\n', start);
  const lineEnd = newline < 0 ? text.length : newline;
  return {
    line: Math.max(1, line),
    column: Math.max(1, col),
    length: Math.max(0, Math.min(end, lineEnd) - start),
  };
}
