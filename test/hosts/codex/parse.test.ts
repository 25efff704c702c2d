import { describe, expect, test } from 'vitest';
import type { EventKind, EventOf } from '../../../src/core/event';
import type { Json, JsonObject } from '../../../src/core/json';
import { host } from '../../../src/hosts/codex/index';

function parsed<K extends EventKind>(kind: K, raw: JsonObject): EventOf<K> {
  const event = host.parse({ cwd: '/w', session_id: 's', ...raw }, 0);
  expect(event.kind).toBe(kind);
  return event as EventOf<K>;
}

const call = (tool_name: string, tool_input: Json) =>
  parsed('tool.before', { hook_event_name: 'PreToolUse', tool_name, tool_input }).call;

describe('a tool call', () => {
  test('that patches is known by the names of edits, with every path that it touches', () => {
    const patch =
      '*** Begin Patch\n*** Update File: a b.ts\n*** Move to: /x/c.ts\n@@\n+*** Add File: no.ts\n*** End Patch';
    expect(call('apply_patch', { command: patch })).toMatchObject({
      op: 'patch',
      names: ['apply_patch', 'Edit', 'Write', 'MultiEdit'],
      paths: ['/w/a b.ts', '/x/c.ts'],
    });
  });

  test('that patches by a command line is both', () => {
    const command = "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a.ts\n*** End Patch\nEOF\n";
    expect(call('Bash', { command })).toMatchObject({
      op: 'shell',
      command,
      names: ['Bash', 'apply_patch', 'Edit', 'Write', 'MultiEdit'],
      paths: ['/w/a.ts'],
    });
    const { glance } = host;
    const raw = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } };
    expect(glance(raw).toolNames).toContain('Edit');
  });

  test('that types into a running command is a command', () => {
    expect(call('write_stdin', { session_id: 1, chars: 'git push\n' })).toMatchObject({
      op: 'shell',
      names: ['write_stdin', 'Bash'],
      command: 'git push\n',
    });
  });

  test.each([
    [
      'spawn_agent',
      { agent_type: 'worker', message: 'Look.' },
      { op: 'agent', agentType: 'worker', prompt: 'Look.' },
    ],
    ['mcp__a__b', {}, { op: 'mcp', mcp: { server: 'a', tool: 'b' } }],
    ['update_goal', {}, { op: 'task' }],
    ['new_tool', 7, { op: 'other', input: {}, paths: [] }],
  ])('of %s is told by what it does', (name, input, expected) => {
    expect(call(name, input)).toMatchObject(expected);
  });
});

describe('how a call ended', () => {
  test.each<[string, Json, string]>([
    ['is not known of a command', 'hi\n', 'unknown'],
    ['is known of a tool that says so', { isError: true }, 'failure'],
    ['is not known of one that says nothing', {}, 'unknown'],
  ])('%s', (_, tool_response, outcome) => {
    const raw = { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_response };
    expect(parsed('tool.after', raw).outcome).toBe(outcome);
  });
});

test.each<[string, Json | undefined, string]>([
  ['what is typed is of a person', 'go', 'human'],
  ['a refused stop is none', '<hook_prompt hook_run_id="x">go</hook_prompt>', 'continuation'],
  ['nor is one in our own words', 'Stop hook feedback:\napprove', 'continuation'],
  ['and what is no text is of nobody', 7, 'unknown'],
])('%s', (_, prompt, origin) => {
  expect(parsed('prompt.submit', { hook_event_name: 'UserPromptSubmit', prompt }).origin).toBe(origin);
});

test('an event of a newer client is let be', () => {
  expect(host.parse({ hook_event_name: 'Brandnew' }, 0)).toMatchObject({
    kind: 'other',
    hostEvent: 'Brandnew',
  });
});
