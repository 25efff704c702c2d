import type { Capabilities, Power } from '../host';

const ADVICE: readonly Power[] = ['advise-agent', 'advise-person'];
const NOTE: readonly Power[] = ['advise-person'];

/** What Gemini CLI can carry. Before a tool it has words for the person only, beside a refusal. */
export const capabilities: Capabilities = {
  'tool.before': ['deny', 'ask', 'change-input', ...NOTE],
  'tool.after': ADVICE,
  'prompt.submit': ['deny', ...ADVICE],
  'session.start': ADVICE,
  'turn.stop': ['hold', ...NOTE],
  'compact.before': NOTE,
  notification: NOTE,
};
