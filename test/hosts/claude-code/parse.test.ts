import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/core/json';
import { parse } from '../../../src/hosts/claude-code/parse';
import { asked, parsed } from './parsed';

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
