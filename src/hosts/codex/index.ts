import type { Event, Operation, ToolCall, ToolOutcome } from '../../core/event';
import { isJsonObject, type Json, type JsonObject, nameIn, objectIn, present, textIn } from '../../core/json';
import type { Answer, Decision } from '../../core/verdict';
import { ADVICE, type Carried, claudeFields, joined, say, specificOutput } from '../answer';
import { type Capabilities, hostFrom, type Power } from '../host';
import {
  absolutePaths,
  COMMON_KINDS,
  claudeEnvelope,
  commandLine,
  mcpOf,
  namesFor,
  operationIn,
  patchPaths,
  type Tools,
  toolCallFrom,
} from '../parse';

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
export const host = hostFrom({
  name: 'codex',
  capabilities,
  kinds: {
    ...COMMON_KINDS,
    PermissionRequest: 'permission.request',
    Interrupt: 'turn.interrupt',
    PostCompact: 'compact.after',
  },
  header: (raw) => ({ toolNames: toolNamesIn(raw) }),
  envelope: (raw, { kind }) => ({
    // Nothing says that a refused stop goes on in the same turn; `stop_hook_active` tells what belongs together there.
    promptId: kind === 'turn.stop' ? undefined : nameIn(raw, 'turn_id'),
    ...claudeEnvelope(raw),
  }),
  bodies: {
    'tool.after': (raw, call) => ({
      call: call(),
      outcome: outcomeOf(raw['tool_response']),
      response: present({ raw: raw['tool_response'] ?? null, text: textIn(raw, 'tool_response') }),
    }),
  },
  call: toolCallIn,
  render,
  fields: (event, can) => {
    const isWords = (value: unknown) => typeof value === 'string' && value.trim() !== '';
    const fields = claudeFields(event, can, isWords);
    return { ...fields, reason: fields['reason'] ? isWords : false };
  },
});

/**
 * Codex throws a whole answer away for one key too many, and the refusal in it too. So a refusal stands alone, and what
 * else the agent should know is part of its reason. A refusal without a word counts as none.
 */
function render(event: Event, decision: Decision, { denial, advice, note, losses }: Carried): Answer {
  const isDenied = decision.kind === 'deny';
  const reason = isDenied ? (joined([decision.reason]) ?? 'Denied.') : undefined;
  const permission =
    isDenied && event.kind === 'permission.request' ? { behavior: 'deny', message: reason } : undefined;
  const members =
    denial === undefined
      ? { decision: permission, additionalContext: advice }
      : { permissionDecision: 'deny', permissionDecisionReason: denial };
  const held = event.kind === 'turn.stop' && decision.kind === 'hold' ? decision.reason : undefined;
  const refusal =
    held === undefined ? (event.kind === 'prompt.submit' ? reason : undefined) : held.trim() ? held : 'Held.';
  return say(
    {
      decision: refusal && 'block',
      reason: refusal,
      hookSpecificOutput: specificOutput(event, members),
      systemMessage: note,
    },
    losses,
  );
}

/** The event comes after failures too, and a command's response is its output without an exit code. */
function outcomeOf(response: Json | undefined): ToolOutcome {
  const failed = isJsonObject(response) && (response['isError'] === true || response['success'] === false);
  return failed ? 'failure' : 'unknown';
}

const TOOLS: Tools = {
  // What is typed into a running command is a command too: left out, it would be a way around every rule.
  shell: ['Bash', 'shell', 'local_shell', 'exec_command', 'write_stdin'],
  patch: ['apply_patch'],
  agent: ['spawn_agent'],
  read: ['view_image'],
  web: ['web_search'],
  task: ['update_plan', 'update_goal'],
};

/** Every name by which a rule may mention the document's tool. */
function toolNamesIn(raw: JsonObject): string[] {
  const name = textIn(raw, 'tool_name') ?? '';
  if (name === '') return [];
  const op = operationIn(TOOLS, name);
  const isBoth = op === 'shell' && patchIn(op, objectIn(raw, 'tool_input')) !== undefined;
  return [...namesFor(name, op), ...(isBoth ? namesFor('apply_patch', 'patch') : [])];
}

function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool_name') ?? '';
  const input = objectIn(raw, 'tool_input');
  const op = operationIn(TOOLS, nativeName);
  const patch = patchIn(op, input);
  const { command: line, workdir } = shellIn(input);
  const command = commandLine(line, cwd, workdir);
  return toolCallFrom({
    nativeName,
    names: toolNamesIn(raw),
    op,
    input,
    callId: nameIn(raw, 'tool_use_id'),
    command: command ?? textIn(input, 'chars'),
    paths:
      patch === undefined
        ? absolutePaths(cwd, op === 'read' ? [input['path']] : [])
        : patchedPaths(op, patch, cwd, workdir),
    patch,
    mcp: mcpOf(nativeName),
  });
}

/** The command line and its directory, which the local shell's tool has in an object of their own. */
function shellIn(input: JsonObject): {
  readonly command: Json | undefined;
  readonly workdir: Json | undefined;
} {
  const action = objectIn(input, 'action');
  return {
    command: input['command'] ?? input['cmd'] ?? action['command'],
    workdir: input['workdir'] ?? action['working_directory'],
  };
}

/** A patch may also come as a command line; then it is both, and rules on either must see it. */
const PATCH_COMMAND = /(?:^|[\s;&|(])apply_?patch\b[\s\S]*\*\*\* Begin Patch/;
const CHANGES_DIRECTORY = /(?:^|[\s;&|(])cd[ \t]+(?:'([^']*)'|"([^"]*)"|([^\s;&|'"]+))/g;

function patchIn(op: Operation, input: JsonObject): string | undefined {
  const given = shellIn(input).command ?? input['input'] ?? input['patch'];
  const text = Array.isArray(given) ? given.join('\n') : typeof given === 'string' ? given : '';
  return op === 'patch' || (op === 'shell' && PATCH_COMMAND.test(text)) ? text : undefined;
}

/** A command line may change the directory before it patches; the patch's paths are relative to that. */
function patchedPaths(op: Operation, patch: string, cwd: string, workdir: Json | undefined): string[] {
  const before = op === 'shell' ? patch.slice(0, patch.search(PATCH_COMMAND)) : '';
  const steps = [...before.matchAll(CHANGES_DIRECTORY)].map(
    ([, single, double, bare]) => single ?? double ?? bare,
  );
  const from = [workdir, ...steps].reduce<string>((dir, step) => absolutePaths(dir, [step])[0] ?? dir, cwd);
  return absolutePaths(from, patchPaths(patch));
}
