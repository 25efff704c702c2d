import type { Event } from '../../core/event';
import type { JsonObject } from '../../core/json';
import type { Answer, Decision } from '../../core/verdict';
import {
  carry,
  checkAnswer,
  claudeFields,
  cut,
  joined,
  powersAt,
  say,
  specificOutput,
  type Test,
} from '../answer';
import type { Capabilities, Environment, Host, Power } from '../host';
import { parse, readHeader } from './parse';

const ADVICE: readonly Power[] = ['advise-agent', 'advise-person'];

const capabilities: Capabilities = {
  'tool.before': ['ask', 'change-input', 'deny', ...ADVICE],
  'tool.after': ADVICE,
  'permission.request': ['deny', 'advise-person'],
  'prompt.submit': ['deny', ...ADVICE],
  'prompt.expand': ['deny', ...ADVICE],
  'session.start': ADVICE,
  'subagent.start': ADVICE,
  setup: ADVICE,
  notification: ADVICE,
  // No advice to the agent at the end of a turn: it would make the agent go on.
  'turn.stop': ['hold', 'advise-person', 'report'],
  'config.change': ['hold'],
  'task.created': ['hold'],
  'task.completed': ['hold'],
  'teammate.idle': ['hold'],
};

/** The loop's own answer has no place for a note. */
const LOOP_CAPABILITIES: Capabilities = { 'turn.stop': ['hold', 'report'] };

/** Anthropic's Claude Code. */
export const claudeCode: Host = {
  name: 'claude-code',
  capabilities,
  stopCap,
  readHeader,
  parse,
  render,
  check,
};

const USUAL_CAP = 8;

/** The client counts refused stops without tool use. A cap of zero or less switches the counting off. */
function stopCap(env: Environment): number {
  const set = env['CLAUDE_CODE_STOP_HOOK_BLOCK_CAP']?.trim() || undefined;
  const cap = Number.isInteger(Number(set)) ? Number(set) : USUAL_CAP;
  return cap <= 0 ? Number.POSITIVE_INFINITY : cap;
}

/** The decision as Claude Code reads it. Silence is permission: `allow` is never said. */
function render(event: Event, decision: Decision): Answer {
  const byLoop = isHeldByLoopAlone(event, decision);
  const carried = carry(byLoop ? LOOP_CAPABILITIES : capabilities, event, decision);
  const { losses, note } = carried;
  if (decision.kind === 'hold' && carried.can('hold') && (byLoop || event.kind !== 'turn.stop')) {
    // Spaced by hand: scripts compare the loop's bytes.
    const stdout = byLoop ? `{"decision": "block", "reason": ${JSON.stringify(decision.reason)}}\n` : '';
    return { stdout, stderr: `${decision.reason}\n`, exitCode: 2, losses };
  }
  const members = {
    ...callRefusal(event, decision),
    updatedInput: carried.input,
    // Unlike other hosts, Claude Code delivers advice beside a denial.
    additionalContext: carried.denial === undefined ? carried.advice : joined(decision.toAgent),
  };
  return say(
    {
      ...(event.kind === 'turn.stop' ? stopAnswer(decision) : promptRefusal(event, decision)),
      hookSpecificOutput: specificOutput(event, members),
      systemMessage: note,
    },
    losses,
  );
}

/** A stop that only the loop refuses is answered in exactly the bytes of the loop's own command. */
function isHeldByLoopAlone(event: Event, decision: Decision): boolean {
  if (event.kind !== 'turn.stop' || decision.kind !== 'hold') return false;
  return decision.by.join() === 'loop' && decision.plain !== true;
}

function stopAnswer(decision: Decision): JsonObject | undefined {
  const report = 'report' in decision ? decision.report : undefined;
  const reason = decision.kind === 'hold' ? decision.reason : undefined;
  if (reason === undefined && !report) return undefined;
  return {
    decision: reason === undefined ? 'approve' : 'block',
    reason,
    status: report?.status,
    message: report?.message,
    stopReason: report && reason,
  };
}

function promptRefusal(event: Event, decision: Decision): JsonObject | undefined {
  const isRefused = decision.kind === 'deny' && event.kind.startsWith('prompt.');
  return isRefused ? { decision: 'block', reason: cut(decision.reason) } : undefined;
}

function callRefusal(event: Event, decision: Decision): JsonObject | undefined {
  if (decision.kind !== 'ask' && decision.kind !== 'deny') return undefined;
  const reason = cut(decision.reason);
  if (event.kind === 'tool.before') {
    return { permissionDecision: decision.kind, permissionDecisionReason: reason };
  }
  const isDenied = event.kind === 'permission.request' && decision.kind === 'deny';
  return isDenied ? { decision: { behavior: 'deny', message: reason } } : undefined;
}

/** A longer text would not be delivered. */
const shortText: Test = (value) => typeof value === 'string' && value.length <= 10_000;

function check(event: Event, answer: Answer): string | undefined {
  const can = powersAt(capabilities, event);
  return checkAnswer(answer, claudeFields(event, can, shortText), can('hold'));
}
