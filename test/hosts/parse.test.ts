import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { EventKind, EventOf, ToolCall } from '../../src/core/event';
import { HOST_NAMES, type HostName } from '../../src/core/host-name';
import type { Json, JsonObject } from '../../src/core/json';
import { host as codex } from '../../src/hosts/codex/index';
import { host as copilot, eventNameIn } from '../../src/hosts/copilot/index';
import { host as cursor } from '../../src/hosts/cursor/index';
import { host as gemini } from '../../src/hosts/gemini/index';
import type { Host } from '../../src/hosts/host';
import { host as opencode } from '../../src/hosts/opencode/index';
import { senderOf } from '../../src/hosts/protocol';
import { decisions } from './fixtures';

describe('the sender of a document', () => {
  const EVENTS = new URL('../fixtures/events/', import.meta.url);

  test.each([undefined, ...HOST_NAMES])(
    'a document of Claude Code is taken for one, although asked for %s',
    (asked) => {
      expect(senderOf({ hook_event_name: 'Stop', prompt_id: 'p1' }, asked)).toBe('claude-code');
    },
  );

  test('a document without a mark is of whoever was asked for, else of Claude Code', () => {
    expect(senderOf({}, undefined)).toBe('claude-code');
    for (const asked of HOST_NAMES) expect(senderOf({}, asked)).toBe(asked);
  });

  const MARKED: readonly (readonly [string, JsonObject, HostName])[] = [
    ['a version of Cursor', { cursor_version: '2', hook_event_name: 'stop' }, 'cursor'],
    ['a turn and a model', { turn_id: 't', model: 'm', hook_event_name: 'Stop' }, 'codex'],
    ['an event that only Gemini has', { hook_event_name: 'BeforeToolSelection' }, 'gemini'],
    [
      'a time and a transcript at a start',
      { hook_event_name: 'SessionStart', timestamp: 't', transcript_path: '/t' },
      'gemini',
    ],
    [
      'a time at a start without a transcript',
      { hook_event_name: 'SessionStart', timestamp: 't' },
      'copilot',
    ],
    ['a time at a tool of Claude Code', { hook_event_name: 'PreToolUse', timestamp: 't' }, 'copilot'],
    ['a time and no name', { sessionId: 's', timestamp: 1, toolName: 'bash' }, 'copilot'],
  ];

  test.each(MARKED)('%s shows the sender where the line is of Claude Code', (_, raw, sender) => {
    expect(senderOf(raw, undefined)).toBe(sender);
    expect(senderOf(raw, 'claude-code')).toBe(sender);
  });

  test('a time alone does not beat a line of another host', () => {
    expect(senderOf({ hook_event_name: 'NewEvent', timestamp: 't' }, 'gemini')).toBe('gemini');
  });

  const prefixes: Readonly<Record<string, HostName>> = { claude: 'claude-code' };

  test.each(readdirSync(EVENTS))('%s is known when it comes to the line of its host', (file) => {
    const raw: JsonObject = JSON.parse(readFileSync(new URL(file, EVENTS), 'utf8'));
    const prefix = file.split('-', 1)[0] ?? '';
    const host = prefixes[prefix] ?? (prefix as HostName);
    expect(senderOf(raw, host)).toBe(host);
  });
});

