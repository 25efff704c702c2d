import type { Effects } from '../core/command-effects';
import { effectsOfLine } from './effects';
import type { Start } from './scope';
import { readLine } from './walk';

export { commandLines, commandsOf } from './command-lines';

/** What a line is about to do. */
export function effectsOf(text: string, start: Start): Effects {
  return effectsOfLine(readLine(text, start), start);
}
