import type { ToolCall } from '../../core/event';
import { type JsonObject, nameIn, numberIn, objectIn, textIn, withoutUndefined } from '../../core/json';
import { ADVICE, type Capabilities, hostFrom } from '../host';
import {
  absolutePaths,
  asFeedback,
  commandLine,
  jsonAnswer,
  mcpNamesOf,
  namesFor,
  operationIn,
  outcomeOfCode,
  patchIn,
  patchPaths,
  promptFrom,
  stopFrom,
  type Tools,
  toolCallFrom,
} from '../protocol';

/**
 * What our plugin can do. Advice before a call is delivered with the call's result, advice at the start of a session
 * with its first prompt; the person sees a notice.
 */
const capabilities: Capabilities = {
  'tool.before': ['deny', ...ADVICE],
  'tool.after': ADVICE,
  'prompt.submit': ADVICE,
  'prompt.expand': ADVICE,
  'session.start': ADVICE,
  'turn.stop': ['hold', 'advise-person'],
};

/** OpenCode has no hook processes: a plugin in its own process writes the documents and reads the answers. */
export const host = hostFrom({
  name: 'opencode',
  capabilities,
  // The plugin's hooks, and the bus events that it passes on.
  kinds: {
    'session.created': 'session.start',
    'session.deleted': 'session.end',
    'chat.message': 'prompt.submit',
    'command.execute.before': 'prompt.expand',
    'tool.execute.before': 'tool.before',
    'tool.execute.after': 'tool.after',
    'session.idle': 'turn.stop',
    'experimental.session.compacting': 'compact.before',
  },
  header: (raw) => {
    const tool = nameIn(raw, 'tool');
    return {
      hostEvent: textIn(raw, 'hook') ?? '',
      // A subagent has a session of its own; for us, the session is the one that started it.
      sessionId: nameIn(raw, 'rootSessionID', 'sessionID') ?? '',
      cwd: textIn(raw, 'directory') ?? '',
      toolNames: tool === undefined ? [] : namesOf(tool),
    };
  },
  envelope: (raw) => {
    const subagent = withoutUndefined({ id: textIn(raw, 'sessionID') ?? '', type: nameIn(raw, 'agent') });
    return { agent: nameIn(raw, 'rootSessionID') === undefined ? undefined : subagent };
  },
  bodies: {
    // Nobody typed a subagent's prompt, the content of a command file, or the program's own messages.
    'prompt.submit': (raw) =>
      promptFrom(textIn(raw, 'text'), 'rootSessionID' in raw || raw['byMachine'] === true),
    'prompt.expand': (raw) => ({
      name: textIn(raw, 'command') ?? '',
      args: textIn(raw, 'arguments') ?? '',
      source: '',
    }),
    // Sent only for calls that did not throw.
    'tool.after': (raw, readCall) => {
      const call = readCall();
      // A command that was killed after a timeout has no exit code.
      const code = numberIn(objectIn(raw, 'metadata'), 'exit');
      return {
        call,
        outcome: call.op === 'shell' ? outcomeOfCode(code) : 'success',
        response: withoutUndefined({ raw: raw['metadata'] ?? null, text: textIn(raw, 'output') }),
      };
    },
    'turn.stop': (raw) => stopFrom(raw['continuing'] === true, textIn(raw, 'lastMessage')),
  },
  call: toolCallIn,
  // A `Reply` to the plugin.
  render: (_event, decision, { can, denial, advice, note, losses }) => {
    const prompt = decision.kind === 'hold' && can('hold') ? asFeedback(decision.reason) : undefined;
    return jsonAnswer({ deny: denial, prompt, context: advice, notice: note }, losses);
  },
});

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

/** A tool that is not OpenCode's own may belong to an MCP server; the name does not say. */
function namesOf(tool: string): string[] {
  const op = operationIn(TOOLS, tool, false);
  return [...namesFor(tool, op), ...(op === 'other' ? mcpNamesOf(tool, '_') : [])];
}

function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool') ?? '';
  const args = objectIn(raw, 'args');
  const op = operationIn(TOOLS, nativeName, false);
  const patch = op === 'patch' ? patchIn(args) : undefined;
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
  });
}
