import type { Event, PromptOrigin } from '../../core/event';
import type { EventHeader } from '../../core/event-header';
import { isJsonObject, type JsonObject } from '../../core/json';
import { nameIn, objectsIn, textIn } from '../fields';
import { type BodyReaders, claudeEnvelope, eventFrom, type Kinds, kindIn } from '../parse-event';
import { namesOf, toolCallIn, toolResultIn } from './tool-call';

const KINDS: Kinds = {
  PreToolUse: 'tool.before',
  PostToolUse: 'tool.after',
  PostToolUseFailure: 'tool.after',
  PostToolBatch: 'tool.batch',
  UserPromptSubmit: 'prompt.submit',
  UserPromptExpansion: 'prompt.expand',
  PermissionRequest: 'permission.request',
  PermissionDenied: 'permission.denied',
  Stop: 'turn.stop',
  StopFailure: 'turn.error',
  SessionStart: 'session.start',
  SessionEnd: 'session.end',
  SubagentStart: 'subagent.start',
  SubagentStop: 'subagent.stop',
  PreCompact: 'compact.before',
  PostCompact: 'compact.after',
  PreModelSwitch: 'model.switch.before',
  PostModelSwitch: 'model.switch.after',
  TaskCreated: 'task.created',
  TaskCompleted: 'task.completed',
  TeammateIdle: 'teammate.idle',
  Notification: 'notification',
  Setup: 'setup',
  Elicitation: 'elicitation',
  ElicitationResult: 'elicitation.result',
  ConfigChange: 'config.change',
  InstructionsLoaded: 'instructions.loaded',
  CwdChanged: 'cwd.changed',
  FileChanged: 'file.changed',
  DirectoryAdded: 'directory.added',
  WorktreeCreate: 'worktree.create',
  WorktreeRemove: 'worktree.remove',
  MessageDisplay: 'message.display',
};

/** Reads what routing needs; the hook's first chunk contains this and not `parse`. */
export function readHeader(raw: JsonObject): EventHeader {
  const hostEvent = eventNameIn(raw);
  const tool = nameIn(raw, 'tool_name');
  return {
    host: 'claude-code',
    kind: kindIn(KINDS, hostEvent),
    hostEvent,
    sessionId: textIn(raw, 'session_id') ?? '',
    cwd: textIn(raw, 'cwd') ?? '',
    toolNames: tool === undefined ? [] : namesOf(tool),
  };
}

export function parse(raw: JsonObject, at: number, header = readHeader(raw)): Event {
  return eventFrom(raw, at, header, { call: toolCallIn, envelope: envelopeIn, bodies: BODIES });
}

function envelopeIn(raw: JsonObject): ReturnType<typeof claudeEnvelope> {
  return { promptId: nameIn(raw, 'prompt_id'), ...claudeEnvelope(raw) };
}

const BODIES: BodyReaders = {
  'prompt.submit': ({ raw }) => ({ text: textIn(raw, 'prompt') ?? '', origin: promptOrigin(raw) }),
  'prompt.expand': ({ raw }) => ({
    name: textIn(raw, 'command_name') ?? '',
    args: textIn(raw, 'command_args') ?? '',
    source: textIn(raw, 'command_source') ?? '',
  }),
  'tool.after': ({ raw, cwd, call }) => toolResultIn(raw, cwd, call()),
  'tool.batch': ({ raw, cwd }) => ({
    calls: objectsIn(raw, 'tool_calls').map((entry) => toolCallIn(entry, cwd)),
  }),
};

/**
 * The host's name for the event; empty where there is none. Scripts that were written for a hook of one event leave it
 * out; then the other members tell it, unless they could mean two things.
 */
export function eventNameIn(raw: JsonObject): string {
  const name = raw['hook_event_name'];
  if (name !== undefined) return typeof name === 'string' ? name : '';
  const mayStop = typeof raw['stop_hook_active'] === 'boolean';
  if (raw['tool_name'] === undefined) return mayStop ? 'Stop' : '';
  return mayStop ? '' : toolEventIn(raw);
}

function toolEventIn(raw: JsonObject): string {
  if (nameIn(raw, 'tool_name') === undefined || !isJsonObject(raw['tool_input'])) return '';
  if (raw['tool_response'] !== undefined || raw['tool_result'] !== undefined) return 'PostToolUse';
  // A call that failed has run, but not every document with an error is about a failed call.
  return raw['error'] === undefined ? 'PreToolUse' : '';
}

/** Tags that the client puts around what no person typed. Any other tag may be pasted markup. */
const MACHINE =
  /^\s*<(?:task-notification|teammate-message|agent-message|cross-session-message|channel|system-reminder|local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr)|user-prompt-submit-hook|hook_prompt)[\s>]/;

/** Who wrote a prompt. In doubt it is not a person: an approval may rest on the answer. */
function promptOrigin(raw: JsonObject): PromptOrigin {
  const source = nameIn(raw, 'source');
  if (source) return source === 'user' ? 'human' : 'machine';
  const text = textIn(raw, 'prompt');
  if (text === undefined) return 'unknown';
  if (MACHINE.test(text)) return 'machine';
  return /^\s*Stop hook feedback:/.test(text) ? 'continuation' : 'human';
}
