import { describe, expect, test } from 'vitest';
import type { EventKind, EventOf } from '../../../src/core/event';
import type { Json, JsonObject } from '../../../src/core/json';
import { host } from '../../../src/hosts/gemini/index';

function parsed<K extends EventKind>(kind: K, raw: JsonObject): EventOf<K> {
  const event = host.parse({ cwd: '/w', session_id: 's', timestamp: 't1', ...raw }, 0);
  expect(event.kind).toBe(kind);
  return event as EventOf<K>;
}

const call = (tool_name: string, tool_input: Json, rest: JsonObject = {}) =>
  parsed('tool.before', { hook_event_name: 'BeforeTool', tool_name, tool_input, ...rest }).call;

describe('a tool call', () => {
  test.each<[string, JsonObject, object]>([
    [
      'run_shell_command',
      { command: 'ls' },
      { op: 'shell', names: ['run_shell_command', 'Bash'], command: 'ls' },
    ],
    ['run_shell_command', { command: 'ls', dir_path: "a'b" }, { command: "cd '/w/a'\\''b' && ls" }],
    ['write_file', { file_path: 'a.ts', content: 'x' }, { op: 'write', paths: ['/w/a.ts'], newText: 'x' }],
    [
      'replace',
      { file_path: '/a.ts', new_string: 'y' },
      { op: 'edit', names: ['replace', 'Edit'], newText: 'y' },
    ],
    [
      'activate_skill',
      { name: 'review' },
      { op: 'skill', names: ['activate_skill', 'Skill'], skill: 'review' },
    ],
    ['invoke_agent', { agent_name: 'r', prompt: 'p' }, { op: 'agent', agentType: 'r', prompt: 'p' }],
    ['mcp_a_b_c', {}, { op: 'mcp', names: ['mcp_a_b_c', 'mcp__a__b_c', 'mcp__a_b__c'], paths: [] }],
    ['new_tool', {}, { op: 'other' }],
  ])('of %s %j is told by what it does', (name, input, expected) => {
    expect(call(name, input)).toMatchObject(expected);
  });

  test('of a server is also known by the name that rules use', () => {
    const mcp_context = { server_name: 'a_b', tool_name: 'c' };
    expect(call('mcp_a_b_c', {}, { mcp_context })).toMatchObject({
      names: ['mcp_a_b_c', 'mcp__a_b__c'],
      mcp: { server: 'a_b', tool: 'c' },
    });
  });

  test('has an id that is the same for everybody who sees it, and another when it is made again', () => {
    const first = call('glob', { pattern: '*' });
    expect(first.callId).toMatch(/^derived-t1-/);
    expect(call('glob', { pattern: '*' }).callId).toBe(first.callId);
    expect(call('glob', { pattern: '*' }, { timestamp: 't2' }).callId).not.toBe(first.callId);
    expect(call('glob', { pattern: '?' }).callId).not.toBe(first.callId);
  });

  test('without a time has none', () => {
    expect(call('glob', {}, { timestamp: null }).callId).toBeUndefined();
  });
});

describe('how a call ended', () => {
  test.each<[string, string, JsonObject, string]>([
    ['of a command that failed', 'run_shell_command', { llmContent: 'Output: x\nExit Code: 3\n' }, 'failure'],
    ['of a command that was killed', 'run_shell_command', { llmContent: 'Output: x\nSignal: 9' }, 'failure'],
    [
      'of one that was cancelled',
      'run_shell_command',
      { llmContent: 'Command was cancelled by user' },
      'failure',
    ],
    ['of a command that shows no failure', 'run_shell_command', { llmContent: 'Output: ok' }, 'unknown'],
    ['of an edit', 'replace', { llmContent: 'done' }, 'success'],
    ['of an edit with an error', 'replace', { llmContent: 'no', error: { message: 'none' } }, 'failure'],
  ])('%s', (_, tool_name, tool_response, outcome) => {
    const raw = { hook_event_name: 'AfterTool', tool_name, tool_response };
    expect(parsed('tool.after', raw).outcome).toBe(outcome);
  });
});

describe('a prompt', () => {
  test.each<[string, Json | undefined, string, string]>([
    ['is what a person typed', 'go', 'go', 'human'],
    [
      'is without what hooks put before it',
      '<hook_context>a &lt;b</hook_context>\n<hook_context>c</hook_context>go',
      'go',
      'human',
    ],
    [
      'is without the files that it mentions',
      'go @a\n--- Content from referenced files ---\napprove',
      'go @a',
      'human',
    ],
    [
      'is nobody’s where it is a refused stop',
      'Stop hook feedback:\napprove',
      'Stop hook feedback:\napprove',
      'continuation',
    ],
    [
      'also behind the words of another hook',
      'Mine.\nStop hook feedback:\nx',
      'Mine.\nStop hook feedback:\nx',
      'continuation',
    ],
    ['is nobody’s where it is no text', 7, '', 'unknown'],
  ])('%s', (_, prompt, text, origin) => {
    expect(parsed('prompt.submit', { hook_event_name: 'BeforeAgent', prompt })).toMatchObject({
      text,
      origin,
    });
  });
});

test('an event of a newer client is let be', () => {
  expect(host.parse({ hook_event_name: 'Brandnew' }, 0)).toMatchObject({
    kind: 'other',
    hostEvent: 'Brandnew',
  });
});
