import type { Capabilities } from '../host';

/** What Copilot CLI can carry, as seen on version 1.0.102. It has no words for the person in any answer. */
export const capabilities: Capabilities = {
  'tool.before': ['ask', 'deny', 'advise-agent', 'change-input'],
  'tool.after': ['advise-agent'],
  'permission.request': ['deny'],
  'prompt.submit': ['deny', 'advise-agent'],
  'session.start': ['advise-agent'],
  'turn.stop': ['hold'],
};
