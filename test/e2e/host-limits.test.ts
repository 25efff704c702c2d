import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { HOST_NAMES, type HostName } from '../../src/core/host-name';
import { SESSION } from './events';
import { codex, gemini, type HostForms } from './host-documents';
import { at, CONFIG_FILE, type Ended, type HostDocument, makeRig, type Rig } from './rig';
import { inPhase, STATE_FILE, workflowProject } from './workflow-project';

let rig: Rig;
afterEach(() => rig.remove());

const SILENT = { stdout: '', stderr: '', exitCode: 0 };
const OTHERS: readonly HostName[] = HOST_NAMES.filter((name) => name !== 'claude-code');

let ticks = 0;
const time = (): string => new Date(1_700_000_000_000 + ticks++).toISOString();

/** A tool call as each host tells of it. */
const CALL: Readonly<Record<string, (tool_name: string, tool_input: object) => HostDocument>> = {
  codex: (tool_name, tool_input) => ({
    hook_event_name: 'PreToolUse',
    session_id: SESSION,
    turn_id: 't',
    model: 'm',
    cwd: rig.repo,
    tool_name,
    tool_input,
  }),
  gemini: (tool_name, tool_input) => ({
    hook_event_name: 'BeforeTool',
    session_id: SESSION,
    timestamp: time(),
    cwd: rig.repo,
    tool_name,
    tool_input,
  }),
  copilot: (toolName, toolArgs) => ({
    sessionId: SESSION,
    timestamp: ticks++,
    cwd: rig.repo,
    toolName,
    toolArgs,
  }),
  cursor: (tool_name, tool_input) => ({
    hook_event_name: 'preToolUse',
    conversation_id: SESSION,
    cursor_version: '2',
    workspace_roots: [rig.repo],
    tool_use_id: `t${ticks++}`,
    tool_name,
    tool_input,
  }),
  opencode: (tool, args) => ({
    opencode: 1,
    hook: 'tool.execute.before',
    sessionID: SESSION,
    directory: rig.repo,
    callID: `c${ticks++}`,
    tool,
    args,
  }),
};

/** How each host edits a file. */
const EDITS: Readonly<Record<string, [string, object]>> = {
  codex: ['apply_patch', { command: '*** Begin Patch\n*** Add File: a.ts\n+x\n*** End Patch' }],
  gemini: ['write_file', { file_path: 'a.ts', content: 'x' }],
  copilot: ['create', { path: 'a.ts', file_text: 'x' }],
  cursor: ['Write', { file_path: 'a.ts', content: 'x' }],
  opencode: ['write', { filePath: 'a.ts', content: 'x' }],
};

const called = (host: HostName, tool: string, input: object): string =>
  rig.hook(CALL[host]?.(tool, input) ?? {}, { args: ['--host', host] }).stdout;

const editsOfState: [HostName, string, object][] = [
  [
    'codex',
    'apply_patch',
    { command: `*** Begin Patch\n*** Update File: ${STATE_FILE}\n@@\n-a\n+b\n*** End Patch` },
  ],
  [
    'codex',
    'Bash',
    {
      command: `cd .isdlc && apply_patch <<'E'\n*** Begin Patch\n*** Update File: state.json\n@@\n-a\n+b\n*** End Patch\nE`,
    },
  ],
  ['gemini', 'replace', { file_path: STATE_FILE, old_string: 'no such text', new_string: 'x' }],
  ['copilot', 'edit', { path: STATE_FILE, old_str: 'no such text', new_str: 'x' }],
  ['cursor', 'StrReplace', { path: STATE_FILE, old_string: 'no such text', new_string: 'x' }],
  ['opencode', 'edit', { filePath: STATE_FILE, oldString: 'no such text', newString: 'x' }],
  ['opencode', 'multiedit', { filePath: STATE_FILE, edits: [{ oldString: '{', newString: 'broken' }] }],
];

