import type { Capabilities } from '../host';

/**
 * What Cursor can carry, as its documents say; its questions to a person are reported not to hold, so
 * none is asked. What is said to the person comes only with a refusal.
 */
export const capabilities: Capabilities = {
  'tool.before': ['deny', 'change-input'],
  'tool.after': ['advise-agent'],
  'prompt.submit': ['deny'],
  'session.start': ['advise-agent'],
  'turn.stop': ['hold'],
};
