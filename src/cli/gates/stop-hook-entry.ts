import { type Edited, withEntries } from '../../config/settings/entries';
import { fail, type Result } from '../../core/failure';
import type { Json } from '../../core/json';
import { linesIn } from '../../hosts/own-lines';
import * as say from './messages';

const COMMAND = 'agent-gauntlet stop-hook';
const ENTRY = { hooks: [{ type: 'command', command: COMMAND, timeout: 300 }] };

/**
 * Settings of Claude Code with the gates' entry for the end of a turn; the same text where it is there already.
 * No other byte is touched. What is not valid JSON, or not of the known shape, is refused.
 */
export function withStopHook(text: string): Result<Edited, string> {
  const edited = withEntries(text, {
    entries: [{ path: ['hooks', 'Stop'], value: ENTRY }],
    skeleton: {},
    isOurs: () => false,
    makesRoom: () => false,
    keepsOut: callsGates,
  });
  return edited.ok ? edited : fail(say.NOT_SETTINGS);
}

/** Whether a value of a settings list, or a part of one, is the entry as it was put there. */
export function isStopHook(value: Json): boolean {
  return linesIn(value).includes(COMMAND);
}

function callsGates(entry: Json): boolean {
  return linesIn(entry).some((line) => line.includes(COMMAND));
}
