import type { RunResult } from '../../../exec/run';
import { plainText } from '../run/plain-text';
import { endedBy } from './messages';

const LONGEST = 200;

/** The line in which a program said what went wrong, as far as one can tell. */
export function firstLine(ended: RunResult): string {
  if (ended.kind === 'not-started') return ended.detail;
  const lines = (text: string): string[] =>
    plainText(text)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  const said = [...lines(ended.stderr), ...lines(ended.stdout)];
  const line =
    said.find((one) => /\b(?:error|fatal|failed|limit|denied|invalid)\b/i.test(one)) ?? said[0] ?? '';
  if (line === '' && ended.kind === 'signalled') return endedBy(ended.signal);
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
