import type { Event } from '../../core/event';
import type { JsonObject } from '../../core/json';
import type { Answer, Decision } from '../../core/verdict';
import {
  carry,
  checkAnswer,
  claudeFields,
  joined,
  powersAt,
  say,
  specificOutput,
  type Test,
} from '../answer';
import type { Capabilities, Host, Power } from '../host';
import { parse, readHeader } from './parse';

const ADVICE: readonly Power[] = ['advise-agent', 'advise-person'];
const REFUSAL: readonly Power[] = ['deny', ...ADVICE];
const NOTE: readonly Power[] = ['advise-person'];

/**
 * Codex has no question for a person: it throws an answer with `ask` away, and the call runs. It changes an input only
 * together with a consent that would skip Codex's own question too, so we do not change any.
 */
const capabilities: Capabilities = {
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

/** OpenAI's Codex CLI. It never ends a turn by itself that is held. */
export const host: Host = {
  name: 'codex',
  capabilities,
  stopCap: () => undefined,
  readHeader,
  parse,
  render,
  check: (event, answer) => {
    const fields = claudeFields(event, powersAt(capabilities, event), words);
    return checkAnswer(answer, { ...fields, reason: fields['reason'] ? words : false });
  },
};

/**
 * Codex throws a whole answer away for one key too many, and the refusal in it too. So a refusal stands alone, and what
 * else the agent should know is part of its reason.
 */
function render(event: Event, decision: Decision): Answer {
  const { denial, advice, note, losses } = carry(capabilities, event, decision);
  const members =
    denial === undefined
      ? { ...permissionDenial(event, decision), additionalContext: advice }
      : { permissionDecision: 'deny', permissionDecisionReason: denial };
  return say(
    {
      ...refusalOf(event, decision),
      hookSpecificOutput: specificOutput(event, members),
      systemMessage: note,
    },
    losses,
  );
}

/** Codex takes a refusal without a word for none. */
function refusalOf(event: Event, decision: Decision): JsonObject | undefined {
  if (event.kind === 'turn.stop' && decision.kind === 'hold') {
    return { decision: 'block', reason: decision.reason.trim() === '' ? 'Held.' : decision.reason };
  }
  const isRefused = event.kind === 'prompt.submit' && decision.kind === 'deny';
  return isRefused ? { decision: 'block', reason: joined([decision.reason]) ?? 'Denied.' } : undefined;
}

function permissionDenial(event: Event, decision: Decision): JsonObject | undefined {
  if (event.kind !== 'permission.request' || decision.kind !== 'deny') return undefined;
  return { decision: { behavior: 'deny', message: joined([decision.reason]) ?? 'Denied.' } };
}

const words: Test = (value) => typeof value === 'string' && value.trim() !== '';