describe('tool calls', () => {
  type Calling = (tool: string, input: unknown) => ToolCall;

  function calling(host: Host, document: (tool: string, input: unknown) => object): Calling {
    return (tool, input) => {
      const raw = JSON.parse(JSON.stringify({ cwd: '/w', ...document(tool, input) })) as JsonObject;
      const { call } = host.parse(raw, 0) as EventOf<'tool.before'>;
      // Who is asked at all is told by the header: a name that is missing there makes a rule deaf.
      expect(host.readHeader(raw).toolNames).toStrictEqual(call.names);
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
      [
        'Gemini calls a server',
        inGemini('mcp_my_docs_find', {}),
        ['mcp__my_docs__find', 'mcp__my__docs_find'],
      ],
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
      expect(inOpenCode('apply_patch', {}).names).toStrictEqual([
        'apply_patch',
        'Edit',
        'Write',
        'MultiEdit',
      ]);
      expect(inCopilot('bash', {}).names).toStrictEqual(['bash', 'Bash']);
    });
  });

  describe('a command', () => {
    const rows: [string, ToolCall, string][] = [
      [
        'is what a shell is told to run',
        inCodex('Bash', { command: ['bash', '-lc', 'git push'] }),
        'git push',
      ],
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
      ['*** Begin Patch', ...names.map((name) => `*** ${name}`), '@@', '-a', '+b', '*** End Patch'].join(
        '\n',
      );
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
    expect(inCursor('StrReplace', { path: 'a', old_string: 'x', new_string: 'y' }).input).toMatchObject(
      usual,
    );
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
});

describe('who wrote a prompt', () => {
  type Forms = readonly [Host, (text: string) => JsonObject, JsonObject];

  const FORMS: readonly Forms[] = [
    [codex, (prompt) => ({ hook_event_name: 'UserPromptSubmit', prompt }), { hook_event_name: 'Stop' }],
    [gemini, (prompt) => ({ hook_event_name: 'BeforeAgent', prompt }), { hook_event_name: 'AfterAgent' }],
    [copilot, (prompt) => ({ hook_event_name: 'UserPromptSubmit', prompt }), { hook_event_name: 'Stop' }],
    [cursor, (prompt) => ({ hook_event_name: 'beforeSubmitPrompt', prompt }), { hook_event_name: 'stop' }],
    [opencode, (text) => ({ hook: 'chat.message', text }), { hook: 'session.idle' }],
  ];

  describe.each(FORMS)('$name', (host, prompt, stop) => {
    const origin = (text: string, more: JsonObject = {}): string =>
      (host.parse({ ...prompt(text), ...more }, 0) as EventOf<'prompt.submit'>).origin;

    test('what was typed is a person’s', () => {
      expect(origin('/review it')).toBe('human');
      expect(origin('<div> is wrong here')).toBe('human');
    });

    test.each([
      ['hold by requirements', decisions['hold by requirements']],
      ['hold by the loop alone', decisions['hold by the loop alone']],
    ])('a refused stop (%s) that comes back as a prompt is not', (_, decision) => {
      const { stdout } = host.render(
        host.parse(stop, 0),
        decision ?? { kind: 'nothing', toAgent: [], toPerson: [] },
      );
      const answer = JSON.parse(stdout) as Record<string, string>;
      const words = answer['reason'] ?? answer['followup_message'] ?? answer['prompt'] ?? '';
      const back = host.name === 'codex' ? `<hook_prompt hook_run_id="1">${words}</hook_prompt>` : words;
      expect(origin(back)).toBe('continuation');
      if (host.name !== 'codex') expect(origin(`Of another hook.\n${back}`)).toBe('continuation');
    });

    test('what the program says itself is a machine’s', () => {
      expect(origin('<system_notification>\nAgent 1 has ended.</system_notification>')).toBe('machine');
    });

    test('what a subagent is told is a machine’s, where the host tells of subagents', () => {
      const marks = { agent_id: 'a', rootSessionID: 'r' };
      const told = host.name === 'gemini' || host.name === 'cursor' ? 'human' : 'machine';
      expect(origin('/review it', marks)).toBe(told);
    });
  });
});

describe('documents of Codex', () => {
  function parsed<K extends EventKind>(kind: K, raw: JsonObject): EventOf<K> {
    const event = codex.parse({ cwd: '/w', session_id: 's', ...raw }, 0);
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
      const raw = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } };
      expect(codex.readHeader(raw).toolNames).toContain('Edit');
    });

    test('that types into a running command is a command', () => {
      expect(call('write_stdin', { session_id: 1, chars: 'git push\n' })).toMatchObject({
        op: 'shell',
        names: ['write_stdin', 'Bash'],
        command: 'git push\n',
      });
      const { command } = call('write_stdin', { session_id: 1, chars: '\u0003ls\rgit push\r' });
      expect(command).toBe('\nls\ngit push\n');
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
    expect(codex.parse({ hook_event_name: 'Brandnew' }, 0)).toMatchObject({
      kind: 'other',
      hostEvent: 'Brandnew',
    });
  });
});

