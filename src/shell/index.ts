import type { Effects } from '../core/command-effects';
import { effectsOfLine } from './effects';
import type { Start } from './scope';
import { readLine } from './walk';

export { commandLines, commandsOf } from './command-lines';

/** Predicts what a command line will do, without running it. */
export function effectsOf(text: string, start: Start): Effects {
  return effectsOfLine(readLine(text, start), start);
}
