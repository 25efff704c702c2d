import type { Capabilities, Power } from '../host';

const ADVICE: readonly Power[] = ['advise-agent', 'advise-person'];
const REFUSAL: readonly Power[] = ['deny', ...ADVICE];
const NOTE: readonly Power[] = ['advise-person'];

/**
 * What Codex can carry. It has no question for a person: an answer with `ask` is thrown away and the call
 * runs. An input is changed only together with a consent that would also skip Codex's own question, so we
 * do not change any.
 */
export const capabilities: Capabilities = {
  'tool.before': REFUSAL,
  'tool.after': ADVICE,
  'permission.request': ['deny', ...NOTE],
  'prompt.submit': REFUSAL,
  'session.start': ADVICE,
  'subagent.start': ADVICE,
  'turn.stop': ['hold', ...NOTE],
  'compact.before': NOTE,
  'compact.after': NOTE,
  'turn.interrupt': NOTE,
};