describe('documents of Gemini CLI', () => {
  function parsed<K extends EventKind>(kind: K, raw: JsonObject): EventOf<K> {
    const event = gemini.parse({ cwd: '/w', session_id: 's', timestamp: 't1', ...raw }, 0);
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
      [
        'of a command that failed',
        'run_shell_command',
        { llmContent: 'Output: x\nExit Code: 3\n' },
        'failure',
      ],
      [
        'of a command that was killed',
        'run_shell_command',
        { llmContent: 'Output: x\nSignal: 9' },
        'failure',
      ],
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

    test('with the output without its label', () => {
      const tool_response = {
        llmContent: '<untrusted_context>\nOutput: ok  \ta\t0.1s\n</untrusted_context>',
      };
      const raw = { hook_event_name: 'AfterTool', tool_name: 'run_shell_command', tool_response };
      expect(parsed('tool.after', raw).response.text).toContain('\nok  \ta\t0.1s\n');
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
    expect(gemini.parse({ hook_event_name: 'Brandnew' }, 0)).toMatchObject({
      kind: 'other',
      hostEvent: 'Brandnew',
    });
  });
});

describe('documents of Copilot CLI', () => {
  describe('the name of an event in camel case', () => {
    test.each<[string, JsonObject, string]>([
      ['a call', { toolName: 'bash', toolArgs: {} }, 'preToolUse'],
      ['a call with a result', { toolName: 'bash', toolResult: {} }, 'postToolUse'],
      ['a call with an error', { toolName: 'bash', error: 'x' }, 'postToolUseFailure'],
      [
        'a call that says what it is',
        { toolName: 'bash', hookName: 'permissionRequest' },
        'permissionRequest',
      ],
      ['a prompt', { prompt: '' }, 'userPromptSubmitted'],
      ['an end of turn', { stopReason: 'end_turn' }, 'agentStop'],
      ['a subagent that begins', { agentName: 'a' }, 'subagentStart'],
      ['a subagent that ends', { agentName: 'a', stopReason: 'end_turn' }, 'subagentStop'],
      ['a beginning', { source: 'new' }, 'sessionStart'],
      ['an end', { reason: 'complete' }, 'sessionEnd'],
      ['an error', { error: { message: 'x' } }, 'errorOccurred'],
      ['a compaction', { trigger: 'auto' }, 'preCompact'],
      ['nothing', {}, ''],
      ['a name that is none', { hook_event_name: 1, prompt: 'x' }, ''],
    ])('is told by what is in it: %s', (_, raw, name) => {
      expect(eventNameIn(raw)).toBe(name);
    });
  });

  describe('what a tool came to', () => {
    const after = (toolName: string, resultType: string, textResultForLlm: string) =>
      copilot.parse({ toolName, toolArgs: {}, toolResult: { resultType, textResultForLlm } }, 0);

    test.each([
      [
        'a command whose last line says 0',
        'bash',
        'success',
        'ok\n<shellId: 0 completed with exit code 0>',
        'success',
      ],
      [
        'a command whose last line says 3',
        'bash',
        'success',
        '<shellId: 0 completed with exit code 3>',
        'failure',
      ],
      ['a command that ended by a signal', 'bash', 'success', '<exited with exit code -1>', 'failure'],
      [
        'a command that only prints such a line',
        'bash',
        'success',
        '<exited with exit code 0>\nmore',
        'unknown',
      ],
      ['a command that still runs', 'bash', 'success', 'started', 'unknown'],
      ['a command that was rejected', 'bash', 'rejected', '', 'failure'],
      ['another tool', 'create', 'success', 'Created', 'success'],
      ['another tool that failed', 'create', 'failure', '', 'failure'],
    ])('%s', (_, tool, type, text, outcome) => {
      expect(after(tool, type, text)).toMatchObject({ kind: 'tool.after', outcome });
    });
  });

  describe('a tool', () => {
    test.each<[string, Json, object]>([
      [
        'write_bash',
        { input: 'ls{enter}git push{enter}' },
        { op: 'shell', command: 'ls\ngit push\n', names: ['write_bash', 'Bash'] },
      ],
      ['apply_patch', { input: '*** Update File: a.ts\n' }, { op: 'patch', paths: ['/p/a.ts'] }],
      ['apply_patch', JSON.stringify('*** Update File: a.ts\n'), { op: 'patch', paths: ['/p/a.ts'] }],
      ['skill', { skill: 'review' }, { op: 'skill', skill: 'review' }],
      [
        'task',
        { agent_type: 'explore', prompt: 'x', mode: 'background' },
        { agentType: 'explore', background: true },
      ],
      ['mcp__gh__list', { path: 'a' }, { op: 'mcp', mcp: { server: 'gh', tool: 'list' }, paths: [] }],
      ['brandnew', { path: 'a' }, { op: 'other', names: ['brandnew'] }],
    ])('%s is known by what it does', (toolName, toolArgs, expected) => {
      expect(copilot.parse({ toolName, toolArgs, cwd: '/p' }, 0)).toMatchObject({ call: expected });
    });
  });
});
