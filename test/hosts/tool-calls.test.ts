import { describe, expect, test } from 'vitest';
import type { EventOf } from '../../src/core/event';
import type { JsonObject } from '../../src/core/json';
import type { ToolCall } from '../../src/core/tool-call';
import { host as codex } from '../../src/hosts/codex/index';
import { host as copilot } from '../../src/hosts/copilot/index';
import { host as cursor } from '../../src/hosts/cursor/index';
import { host as gemini } from '../../src/hosts/gemini/index';
import type { OtherHost } from '../../src/hosts/host';
import { host as opencode } from '../../src/hosts/opencode/index';

type Calling = (tool: string, input: unknown) => ToolCall;

function calling(host: OtherHost, document: (tool: string, input: unknown) => object): Calling {
  return (tool, input) => {
    const raw = JSON.parse(JSON.stringify({ cwd: '/w', ...document(tool, input) })) as JsonObject;
    const { call } = host.parse(raw, 0) as EventOf<'tool.before'>;
    // Who is asked at all is told by the glance: a name that is missing there makes a rule deaf.
    expect(host.glance(raw).toolNames).toStrictEqual(call.names);
    return call;
  };
}

const named = (hook_event_name: string) => (tool_name: string, tool_input: unknown) => ({
  hook_event_name,
  tool_name,
  tool_input,
});
const inCodex = calling(codex, named('PreToolUse'));
const inGemini = calling(gemini, named('BeforeTool'));
const inCursor = calling(cursor, named('preToolUse'));
const inCopilot = calling(copilot, (toolName, toolArgs) => ({ toolName, toolArgs }));
const inVsCode = calling(copilot, (tool_name, tool_input) => ({
  hookEventName: 'PreToolUse',
  tool_name,
  tool_input,
}));
const inOpenCode = calling(opencode, (tool, args) => ({
  hook: 'tool.execute.before',
  directory: '/w',
  tool,
  args,
}));

describe('the names that rules have', () => {
  const rows: [string, ToolCall, string[]][] = [
    ['Codex patches', inCodex('apply_patch', {}), ['Edit', 'Write']],
    ['Codex runs a list of words', inCodex('shell', { command: ['ls'] }), ['Bash']],
    ['Codex delegates', inCodex('spawn_agent', {}), ['Task', 'Agent']],
    ['Codex plans', inCodex('update_plan', {}), ['TodoWrite']],
    ['Gemini leaves plan mode', inGemini('exit_plan_mode', {}), ['ExitPlanMode']],
    ['Gemini enters plan mode', inGemini('enter_plan_mode', {}), ['EnterPlanMode']],
    ['Gemini asks', inGemini('ask_user', {}), ['AskUserQuestion']],
    ['Gemini searches', inGemini('google_web_search', {}), ['WebSearch']],
    ['Gemini calls a server', inGemini('mcp_my_docs_find', {}), ['mcp__my_docs__find', 'mcp__my__docs_find']],
    ['Copilot calls a server', inCopilot('my-docs-find', {}), ['mcp__my-docs__find', 'mcp__my__docs-find']],
    ['Copilot types into a shell', inCopilot('write_bash', {}), ['Bash']],
    ['Copilot patches', inCopilot('apply_patch', {}), ['Edit', 'Write']],
    ['VS Code runs a command', inVsCode('run_in_terminal', {}), ['Bash']],
    ['VS Code edits', inVsCode('replace_string_in_file', {}), ['Edit']],
    ['VS Code calls a server', inVsCode('mcp_docs_find', {}), ['mcp__docs__find']],
    ['Cursor writes, which is how it edits', inCursor('Write', {}), ['Write', 'Edit', 'MultiEdit']],
    ['Cursor deletes', inCursor('Delete', {}), ['Edit', 'Write']],
    ['OpenCode calls a server', inOpenCode('docs_find', {}), ['mcp__docs__find']],
    ['OpenCode leaves plan mode', inOpenCode('plan_exit', {}), ['ExitPlanMode']],
  ];
  test.each(rows)('are those of the tool when %s', (_, { names }, wanted) => {
    expect(names).toEqual(expect.arrayContaining(wanted));
  });

  test('are not those of a server for the host’s own tools', () => {
    expect(inOpenCode('apply_patch', {}).names).toStrictEqual(['apply_patch', 'Edit', 'Write', 'MultiEdit']);
    expect(inCopilot('bash', {}).names).toStrictEqual(['bash', 'Bash']);
  });
});

