import type { Capabilities, Power } from '../host';

const ADVICE: readonly Power[] = ['advise-agent', 'advise-person'];

/**
 * What the plugin can do in OpenCode. Advice before a call goes with the call's result, that at the beginning
 * of a session with its first prompt; the person sees a notice.
 */
export const capabilities: Capabilities = {
  'tool.before': ['deny', ...ADVICE],
  'tool.after': ADVICE,
  'prompt.submit': ADVICE,
  'prompt.expand': ADVICE,
  'session.start': ADVICE,
  'turn.stop': ['hold', 'advise-person'],
};
