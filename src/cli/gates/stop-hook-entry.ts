import { fail, type Result, succeed } from '../../domain/failure';
import type { Json } from '../../domain/json';
import { linesIn } from '../../hosts/own-lines';
import { withEntries } from '../../settings/with-entries';
import * as say from './messages';

const COMMAND = 'agent-gauntlet stop-hook';
const ENTRY = { hooks: [{ type: 'command', command: COMMAND, timeout: 300 }] };

/**
 * Settings of Claude Code with the gates' entry for the end of a turn; the same text where it is there already.
 * No other byte is touched. What is not valid JSON, or not of the known shape, is refused.
 */
export function withStopHook(text: string): Result<string, string> {
  const edited = withEntries(text, {
    entries: [{ path: ['hooks', 'Stop'], value: ENTRY }],
    skeleton: {},
    isOurs: () => false,
    makesRoom: () => false,
    keepsOut: callsGates,
  });
  return edited.ok ? succeed(edited.value.text) : fail(say.NOT_SETTINGS);
}

function callsGates(entry: Json): boolean {
  return linesIn(entry).some((line) => line.includes(COMMAND));
}
