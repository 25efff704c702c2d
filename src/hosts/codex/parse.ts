import type { Event, EventHeader, Operation, ToolCall, ToolOutcome } from '../../core/event';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { nameIn, objectIn, present, textIn } from '../fields';
import { type BodyReaders, claudeEnvelope, claudeHeader, eventFrom, type Kinds } from '../parse-event';
import {
  absolutePaths,
  commandLine,
  mcpOf,
  namesFor,
  operationIn,
  patchPaths,
  type Tools,
  toolCallFrom,
} from '../tool-call';

const KINDS: Kinds = {
  PreToolUse: 'tool.before',
  PostToolUse: 'tool.after',
  PermissionRequest: 'permission.request',
  UserPromptSubmit: 'prompt.submit',
  Stop: 'turn.stop',
  Interrupt: 'turn.interrupt',
  SessionStart: 'session.start',
  SessionEnd: 'session.end',
  SubagentStart: 'subagent.start',
  SubagentStop: 'subagent.stop',
  PreCompact: 'compact.before',
  PostCompact: 'compact.after',
};

/** Reads what routing needs. */
export function readHeader(raw: JsonObject): EventHeader {
  return claudeHeader(raw, 'codex', KINDS, textIn(raw, 'hook_event_name') ?? '', toolNamesIn(raw));
}

/** Reads the whole document. */
export function parse(raw: JsonObject, at: number, header = readHeader(raw)): Event {
  return eventFrom(raw, at, header, { call: toolCallIn, envelope: envelopeIn, bodies: BODIES });
}

function envelopeIn(raw: JsonObject, { kind }: EventHeader): ReturnType<typeof claudeEnvelope> {
  // Nothing says that a refused stop goes on in the same turn; `stop_hook_active` tells what belongs together there.
  return { promptId: kind === 'turn.stop' ? undefined : nameIn(raw, 'turn_id'), ...claudeEnvelope(raw) };
}

const BODIES: BodyReaders = {
  'tool.after': ({ raw, call }) => ({
    call: call(),
    outcome: outcomeOf(raw['tool_response']),
    response: present({ raw: raw['tool_response'] ?? null, text: textIn(raw, 'tool_response') }),
  }),
};

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

function operationOf(name: string): Operation {
  return operationIn(TOOLS, name) ?? (mcpOf(name) ? 'mcp' : 'other');
}

/** Every name by which a rule may mention the document's tool. */
function toolNamesIn(raw: JsonObject): string[] {
  const name = textIn(raw, 'tool_name') ?? '';
  if (name === '') return [];
  const op = operationOf(name);
  const isBoth = op === 'shell' && patchIn(op, objectIn(raw, 'tool_input')) !== undefined;
  return [...namesFor(name, op), ...(isBoth ? namesFor('apply_patch', 'patch') : [])];
}

function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool_name') ?? '';
  const input = objectIn(raw, 'tool_input');
  const op = operationOf(nativeName);
  const patch = patchIn(op, input);
  const command = commandLine(input['command'] ?? input['cmd'], cwd, input['workdir']);
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
        : patchedPaths(op, patch, cwd, input['workdir']),
    patch,
    agentType: nameIn(input, 'agent_type'),
    prompt: textIn(input, 'message') ?? textIn(input, 'prompt'),
    mcp: mcpOf(nativeName),
  });
}

/** A patch may also come as a command line; then it is both, and rules on either must see it. */
const PATCH_COMMAND = /(?:^|[\s;&|(])apply_?patch\b[\s\S]*\*\*\* Begin Patch/;
const CHANGES_DIRECTORY = /(?:^|[\s;&|(])cd[ \t]+(?:'([^']*)'|"([^"]*)"|([^\s;&|'"]+))/g;

function patchIn(op: Operation, input: JsonObject): string | undefined {
  const given = input['command'] ?? input['cmd'] ?? input['input'];
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