describe('a command', () => {
  const rows: [string, ToolCall, string][] = [
    ['is what a shell is told to run', inCodex('Bash', { command: ['bash', '-lc', 'git push'] }), 'git push'],
    [
      'may be a list of words',
      inCodex('shell', { command: ['git', 'commit', '-m', 'a b'] }),
      "git commit -m 'a b'",
    ],
    [
      'runs where it is told to',
      inCodex('Bash', { command: 'git push', workdir: '/x' }),
      'cd /x && git push',
    ],
    [
      'may be told to run here',
      inGemini('run_shell_command', { command: 'req list', dir_path: '.' }),
      'req list',
    ],
    [
      'may run below',
      inGemini('run_shell_command', { command: 'x', dir_path: "it's" }),
      "cd '/w/it'\\''s' && x",
    ],
    ['may run below in OpenCode', inOpenCode('bash', { command: 'x', workdir: 'a' }), 'cd /w/a && x'],
    ['may run here in OpenCode', inOpenCode('bash', { command: 'x', workdir: '/w/' }), 'x'],
    [
      'may run below in Cursor',
      inCursor('Shell', { command: 'x', working_directory: '/w/a' }),
      'cd /w/a && x',
    ],
  ];
  test.each(rows)('%s', (_, { command, op }, wanted) => {
    expect([op, command]).toStrictEqual(['shell', wanted]);
  });
});

describe('a patch', () => {
  const patch = (...names: string[]): string =>
    ['*** Begin Patch', ...names.map((name) => `*** ${name}`), '@@', '-a', '+b', '*** End Patch'].join('\n');
  const rows: [string, ToolCall, string[]][] = [
    [
      'names every file, where it comes from and where it goes',
      inCodex('apply_patch', { command: patch('Update File: a', 'Move to: b/c', 'Delete File: /d') }),
      ['/w/a', '/w/b/c', '/d'],
    ],
    [
      'may have the line ends of Windows',
      inCodex('apply_patch', { command: patch('Add File: a').replaceAll('\n', '\r\n') }),
      ['/w/a'],
    ],
    [
      'may be padded',
      inCodex('apply_patch', { command: patch('Add File: a').replace('*** Add', '  *** Add') }),
      ['/w/a'],
    ],
    ['may be an argument', inCodex('Bash', { command: `apply_patch "${patch('Add File: a')}"` }), ['/w/a']],
    [
      'may be a word of a list',
      inCodex('shell', { command: ['apply_patch', patch('Add File: a')] }),
      ['/w/a'],
    ],
    [
      'may be known by another name',
      inCodex('Bash', { command: `applypatch <<'E'\n${patch('Add File: a')}\nE` }),
      ['/w/a'],
    ],
    [
      'may be made elsewhere',
      inCodex('Bash', { command: `cd 's t' && apply_patch <<'E'\n${patch('Add File: a')}\nE` }),
      ['/w/s t/a'],
    ],
    [
      'may be run elsewhere',
      inCodex('Bash', { command: `apply_patch <<'E'\n${patch('Add File: a')}\nE`, workdir: 's' }),
      ['/w/s/a'],
    ],
    ['is told of in OpenCode', inOpenCode('apply_patch', { patchText: patch('Add File: a') }), ['/w/a']],
    ['is told of in VS Code', inVsCode('apply_patch', { input: patch('Add File: a') }), ['/w/a']],
  ];
  test.each(rows)('%s', (_, { paths, newText, names }, wanted) => {
    expect(paths).toStrictEqual(wanted);
    expect(newText).toContain('b');
    expect(names).toContain('Edit');
  });
});

test('an edit has the names by which its result is judged, one by one and in a list', () => {
  const usual = { file_path: 'a', old_string: 'x', new_string: 'y' };
  expect(inCopilot('edit', { path: 'a', old_str: 'x', new_str: 'y' }).input).toMatchObject(usual);
  expect(inOpenCode('edit', { filePath: 'a', oldString: 'x', newString: 'y' }).input).toMatchObject(usual);
  expect(inCursor('StrReplace', { path: 'a', old_string: 'x', new_string: 'y' }).input).toMatchObject(usual);
  expect(inCursor('Write', { file_path: 'a', old_string: 'x', new_string: 'y' })).toMatchObject({
    op: 'edit',
  });
  const many = inOpenCode('multiedit', { filePath: 'a', edits: [{ oldString: 'x', newString: 'y' }] });
  expect(many).toMatchObject({ newText: 'y', input: { edits: [{ old_string: 'x', new_string: 'y' }] } });
  const replaced = [{ filePath: 'a', oldString: 'x', newString: 'y' }, { filePath: '/b' }];
  expect(inVsCode('multi_replace_string_in_file', { replacements: replaced }).paths).toStrictEqual([
    '/w/a',
    '/b',
  ]);
});

test('what a server calls a path is its own affair', () => {
  expect(inCodex('mcp__a__b', { path: 'x' }).paths).toStrictEqual([]);
  expect(inOpenCode('docs_find', { path: 'x' }).paths).toStrictEqual([]);
});