it.each(editsOfState)('in %s the state of a workflow is not written by %s %j', (host, tool, input) => {
  const project = workflowProject();
  ({ rig } = project);
  project.state(inPhase('06-implementation'));
  expect(called(host, tool, input)).toMatch(/"deny"/);
});

it('in codex a patch in a command line neither edits ahead of a rule nor changes the config', () => {
  rig = makeRig(
    'version: 1\nrequirements: {p: {enabled: true, on: edit, paths: ["src/**"]}}\n',
    '.holdpoint/config.yaml',
  );
  const patch = (dir: string, file: string) =>
    called('codex', 'Bash', {
      command: `cd ${dir} && apply_patch <<'E'\n*** Begin Patch\n*** Update File: ${file}\n@@\n-a\n+b\n*** End Patch\nE`,
    });
  rig.write('src/a.ts', 'a\n');
  expect(patch('src', 'a.ts')).toContain('it changes src/a.ts');
  expect(patch('.holdpoint', 'config.yaml')).toContain('decides what Holdpoint holds');
  expect(patch('.', 'notes.txt')).toBe('');
});

const delegations: [HostName, string, object][] = [
  ['codex', 'spawn_agent', { agent_type: 'software-developer', message: 'Build it.' }],
  ['gemini', 'invoke_agent', { agent_name: 'software-developer', prompt: 'Build it.' }],
  ['copilot', 'task', { agent_type: 'software-developer', prompt: 'Build it.' }],
  ['cursor', 'Task', { subagent_type: 'software-developer', prompt: 'Build it.' }],
  ['opencode', 'task', { subagent_type: 'software-developer', prompt: 'Build it.' }],
];

it.each(delegations)('in %s a delegation by %s is held to the order of phases', (host, tool, input) => {
  const project = workflowProject();
  ({ rig } = project);
  project.state(inPhase('03-architecture'));
  expect(called(host, tool, input)).toContain('OUT-OF-ORDER');
});

const commands: [HostName, string, object][] = [
  ['codex', 'Bash', { command: ['bash', '-lc', 'git push'] }],
  ['codex', 'write_stdin', { session_id: 1, chars: 'git push\n' }],
  ['gemini', 'run_shell_command', { command: 'git push', dir_path: 'src' }],
  ['copilot', 'bash', { command: 'git push' }],
  ['cursor', 'Shell', { command: 'git push', working_directory: '/' }],
  ['opencode', 'bash', { command: 'git push', workdir: '/' }],
];

it.each(commands)('in %s a rule on a command is heard by %s %j', (host, tool, input) => {
  const trigger = '[{tool: Bash, command_pattern: "^git push"}]';
  rig = makeRig(
    `{inherit: false, requirements: {p: {enabled: true, scope: session, trigger_tools: ${trigger}}}}\n`,
    CONFIG_FILE,
  );
  expect(called(host, tool, input)).toMatch(/"deny"/);
});

describe.each(OTHERS)('%s', (host) => {
  it('lets what is no event pass with exit code 0', () => {
    rig = makeRig();
    for (const text of ['', '[]', '{}', '\uFEFF']) {
      expect(rig.hookText(text, { args: ['--host', host] })).toMatchObject({ exitCode: 0, stdout: '' });
    }
  });

  it.each(['../../x', '__proto__'])('takes %j for a session as any other', (id) => {
    rig = makeRig();
    const document = (): HostDocument => {
      const [tool, input] = EDITS[host] ?? ['', {}];
      return JSON.parse(
        JSON.stringify(CALL[host]?.(tool, input)).replaceAll(SESSION, JSON.stringify(id).slice(1, -1)),
      );
    };
    const send = (): Ended => rig.hook(document(), { args: ['--host', host] });
    expect(send().stdout).toMatch(/"deny"/);
    rig.req(['satisfy', 'commit_plan', '--session', id]);
    expect(send()).toMatchObject(SILENT);
  });
});

