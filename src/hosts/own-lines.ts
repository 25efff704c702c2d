import { isJsonObject, type Json } from '../core/json';
import { quoted } from './command-line';
import type { Rival } from './setup';

/** What every line of ours contains: the file below the home that starts the hook. */
export const LAUNCH_MARK = 'holdpoint/launch';

const BY_HAND = /\bholdpoint(?:\.cjs)?["']?\s+hook\b|\bhook\.cjs\b/;
/** Keys of the hosts' settings that hold a line for a shell. */
const LINE_KEYS = ['command', 'bash', 'powershell', 'commandWindows'];

/** Every command line in a value of a settings list, its parts included. */
export function linesIn(value: Json | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((part: Json) => linesIn(part));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    typeof part === 'string'
      ? LINE_KEYS.includes(key)
        ? [withArguments(part, value['args'])]
        : []
      : linesIn(part),
  );
}

/** Whether we put this value there: its line goes through our launch file. */
export function hasOwnLine(value: Json): boolean {
  return linesIn(value).some((line) => line.includes(LAUNCH_MARK));
}

/** A line that calls our hook and was not written by `install`. */
export function rivalByHand(value: Json): Rival | undefined {
  const command = linesIn(value).find((line) => !line.includes(LAUNCH_MARK) && BY_HAND.test(line));
  return command === undefined ? undefined : { kind: 'by-hand', program: 'Holdpoint', command };
}

/** The programs of ours in a value that a host starts without a shell. */
export function ownProgramsIn(value: Json | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((part: Json) => ownProgramsIn(part));
  if (!isJsonObject(value)) return [];
  const { command, args, hooks } = value;
  const isOwn = typeof command === 'string' && Array.isArray(args) && hasOwnLine({ command, args });
  return [...(isOwn ? [command] : []), ...ownProgramsIn(hooks)];
}

/** The form without a shell has its arguments apart; a shell would do the same with this line. */
function withArguments(command: string, args: Json | undefined): string {
  return Array.isArray(args) ? [command, ...args].map((word) => quoted(String(word))).join(' ') : command;
}
