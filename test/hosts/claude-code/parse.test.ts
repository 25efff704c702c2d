import { describe, expect, test } from 'vitest';
import type { EventKind, EventOf, ToolCall } from '../../../src/core/event';
import type { Json, JsonObject } from '../../../src/core/json';
import { claudeCode, eventNameIn } from '../../../src/hosts/claude-code/index';

const { parse } = claudeCode;

/** The event in a document, which must be of that kind. */
function parsed<K extends EventKind>(kind: K, raw: JsonObject): EventOf<K> {
  const event = parse({ cwd: '/w', ...raw }, 0);
  expect(event.kind).toBe(kind);
  return event as EventOf<K>;
}

/** The call that the agent asks for. */
function asked(tool_name: Json, tool_input: Json = {}, rest: JsonObject = {}): ToolCall {
  return parsed('tool.before', { hook_event_name: 'PreToolUse', tool_name, tool_input, ...rest }).call;
}

/** A call that ran, with its response. */
function ran(tool_response: Json | undefined, rest: JsonObject = {}): EventOf<'tool.after'> {
  return parsed('tool.after', { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_response, ...rest });
}

const bash = { tool_name: 'Bash', tool_input: { command: 'ls' } };

test.each([
  ['its name', { hook_event_name: 'Stop', ...bash }, 'Stop'],
  ['a name that nobody knows', { hook_event_name: 'Later', ...bash }, 'Later'],
  ['a tool and its input: it has not run', bash, 'PreToolUse'],
  ['a response: it has', { ...bash, tool_response: '' }, 'PostToolUse'],
  ['an empty response: it has', { ...bash, tool_response: null }, 'PostToolUse'],
  ['a result, as older scripts call it', { ...bash, tool_result: 'x' }, 'PostToolUse'],
  ['the flag of a stop', { stop_hook_active: false }, 'Stop'],
])('an event is told by %s', (_, raw, name) => expect(eventNameIn(raw)).toBe(name));

test.each([
  ['nothing known', { hello: 1 }],
  ['no input', { tool_name: 'Bash' }],
  ['an input that is null', { tool_name: 'Bash', tool_input: null }],
  ['an input that is a text', { tool_name: 'Bash', tool_input: 'ls' }],
  ['an input that is a list', { tool_name: 'Bash', tool_input: [] }],
  ['a tool without a name', { tool_name: '', tool_input: {} }],
  ['a tool whose name is no text', { tool_name: 3, tool_input: {} }],
  ['an error, which says nothing of when', { ...bash, error: 'x' }],
  ['a tool and a stop at once', { ...bash, stop_hook_active: true }],
  ['a flag that is none', { stop_hook_active: 'no' }],
  ['a name that is no text', { ...bash, hook_event_name: 3 }],
  ['an empty name', { ...bash, hook_event_name: '' }],
])('a document with %s is no event', (_, raw) => expect(eventNameIn(raw)).toBe(''));

describe('who wrote a prompt', () => {
  test.each<[string, JsonObject, string]>([
    ['a plain text', { prompt: 'fix it' }, 'human'],
    ['a command', { prompt: '/demo x' }, 'human'],
    ['pasted markup', { prompt: '<div>why is this blue?</div>' }, 'human'],
    ['a longer tag that begins alike', { prompt: '<channels> is my element' }, 'human'],
    ['a question about notifications', { prompt: 'what is <task-notification>?' }, 'human'],
    ['a task notification', { prompt: '<task-notification>\n<task-id>1' }, 'machine'],
    ['a notification after blank lines', { prompt: '\n  <task-notification>' }, 'machine'],
    ['a teammate', { prompt: '<teammate-message teammate_id="lead">approve' }, 'machine'],
    ['a reminder', { prompt: '<system-reminder>x' }, 'machine'],
    ['the output of a local command', { prompt: '<local-command-stdout>ok' }, 'machine'],
    ['the feedback of a refused stop', { prompt: 'Stop hook feedback:\nx' }, 'continuation'],
    ['source user', { prompt: '<task-notification>', source: 'user' }, 'human'],
    ['source sdk', { prompt: 'fix it', source: 'sdk' }, 'machine'],
    ['source loop_wakeup', { prompt: 'fix it', source: 'loop_wakeup' }, 'machine'],
    ['an unreadable source', { prompt: 'fix it', source: 3 }, 'human'],
    ['no prompt', {}, 'unknown'],
  ])('%s', (_, raw, origin) => {
    expect(parsed('prompt.submit', { hook_event_name: 'UserPromptSubmit', ...raw }).origin).toBe(origin);
  });
});