describe.each([codex, gemini])('$name', (host: HostForms) => {
  it('cannot be held for ever: of any nine stops in a row one is let go, however they are told apart', () => {
    rig = makeRig('');
    rig.holdpoint(['loop', 'start', 'Tidy up.', '--session', SESSION, '--max', '1000']);
    const said: string[] = [];
    const held = Array.from({ length: 50 }, (_, number) => {
      said.push(`part ${number}`);
      const stop = host.stop(rig.repo, number > 0, said.join('\n'));
      // A host may begin a turn of its own for every refused stop.
      const ended = rig.hook(
        { ...stop, ...('turn_id' in stop && { turn_id: `turn ${number}` }) },
        {
          args: ['--host', host.name],
        },
      );
      return host.held(ended) !== undefined;
    });
    expect(held.slice(0, 9)).toStrictEqual([...Array(8).fill(true), false]);
    expect(
      held.map((_, at) => held.slice(at, at + 9)).every((row) => row.length < 9 || row.includes(false)),
    ).toBe(true);
  });
});

describe('a skill that nobody typed', () => {
  const PLAN =
    '{inherit: false, requirements: {commit_plan: {enabled: true, scope: session, satisfied_by_skill: plan}}}\n';
  const subagent = { agent_id: 'a', parent_agent_id: SESSION };
  const prompt = (more: HostDocument): HostDocument => ({
    hook_event_name: 'UserPromptSubmit',
    session_id: SESSION,
    timestamp: time(),
    cwd: rig.repo,
    prompt: '/plan the login',
    ...more,
  });

  it('satisfies nothing: an agent could tell it to a subagent', () => {
    rig = makeRig(PLAN);
    const args = ['--host', 'copilot'];
    rig.hook(prompt(subagent), { args });
    expect(called('copilot', 'create', { path: 'a.ts' })).toMatch(/"deny"/);
    rig.hook(prompt({}), { args });
    expect(called('copilot', 'create', { path: 'a.ts' })).toBe('');
  });
});

describe('VS Code, which runs the lines of Claude Code and of Copilot', () => {
  const document = (hookEventName: string, more: HostDocument): HostDocument => ({
    timestamp: time(),
    cwd: rig.repo,
    sessionId: SESSION,
    hookEventName,
    transcript_path: join(rig.home, 'none.json'),
    ...more,
  });
  const edit = (): HostDocument =>
    document('PreToolUse', {
      tool_name: 'create_file',
      tool_input: { filePath: join(rig.repo, 'a.ts'), content: 'x' },
      tool_use_id: 'c1',
    });
  const atClaude = (event: HostDocument): Ended => rig.hook(event, { args: ['--host', 'claude-code'] });

  it('is answered in its own form', () => {
    rig = makeRig();
    const { json } = atClaude(edit());
    expect(at(json, 'hookSpecificOutput')).toMatchObject({
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
    });
    rig.holdpoint(['loop', 'start', 'Tidy up.', '--session', SESSION]);
    const stop = atClaude(document('Stop', { stop_hook_active: false }));
    expect(at(stop.json, 'hookSpecificOutput')).toMatchObject({ hookEventName: 'Stop', decision: 'block' });
  });

  it('is answered once where Copilot has a line of its own, wherever its home is', () => {
    rig = makeRig();
    const home = join(rig.home, 'elsewhere');
    const line = 'set -- --host copilot; . ~/.config/holdpoint/launch';
    rig.writeHome(
      'elsewhere/hooks/holdpoint.json',
      JSON.stringify({ hooks: { PreToolUse: [{ bash: line }] } }),
    );
    expect(atClaude(edit()).stdout).toMatch(/"deny"/);
    const args = ['--host', 'claude-code'];
    expect(rig.hook(edit(), { args, env: { COPILOT_HOME: home } })).toMatchObject(SILENT);
  });
});
