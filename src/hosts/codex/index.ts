import type { Event, Operation, ToolCall, ToolOutcome } from '../../core/event';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  nameIn,
  objectIn,
  textIn,
  withoutUndefined,
} from '../../core/json';
import type { Answer, Decision } from '../../core/verdict';
import { ADVICE, type Capabilities, hostFrom, type Power } from '../host';
import {
  absolutePaths,
  COMMON_KINDS,
  claudeEnvelope,
  commandLine,
  type DeliverableParts,
  inputFrom,
  joinRemarks,
  jsonAnswer,
  mcpOf,
  namesFor,
  operationIn,
  patchPaths,
  specificOutput,
  type Tools,
  toolCallFrom,
  typedLines,
} from '../protocol';

const REFUSAL: readonly Power[] = ['deny', ...ADVICE];
const NOTE: readonly Power[] = ['advise-person'];

/**
 * Codex cannot ask a person for us: it drops an answer with `ask`, and the call runs. It changes an input only together
 * with an approval that would skip Codex's own question too, so we change none.
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

/** OpenAI's Codex CLI. It never ends a held turn by itself. */
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
    // Nothing guarantees that a held turn keeps its `turn_id`; `stop_hook_active` shows which stops belong together.
    promptId: kind === 'turn.stop' ? undefined : nameIn(raw, 'turn_id'),
    ...claudeEnvelope(raw),
  }),
  bodies: {
    'tool.after': (raw, call) => ({
      call: call(),
      outcome: outcomeOf(raw['tool_response']),
      response: withoutUndefined({ raw: raw['tool_response'] ?? null, text: textIn(raw, 'tool_response') }),
    }),
  },
  call: toolCallIn,
  render,
});

/**
 * Codex drops a whole answer, and the refusal in it, for one key too many. So a refusal is sent alone, with the advice
 * to the agent in its reason. A refusal with an empty reason is ignored.
 */
function render(
  event: Event,
  decision: Decision,
  { denial, advice, note, losses }: DeliverableParts,
): Answer {
  const isDenied = decision.kind === 'deny';
  const reason = isDenied ? (joinRemarks([decision.reason]) ?? 'Denied.') : undefined;
  const permission =
    isDenied && event.kind === 'permission.request' ? { behavior: 'deny', message: reason } : undefined;
  const members =
    denial === undefined
      ? { decision: permission, additionalContext: advice }
      : { permissionDecision: 'deny', permissionDecisionReason: denial };
  const held = event.kind === 'turn.stop' && decision.kind === 'hold' ? decision.reason : undefined;
  const refusal =
    held === undefined ? (event.kind === 'prompt.submit' ? reason : undefined) : held.trim() ? held : 'Held.';
  return jsonAnswer(
    {
      decision: refusal && 'block',
      reason: refusal,
      hookSpecificOutput: specificOutput(event, members),
      systemMessage: note,
    },
    losses,
  );
}

/** The event is sent after failures too, and a command's response is its output without an exit code. */
function outcomeOf(response: Json | undefined): ToolOutcome {
  const failed = isJsonObject(response) && (response['isError'] === true || response['success'] === false);
  return failed ? 'failure' : 'unknown';
}

const TOOLS: Tools = {
  // Text typed into a running command is a command too: if it were missing here, it would bypass every rule.
  shell: ['Bash', 'shell', 'local_shell', 'exec_command', 'write_stdin'],
  patch: ['apply_patch'],
  agent: ['spawn_agent'],
  read: ['view_image'],
  web: ['web_search'],
  task: ['update_plan', 'update_goal'],
};

/** All names that a rule may use for the document's tool. */
function toolNamesIn(raw: JsonObject): string[] {
  const name = textIn(raw, 'tool_name') ?? '';
  if (name === '') return [];
  const op = operationIn(TOOLS, name);
  const isBoth = op === 'shell' && patchIn(op, inputFrom(raw['tool_input'])) !== undefined;
  return [...namesFor(name, op), ...(isBoth ? namesFor('apply_patch', 'patch') : [])];
}

function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool_name') ?? '';
  const input = inputFrom(raw['tool_input']);
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
    command: command ?? typedLines(textIn(input, 'chars')),
    paths:
      patch === undefined
        ? absolutePaths(cwd, op === 'read' ? [input['path']] : [])
        : patchedPaths(op, patch, cwd, workdir),
    patch,
    mcp: mcpOf(nativeName),
  });
}

/** The command and its directory; the local shell tool nests them in `action`. */
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
