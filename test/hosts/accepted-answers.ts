import type { Event } from '../../src/core/event';
import { isJsonObject, type Json, type JsonObject, jsonIn } from '../../src/core/json';
import type { Answer } from '../../src/core/verdict';
import { ADVICE, type Capabilities, type HasPower, type Host } from '../../src/hosts/host';
import { powersAt } from '../../src/hosts/protocol';

/* What each host accepts in an answer. A host drops a whole answer, and the refusal in it, for one wrong field. */

const FIELDS: Readonly<Record<Host['name'], (event: Event, can: HasPower) => Fields>> = {
  'claude-code': (event, can) => {
    // Longer texts are not delivered.
    const isShort = (value: unknown) => typeof value === 'string' && value.length <= 10_000;
    return { ...claudeFields(event, can, isShort), terminalSequence: can('notify') && 'text' };
  },
  codex: (event, can) => {
    const isWords = (value: unknown) => typeof value === 'string' && value.trim() !== '';
    const fields = claudeFields(event, can, isWords);
    return { ...fields, reason: fields['reason'] ? isWords : false };
  },
  gemini: geminiFields,
  copilot: copilotFields,
  cursor: cursorFields,
  opencode: ({ kind }) => ({
    deny: 'text',
    prompt: kind === 'turn.stop' && 'text',
    context: 'text',
    notice: 'text',
  }),
};

/** VS Code's local agent, which runs Copilot's hooks with documents of its own. */
const VS_CODE: Capabilities = {
  'tool.before': ['ask', 'deny', 'change-input', ...ADVICE],
  'tool.after': ADVICE,
  'prompt.submit': ['advise-person'],
  'session.start': ADVICE,
  'turn.stop': ['hold', 'advise-person'],
};

function isOfVsCode(raw: Event['raw']): boolean {
  return typeof raw['hookEventName'] === 'string' && raw['hook_event_name'] === undefined;
}

/** Why the host would drop this answer; `undefined` if the answer is valid. */
export function whyDropped(host: Host, event: Event, answer: Answer): string | undefined {
  const isVsCode = host.name === 'copilot' && isOfVsCode(event.raw);
  const can = powersAt(isVsCode ? VS_CODE : host.capabilities, event);
  return checkAnswer(answer, FIELDS[host.name](event, can), host.name === 'claude-code' && can('hold'));
}

/** What a field of an answer may contain; `false` if the event has no such field. */
type Expected = false | 'text' | 'object' | readonly Json[] | ((value: unknown) => boolean) | Fields;
/** The fields that an object may have; in a nested object the first one is required. */
interface Fields {
  readonly [key: string]: Expected;
}

/** The fields of an answer in Claude Code's format; texts must match `words`. */
function claudeFields(event: Event, can: HasPower, words: Expected): Fields {
  const isCall = event.kind === 'tool.before';
  const isPermission = event.kind === 'permission.request';
  const mayBlock = event.kind === 'turn.stop' || (event.kind.startsWith('prompt.') && can('deny'));
  const report = can('report') && 'text';
  const specific = {
    hookEventName: [event.hostEvent],
    additionalContext: can('advise-agent') && words,
    permissionDecision: isCall && (can('ask') ? ['deny', 'ask'] : ['deny']),
    permissionDecisionReason: isCall && words,
    updatedInput: can('change-input') && 'object',
    decision: isPermission && { behavior: ['deny'], message: words },
  } as const;
  return {
    systemMessage: can('advise-person') && words,
    hookSpecificOutput: (isPermission || can('advise-agent')) && specific,
    decision: mayBlock && (report ? ['approve', 'block'] : ['block']),
    reason: mayBlock && 'text',
    status: report,
    message: report,
    stopReason: report,
  };
}

function copilotFields({ kind, hostEvent, raw }: Event, can: HasPower): Fields {
  const isCall = kind === 'tool.before';
  const isPermission = kind === 'permission.request';
  const mayBlock = kind === 'turn.stop' || kind === 'prompt.submit';
  const members: Fields = {
    permissionDecision: isCall && ['deny', 'ask'],
    permissionDecisionReason: isCall && 'text',
    behavior: isPermission && ['deny'],
    message: isPermission && 'text',
    decision: mayBlock && ['block'],
    reason: mayBlock && 'text',
    additionalContext: can('advise-agent') && 'text',
  };
  if (!isOfVsCode(raw)) return { ...members, modifiedArgs: isCall && 'object' };
  return {
    systemMessage: can('advise-person') && 'text',
    hookSpecificOutput: { hookEventName: [hostEvent], ...members, updatedInput: isCall && 'object' },
  };
}

function cursorFields({ kind }: Event, can: HasPower): Fields {
  const isCall = kind === 'tool.before';
  const isPrompt = kind === 'prompt.submit';
  return {
    permission: isCall && ['deny'],
    agent_message: isCall && 'text',
    updated_input: isCall && 'object',
    user_message: (isCall || isPrompt) && 'text',
    continue: isPrompt && [false],
    followup_message: kind === 'turn.stop' && 'text',
    additional_context: can('advise-agent') && 'text',
  };
}

function geminiFields(event: Event, can: HasPower): Fields {
  const words = [...(can('deny') || can('hold') ? ['deny'] : []), ...(can('ask') ? ['ask'] : [])];
  return {
    decision: words,
    reason: words.length > 0 && 'text',
    systemMessage: can('advise-person') && 'text',
    hookSpecificOutput: {
      hookEventName: [event.hostEvent],
      additionalContext: can('advise-agent') && 'text',
      tool_input: can('change-input') && 'object',
    },
  };
}

function checkAnswer({ stdout, stderr, exitCode }: Answer, fields: Fields, mayExitWith2 = false) {
  if (exitCode === 2 && !(mayExitWith2 && stderr.trim())) return 'exit code 2 without place or reason';
  if (stdout === '') return undefined;
  const output = jsonIn(stdout);
  if (!isJsonObject(output)) return 'stdout is not one JSON object';
  const refuses = 'decision' in output && output['decision'] !== 'approve';
  return refuses === 'reason' in output ? wrongField(output, fields) : 'decision and reason go together';
}

function wrongField(found: JsonObject, fields: Fields): string | undefined {
  const wrong = Object.keys(found).find(
    (key) => !Object.hasOwn(fields, key) || !fits(found[key], fields[key]),
  );
  return wrong === undefined ? undefined : `${wrong} has no place here or a wrong value`;
}

function fits(value: Json | undefined, expected: Expected = false): boolean {
  if (expected === 'text') return typeof value === 'string';
  if (expected === 'object') return isJsonObject(value);
  if (Array.isArray(expected)) return expected.includes(value);
  if (typeof expected === 'function') return expected(value);
  const [required = ''] = Object.keys(expected);
  if (expected === false || !isJsonObject(value) || !(required in value)) return false;
  const isPaired = 'permissionDecision' in value === 'permissionDecisionReason' in value;
  return isPaired && wrongField(value, expected as Fields) === undefined;
}
