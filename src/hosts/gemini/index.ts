import type { Event } from '../../core/event';
import { isJsonObject, type JsonObject } from '../../core/json';
import type { Answer, Decision } from '../../core/verdict';
import {
  asFeedback,
  carry,
  checkAnswer,
  cut,
  type Fields,
  joined,
  objectOf,
  oneOf,
  powersAt,
  say,
  specificOutput,
  text,
} from '../answer';
import type { Capabilities, Host, Power } from '../host';
import { parse, readHeader } from './parse';

const ADVICE: readonly Power[] = ['advise-agent', 'advise-person'];
const NOTE: readonly Power[] = ['advise-person'];

/** Before a tool Gemini CLI shows something to the person only, beside a refusal. */
const capabilities: Capabilities = {
  'tool.before': ['deny', 'ask', 'change-input', ...NOTE],
  'tool.after': ADVICE,
  'prompt.submit': ['deny', ...ADVICE],
  'session.start': ADVICE,
  'turn.stop': ['hold', ...NOTE],
  'compact.before': NOTE,
  notification: NOTE,
};

/** Google's Gemini CLI. It never ends a turn by itself that is held, short of a hundred rounds. */
export const host: Host = {
  name: 'gemini',
  capabilities,
  stopCap: () => undefined,
  namelessShell: true,
  readHeader,
  parse,
  render,
  check: (event, answer) => checkAnswer(answer, fieldsAt(event)),
};

/** The decision as Gemini CLI reads it. Silence is permission: `allow` is never said. */
function render(event: Event, decision: Decision): Answer {
  const { denial, advice, note, input, losses } = carry(capabilities, event, decision);
  const isQuestion = event.kind === 'tool.before' && decision.kind === 'ask';
  return say(
    {
      ...(denial === undefined ? refusalOf(event, decision) : { decision: 'deny', reason: denial }),
      hookSpecificOutput: specificOutput(event, { tool_input: input, additionalContext: advice }),
      // A question shows this and not its reason.
      systemMessage: isQuestion ? joined([decision.reason, ...decision.toPerson]) : note,
    },
    losses,
  );
}

function refusalOf({ kind }: Event, decision: Decision): JsonObject | undefined {
  if (kind === 'turn.stop' && decision.kind === 'hold') {
    return { decision: 'deny', reason: asFeedback(decision.reason) };
  }
  const refuses = kind === 'prompt.submit' && decision.kind === 'deny';
  const asks = kind === 'tool.before' && decision.kind === 'ask';
  return refuses || asks ? { decision: decision.kind, reason: cut(decision.reason) } : undefined;
}

function fieldsAt(event: Event): Fields {
  const can = powersAt(capabilities, event);
  const words = [...(can('deny') || can('hold') ? ['deny'] : []), ...(can('ask') ? ['ask'] : [])];
  return {
    decision: words.length > 0 && oneOf(words),
    reason: words.length > 0 && text,
    systemMessage: can('advise-person') && text,
    hookSpecificOutput: objectOf('hookEventName', {
      hookEventName: oneOf([event.hostEvent]),
      additionalContext: can('advise-agent') && text,
      tool_input: can('change-input') && isJsonObject,
    }),
  };
}
