import type { Event, EventHeader, ToolCall } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { nameIn, numberIn, objectIn, present, textIn } from '../fields';
import {
  type BodyReaders,
  eventFrom,
  type Kinds,
  kindIn,
  outcomeOfCode,
  promptFrom,
  stopFrom,
} from '../parse-event';
import {
  absolutePaths,
  commandLine,
  mcpNamesOf,
  namesFor,
  operationIn,
  patchPaths,
  type Tools,
  toolCallFrom,
} from '../tool-call';

/** The plugin's hooks and the events of the bus that it hands on. */
const KINDS: Kinds = {
  'session.created': 'session.start',
  'session.deleted': 'session.end',
  'chat.message': 'prompt.submit',
  'command.execute.before': 'prompt.expand',
  'tool.execute.before': 'tool.before',
  'tool.execute.after': 'tool.after',
  'session.idle': 'turn.stop',
  'experimental.session.compacting': 'compact.before',
};

/** Reads what routing needs. */
export function readHeader(raw: JsonObject): EventHeader {
  const hostEvent = textIn(raw, 'hook') ?? '';
  const tool = nameIn(raw, 'tool');
  return {
    host: 'opencode',
    kind: kindIn(KINDS, hostEvent),
    hostEvent,
    // A subagent works in a session of its own; the one that it was started from is the session here.
    sessionId: nameIn(raw, 'rootSessionID') ?? textIn(raw, 'sessionID') ?? '',
    cwd: textIn(raw, 'directory') ?? '',
    toolNames: tool === undefined ? [] : namesOf(tool),
  };
}

/** Reads the whole document. */
export function parse(raw: JsonObject, at: number, header = readHeader(raw)): Event {
  const isSubagent = nameIn(raw, 'rootSessionID') !== undefined;
  const subagent = present({ id: textIn(raw, 'sessionID') ?? '', type: nameIn(raw, 'agent') });
  const envelope = () => ({ agent: isSubagent ? subagent : undefined });
  return eventFrom(raw, at, header, { call: toolCallIn, envelope, bodies: BODIES });
}

const BODIES: BodyReaders = {
  // Nobody has typed what a subagent is told, what a command's file holds and what the program says itself.
  'prompt.submit': ({ raw }) =>
    promptFrom(textIn(raw, 'text'), 'rootSessionID' in raw || raw['byMachine'] === true),
  'prompt.expand': ({ raw }) => ({
    name: textIn(raw, 'command') ?? '',
    args: textIn(raw, 'arguments') ?? '',
    source: '',
  }),
  // It comes only for calls that did not throw.
  'tool.after': ({ raw, call }) => {
    const done = call();
    // A command that was ended for taking too long has no exit code.
    const code = numberIn(objectIn(raw, 'metadata'), 'exit');
    return {
      call: done,
      outcome: done.op === 'shell' ? outcomeOfCode(code) : 'success',
      response: present({ raw: raw['metadata'] ?? null, text: textIn(raw, 'output') }),
    };
  },
  'turn.stop': ({ raw }) => stopFrom(raw['continuing'] === true, textIn(raw, 'lastMessage')),
};

const TOOLS: Tools = {
  shell: ['bash'],
  write: ['write'],
  edit: ['edit', 'multiedit'],
  patch: ['apply_patch', 'patch'],
  read: ['read'],
  search: ['glob', 'grep', 'list'],
  web: ['webfetch', 'websearch'],
  agent: ['task'],
  skill: ['skill'],
  task: ['todowrite'],
  plan: ['plan_enter', 'plan_exit'],
};

/** A tool that is none of the program's own may be of an MCP server; its name does not tell. */
function namesOf(tool: string): string[] {
  const op = operationIn(TOOLS, tool);
  return [...namesFor(tool, op ?? 'other'), ...(op === undefined ? mcpNamesOf(tool, '_') : [])];
}

function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool') ?? '';
  const args = objectIn(raw, 'args');
  const op = operationIn(TOOLS, nativeName) ?? 'other';
  const patch = op === 'patch' ? (textIn(args, 'patchText') ?? '') : undefined;
  const paths = [args['filePath'], args['path'], ...patchPaths(patch ?? '')];
  return toolCallFrom({
    nativeName,
    names: namesOf(nativeName),
    op,
    input: args,
    callId: nameIn(raw, 'callID'),
    command: commandLine(args['command'], cwd, args['workdir']),
    paths: op === 'shell' || op === 'other' ? [] : absolutePaths(cwd, paths),
    patch,
    agentType: nameIn(args, 'subagent_type'),
    prompt: textIn(args, 'prompt'),
    skill: nameIn(args, 'name') ?? nameIn(args, 'skill'),
  });
}