function nested(depth: number): Json {
  let value: Json = 'x';
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

describe('rubbish is absent or empty, never an exception', () => {
  const rubbish: readonly [string, Json][] = [
    ['null', null],
    ['a number', 7],
    ['a flag', true],
    ['a text', 'text'],
    ['a list', [1, 'a', null, {}]],
    ['an object', { length: 3 }],
    ['ten thousand levels', nested(10_000)],
  ];
  const fields = `session_id transcript_path cwd prompt_id permission_mode agent_id agent_type model tool_name
    tool_input tool_response tool_use_id tool_calls permission_suggestions background_tasks session_crons prompt
    source error duration_ms is_interrupt stop_hook_active last_assistant_message trigger`.split(/\s+/);
  const events = `PreToolUse PostToolUse PostToolUseFailure PostToolBatch PermissionRequest PermissionDenied
    UserPromptSubmit UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop
    PreCompact PostCompact Setup`.split(/\s+/);

  test.each(rubbish)('every field is %s', (_, value) => {
    for (const hook_event_name of events) {
      const raw = { ...Object.fromEntries(fields.map((field) => [field, value])), hook_event_name };
      const event = parse(raw, 5);
      expect(event.hostEvent).toBe(hook_event_name);
      expect(event.raw).toBe(raw);
      expect(typeof event.sessionId).toBe('string');
      expect(typeof event.cwd).toBe('string');
    }
  });

  test('an empty document is an event without a name', () => {
    expect(parse({}, 5)).toStrictEqual({
      v: 1,
      host: 'claude-code',
      hostEvent: '',
      raw: {},
      sessionId: '',
      cwd: '',
      roots: [],
      at: 5,
      kind: 'other',
    });
  });

  test('fields of the wrong type leave no trace in a tool call', () => {
    expect(asked(['Bash'], 'rm -rf /', { tool_use_id: 4, session_id: 9, agent_id: {} })).toStrictEqual({
      nativeName: '',
      names: [''],
      op: 'other',
      input: {},
      paths: [],
    });
    expect(asked('Bash', { command: ['ls'], run_in_background: 'yes' })).toStrictEqual({
      nativeName: 'Bash',
      names: ['Bash'],
      op: 'shell',
      input: { command: ['ls'], run_in_background: 'yes' },
      paths: [],
    });
  });

  test('entries of a batch that are not objects are no calls', () => {
    const raw = { hook_event_name: 'PostToolBatch', tool_calls: [null, 'x', { tool_name: 'Read' }, []] };
    expect(parsed('tool.batch', raw).calls.map((call) => call.nativeName)).toStrictEqual(['Read']);
  });
});

describe('the kind', () => {
  test.each(['NewEvent', 'constructor', '__proto__', 'toString', 'pretooluse', 'PreToolUse ', 'Other', ''])(
    'of the unknown event %j is other',
    (hook_event_name) => {
      const event = parse({ hook_event_name, extra: [1] }, 0);
      expect(event).toMatchObject({ kind: 'other', hostEvent: hook_event_name, raw: { extra: [1] } });
    },
  );
});

describe('the permission mode', () => {
  test.each([
    ['default', 'ask'],
    ['acceptEdits', 'edits'],
    ['auto', 'auto'],
    ['bypassPermissions', 'bypass'],
    ['plan', 'plan'],
    ['dontAsk', 'deny'],
    ['constructor', 'unknown'],
  ])('%s means %s', (native, canonical) => {
    expect(parse({ permission_mode: native }, 0).permissionMode).toStrictEqual({ native, canonical });
  });
});

describe('the subagent', () => {
  test('is told by its id', () => {
    expect(parse({ agent_id: 'a1', agent_type: 'checker' }, 0).agent).toStrictEqual({
      id: 'a1',
      type: 'checker',
    });
    expect(parse({ agent_id: 'a1' }, 0).agent).toStrictEqual({ id: 'a1' });
  });

  test('is not told by a type alone, which the main thread may have too', () => {
    expect(parse({ agent_type: 'checker' }, 0)).not.toHaveProperty('agent');
  });
});

test('twenty megabytes are read like any other document', () => {
  const content = 'ü"\n'.repeat(5_000_000);
  const json = JSON.stringify({
    hook_event_name: 'PreToolUse',
    cwd: '/w',
    tool_name: 'Write',
    tool_input: { file_path: 'big', content },
  });
  expect(Buffer.byteLength(json)).toBeGreaterThan(20_000_000);
  const event = parsed('tool.before', JSON.parse(json));
  expect(event.call.paths).toStrictEqual(['/w/big']);
  expect(event.call.newText === content).toBe(true);
});

describe('tool names', () => {
  test.each([
    ['Bash', 'shell', []],
    ['PowerShell', 'shell', []],
    ['Monitor', 'shell', []],
    ['Write', 'write', []],
    ['Edit', 'edit', []],
    ['MultiEdit', 'edit', []],
    ['NotebookEdit', 'edit', []],
    ['Read', 'read', []],
    ['Glob', 'search', []],
    ['Grep', 'search', []],
    ['LSP', 'search', []],
    ['WebFetch', 'web', []],
    ['WebSearch', 'web', []],
    ['Task', 'agent', ['Agent']],
    ['Agent', 'agent', ['Task']],
    ['Skill', 'skill', []],
    ['EnterPlanMode', 'plan', []],
    ['ExitPlanMode', 'plan', []],
    ['TodoWrite', 'task', []],
    ['TaskCreate', 'task', []],
    ['TaskUpdate', 'task', []],
    ['TaskStop', 'task', ['KillShell', 'KillBash']],
    ['KillShell', 'task', ['TaskStop', 'KillBash']],
    ['KillBash', 'task', ['TaskStop', 'KillShell']],
    ['bash', 'other', []],
    ['toString', 'other', []],
    ['mcp__server', 'other', []],
    ['mcp__server__', 'other', []],
    ['mcp____tool', 'other', []],
  ])('%s does %s and is also called %j', (name, op, aliases) => {
    const call = asked(name);
    expect(call.op).toBe(op);
    expect(call.names).toStrictEqual([name, ...aliases]);
    expect(call).not.toHaveProperty('mcp');
  });

  test.each([
    ['mcp__github__create_issue', 'github', 'create_issue'],
    ['mcp__plugin_a_b__x__y', 'plugin_a_b', 'x__y'],
  ])('%s is a tool of a server', (name, server, tool) => {
    expect(asked(name, { file_path: 'a' })).toMatchObject({ op: 'mcp', mcp: { server, tool }, paths: [] });
  });
});

describe('what a call names', () => {
  test.each<[string, string, JsonObject, JsonObject]>([
    ['an absolute path', 'Write', { file_path: '/a/../b', content: '' }, { paths: ['/b'], newText: '' }],
    ['a relative path', 'Edit', { file_path: 'a/b', new_string: 'n' }, { paths: ['/w/a/b'], newText: 'n' }],
    ['a notebook', 'NotebookEdit', { notebook_path: 'n.ipynb' }, { paths: ['/w/n.ipynb'] }],
    ['a place to search', 'Grep', { path: 'src', pattern: 'x' }, { paths: ['/w/src'] }],
    ['a skill', 'Skill', { skill: 'review' }, { skill: 'review' }],
    ['an agent', 'Task', { subagent_type: 't', prompt: 'p' }, { agentType: 't', prompt: 'p' }],
    ['the background', 'Bash', { command: 'x', run_in_background: true }, { command: 'x', background: true }],
  ])('%s', (_, tool, input, expected) => {
    expect(asked(tool, input)).toMatchObject(expected);
  });

  test.each([
    ['', []],
    ['relative', []],
  ])('a relative path below the directory %j stays unknown', (cwd, paths) => {
    expect(asked('Read', { file_path: 'a' }, { cwd }).paths).toStrictEqual(paths);
  });
});

describe('the outcome of a tool', () => {
  test.each<[string, Json | undefined, string]>([
    ['no response', undefined, 'success'],
    ['a text', 'done', 'success'],
    ['output', { stdout: 'x', interrupted: false }, 'success'],
    ['success', { success: true }, 'success'],
    ['an interruption', { interrupted: true }, 'failure'],
    ['an error', { is_error: true }, 'failure'],
    ['an error of an MCP server', { isError: true }, 'failure'],
    ['no success', { success: false }, 'failure'],
    ['a start in the background', { stdout: '', backgroundTaskId: 'b1' }, 'unknown'],
  ])('%s', (_, response, outcome) => {
    expect(ran(response).outcome).toBe(outcome);
  });

  test('a failure event is one, whatever else it says', () => {
    const raw = { hook_event_name: 'PostToolUseFailure', error: 'Exit code 1', is_interrupt: true };
    expect(parsed('tool.after', { ...raw, tool_response: { success: true } })).toMatchObject({
      outcome: 'failure',
      error: 'Exit code 1',
      interrupted: true,
    });
  });
});

describe('the response of a tool', () => {
  test.each<[string, JsonObject, Json]>([
    ['tool_response', { tool_response: 'a', tool_result: 'b', tool_output: 'c' }, 'a'],
    ['else tool_result', { tool_result: 'b', tool_output: 'c' }, 'b'],
    ['else tool_output', { tool_output: 'c' }, 'c'],
    ['else nothing', {}, null],
  ])('is %s', (_, raw, expected) => {
    expect(ran(undefined, raw).response.raw).toStrictEqual(expected);
  });

  test.each<[string, Json, string | undefined]>([
    ['a text', 'x', 'x'],
    ['the output of a command', { stdout: 'out', stderr: '' }, 'out'],
    ['both outputs of a command', { stdout: 'out', stderr: 'err' }, 'out\nerr'],
    ['blocks', [{ type: 'text', text: 'a' }, 4, { type: 'image' }, { text: 'b' }], 'a\nb'],
    ['blocks of an agent', { content: [{ type: 'text', text: 'a' }] }, 'a'],
    ['the content of a file, which is no text of the tool', { content: 'file' }, undefined],
    ['a number', 4, undefined],
  ])('has the text of %s', (_, response, text) => {
    expect(ran(response).response.text).toBe(text);
  });

  test('names changed files once, absolute', () => {
    const bashEditDiff = {
      changedFiles: ['a', 3, '/x/b'],
      files: [{ filePath: '/w/a' }, { filePath: 'c' }, 1],
    };
    expect(ran({ bashEditDiff, filePath: 'd' }).changedPaths).toStrictEqual(['/w/a', '/x/b', '/w/c', '/w/d']);
    expect(ran({ bashEditDiff: [] })).not.toHaveProperty('changedPaths');
  });
});
