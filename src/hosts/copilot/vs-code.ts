import type { Event } from '../../core/event';
import type { JsonObject } from '../../core/json';
import type { Capabilities, Power } from '../host';

const ADVICE: readonly Power[] = ['advise-agent', 'advise-person'];

/**
 * What the local agent of VS Code can carry, as its documents say. It runs the same files as Copilot CLI, and
 * Claude Code's settings, with documents and answers of its own.
 */
export const vsCodeCapabilities: Capabilities = {
  'tool.before': ['ask', 'deny', 'change-input', ...ADVICE],
  'tool.after': ADVICE,
  'prompt.submit': ['advise-person'],
  'session.start': ADVICE,
  'turn.stop': ['hold', 'advise-person'],
};

/** It alone names the event in camel case. */
export function isOfVsCode(raw: JsonObject): boolean {
  return typeof raw['hookEventName'] === 'string' && raw['hook_event_name'] === undefined;
}

/** Words of Copilot CLI in the place where VS Code looks for them, a refused stop among them. */
export function asVsCodeReads(event: Event, words: JsonObject): JsonObject | undefined {
  const { modifiedArgs: updatedInput, ...rest } = words;
  const members = { ...rest, ...(updatedInput !== undefined && { updatedInput }) };
  const spoken = Object.values(members).some((word) => word !== undefined);
  return spoken ? { hookEventName: event.hostEvent, ...members } : undefined;
}
