import type { Effects } from '../core/command-effects';
import { effectsOfLine } from './effects';
import type { Start } from './scope';
import { readLine } from './walk';

export { commandLines } from './command-lines';

/** What a line is about to do. The hook does the same with two chunks: one reads the line, one tells its effects. */
export function effectsOf(text: string, start: Start): Effects {
  return effectsOfLine(readLine(text, start), start);
}
