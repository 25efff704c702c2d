import type { Event } from '../../core/event';
import type { Answer, Decision } from '../../core/verdict';
import { asFeedback, carry, checkAnswer, say, text } from '../answer';
import type { Capabilities, Host, Power } from '../host';
import { parse, readHeader } from './parse';

const ADVICE: readonly Power[] = ['advise-agent', 'advise-person'];

/**
 * What our plugin can do. Advice before a call goes with the call's result, advice at the start of a session with its
 * first prompt; the person sees a notice.
 */
const capabilities: Capabilities = {
  'tool.before': ['deny', ...ADVICE],
  'tool.after': ADVICE,
  'prompt.submit': ADVICE,
  'prompt.expand': ADVICE,
  'session.start': ADVICE,
  'turn.stop': ['hold', 'advise-person'],
};

/** OpenCode. It has no hook processes: a plugin in its own process writes the documents and reads the answers. */
export const host: Host = {
  name: 'opencode',
  capabilities,
  stopCap: () => undefined,
  readHeader,
  parse,
  render,
  check: ({ kind }, answer) =>
    checkAnswer(answer, {
      deny: text,
      prompt: kind === 'turn.stop' && text,
      context: text,
      notice: text,
    }),
};

/** The decision as a `Reply` to the plugin. */
function render(event: Event, decision: Decision): Answer {
  const { can, denial, advice, note, losses } = carry(capabilities, event, decision);
  const prompt = decision.kind === 'hold' && can('hold') ? asFeedback(decision.reason) : undefined;
  return say({ deny: denial, prompt, context: advice, notice: note }, losses);
}
