import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SESSION } from './events';
import { at, CONFIG_FILE, type Ended, type HostDocument, makeRig, type Rig } from './rig';
import { inPhase, workflowProject } from './workflow-project';

let rig: Rig;
afterEach(() => rig.remove());

const SILENT = { stdout: '', stderr: '', exitCode: 0 };
const DESIGN = '{inherit: false, requirements: {design_approved: {enabled: true, scope: session}}}\n';
const LOOP = ['loop', 'start', '--session', SESSION, '--max', '50', 'Tidy up.'];

const send = (host: string, document: HostDocument): Ended => rig.hook(document, { args: ['--host', host] });
/** A branch on which the workflow has to ask before it merges. */
function projectThatAsks(): void {
  const project = workflowProject();
  ({ rig } = project);
  rig.git('switch', '-q', '-c', 'main');
  project.state(inPhase('06-implementation', { git_branch: { name: 'feature/x', status: 'active' } }));
}

let ticks = 0;
const pascal = (name: string, members: HostDocument): HostDocument => ({
  hook_event_name: name,
  session_id: SESSION,
  timestamp: new Date(1_700_000_000_000 + ticks++).toISOString(),
  cwd: rig.repo,
  ...members,
});
const camel = (members: HostDocument): HostDocument => ({
  sessionId: SESSION,
  timestamp: 1_700_000_000_000 + ticks++,
  cwd: rig.repo,
  ...members,
});

describe('Copilot CLI', () => {
  const edits: [string, () => HostDocument][] = [
    ['camel case', () => camel({ toolName: 'edit', toolArgs: { path: 'a.ts', old_str: 'x', new_str: 'y' } })],
    ['camel case with arguments as text', () => camel({ toolName: 'create', toolArgs: '{"path":"a.ts"}' })],
    ['Pascal case', () => pascal('PreToolUse', { tool_name: 'Write', tool_input: { path: 'a.ts' } })],
    [
      'Pascal case in a subagent',
      () =>
        pascal('PreToolUse', {
          session_id: '11111111-0000-4000-8000-000000000001',
          agent_id: '11111111-0000-4000-8000-000000000001',
          parent_agent_id: SESSION,
          tool_name: 'Edit',
          tool_input: { path: 'a.ts' },
        }),
    ],
  ];

  it.each(edits)('denies an edit without a plan in %s, and lets it be after `req satisfy`', (_, edit) => {
    rig = makeRig();
    const denied = send('copilot', edit());
    expect(denied).toMatchObject({ exitCode: 0, stderr: '', json: { permissionDecision: 'deny' } });
    expect(at(denied.json, 'permissionDecisionReason')).toContain('commit_plan');
    const env = { COPILOT_AGENT_SESSION_ID: SESSION };
    expect(rig.req(['satisfy', 'commit_plan'], { env }).exitCode).toBe(0);
    expect(send('copilot', edit())).toMatchObject(SILENT);
  });

  it.each([
    ['camel case', (patch: string) => camel({ toolName: 'apply_patch', toolArgs: patch })],
    ['Pascal case', (patch: string) => pascal('PreToolUse', { tool_name: 'apply_patch', tool_input: patch })],
  ])('sees the files of a patch that comes as plain text in %s', (_, call) => {
    rig = makeRig(DESIGN, CONFIG_FILE);
    rig.req(['satisfy', 'design_approved', '--session', SESSION]);
    const patch = (file: string) => `*** Begin Patch\n*** Update File: ${file}\n@@\n-a\n+b\n*** End Patch`;
    const asked = send('copilot', call(patch(CONFIG_FILE)));
    expect(asked.json).toMatchObject({ permissionDecision: 'ask' });
    expect(send('copilot', call(patch('src/a.js')))).toMatchObject(SILENT);
  });

  it('asks a person', () => {
    projectThatAsks();
    const call = camel({ toolName: 'bash', toolArgs: { command: 'gh pr merge 12' } });
    expect(send('copilot', call).json).toMatchObject({ permissionDecision: 'ask' });
  });

  it('briefs a session, and speaks to what a person typed and to nothing else', () => {
    rig = makeRig(DESIGN);
    const context = (document: HostDocument): unknown =>
      at(send('copilot', document).json, 'additionalContext');
    expect(context(pascal('SessionStart', { source: 'new' }))).toContain('design_approved');
    const prompt = 'Implement the parser now.';
    expect(context(pascal('UserPromptSubmit', { prompt }))).toContain('design');
    expect(context(pascal('UserPromptSubmit', { prompt: `Stop hook feedback:\n${prompt}` }))).toBeUndefined();
    const subagent = { agent_id: 'a', parent_agent_id: SESSION };
    expect(context(pascal('UserPromptSubmit', { prompt, ...subagent }))).toBeUndefined();
  });

  it('is sent back to its loop by JSON alone, until its transcript has the signal; subagents end as they like', () => {
    rig = makeRig('');
    rig.holdpoint(LOOP);
    const transcript_path = join(rig.dir, 'home', 'events.jsonl');
    const stop = (active: boolean, ...entries: object[]): Ended => {
      rig.writeHome('events.jsonl', entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      return send(
        'copilot',
        pascal('Stop', { stop_hook_active: active, stop_reason: 'end_turn', transcript_path }),
      );
    };
    const said = (content: string, more: object = {}) => ({
      type: 'assistant.message',
      data: { content, toolRequests: [] },
      ...more,
    });
    const signal = '<loop-done>COMPLETE</loop-done>';
    const held = stop(
      false,
      said(signal),
      { type: 'user.message' },
      said('One.'),
      said(signal, { agentId: 'a' }),
    );
    expect(held).toMatchObject({ exitCode: 0, stderr: '', json: { decision: 'block' } });
    expect(at(held.json, 'reason')).toMatch(/^Stop hook feedback:\n\[ITERATION 2\/50\]/);
    const child = { agent_id: 'a', parent_agent_id: SESSION, stop_hook_active: false };
    expect(send('copilot', pascal('Stop', child))).toMatchObject(SILENT);
    expect(at(stop(true, said(signal)).json, 'decision')).toBeUndefined();
    expect(rig.holdpoint(['loop', 'status', '--json', '--session', SESSION]).stdout).toContain('COMPLETE');
  });

  it.each(['', 'no JSON', '[]', '{}'])(
    'never ends with another exit code than 0, which would deny: %j',
    (text) => {
      rig = makeRig();
      expect(rig.hookText(text, { args: ['--host', 'copilot'] })).toMatchObject({ exitCode: 0, stdout: '' });
    },
  );

  it('goes one step with a loop at a stop that two of its files bring to us, one after the other', () => {
    rig = makeRig('');
    rig.holdpoint(LOOP);
    const iterations = [false, true, true].flatMap((stop_hook_active) => {
      const stop = pascal('Stop', { stop_hook_active });
      return [send('copilot', stop), send('copilot', stop)].map(
        ({ stdout }) => /ITERATION (\d+)/.exec(stdout)?.[1],
      );
    });
    expect(iterations).toStrictEqual(['2', undefined, '3', undefined, '4', undefined]);
  });

  it('passes over events that it does not know', () => {
    rig = makeRig();
    expect(send('copilot', pascal('Brandnew', {}))).toMatchObject(SILENT);
  });
});

describe('Cursor', () => {
  const cursor = (hook_event_name: string, members: HostDocument): HostDocument => ({
    conversation_id: SESSION,
    generation_id: `generation-${ticks++}`,
    hook_event_name,
    cursor_version: '2.4.21',
    workspace_roots: [rig.repo],
    ...members,
  });
  const call = (tool_name: string, tool_input: object): HostDocument =>
    cursor('preToolUse', { tool_name, tool_input, tool_use_id: `t${ticks}`, cwd: rig.repo });
  const edit = (): HostDocument => call('Write', { file_path: 'a.ts', content: 'x' });

  it('denies an edit without a plan, to the agent and the person, and lets it be after `req satisfy`', () => {
    rig = makeRig();
    const { json } = send('cursor', edit());
    expect(json).toMatchObject({ permission: 'deny', agent_message: expect.stringContaining('commit_plan') });
    expect(at(json, 'user_message')).toBe(at(json, 'agent_message'));
    rig.req(['satisfy', 'commit_plan', '--session', SESSION]);
    expect(send('cursor', edit())).toMatchObject(SILENT);
  });

  it('understands a document that begins with a byte order mark', () => {
    rig = makeRig();
    const { json } = rig.hookText(`\uFEFF${JSON.stringify(edit())}`, { args: ['--host', 'cursor'] });
    expect(json).toMatchObject({ permission: 'deny' });
  });

  it('is denied what a person would have to be asked, and the journal tells it', () => {
    projectThatAsks();
    const { json } = send('cursor', call('Shell', { command: 'gh pr merge 12' }));
    expect(at(json, 'agent_message')).toContain('this host cannot ask the user');
    expect(rig.holdpoint(['log', '--json']).stdout).toContain('cannot ask a person');
  });

  it('goes on after a refused stop by a message, and is let go before Cursor would', () => {
    rig = makeRig('');
    rig.holdpoint(LOOP);
    const held = (loop_count: number): boolean => {
      const { json } = send('cursor', cursor('stop', { status: 'completed', loop_count }));
      return String(at(json, 'followup_message')).startsWith('Stop hook feedback:\n[ITERATION');
    };
    expect([0, 1, 2, 3, 4].map(held)).toStrictEqual([true, true, true, true, false]);
    const aborted = cursor('stop', { status: 'aborted', loop_count: 0 });
    expect(at(send('cursor', aborted).json, 'followup_message')).toBeUndefined();
  });

  it('is answered once where it also runs the settings of Claude Code', () => {
    rig = makeRig();
    expect(rig.hook(edit(), { args: ['--host', 'claude-code'] }).json).toMatchObject({ permission: 'deny' });
    const line = 'set -- --host cursor; . ~/.config/holdpoint/launch';
    const own = (more: object) =>
      rig.write(
        '.cursor/hooks.json',
        JSON.stringify({ hooks: { preToolUse: [{ command: line, ...more }] } }),
      );
    own({});
    expect(rig.hook(edit(), { args: ['--host', 'claude-code'] })).toMatchObject(SILENT);
    own({ matcher: 'Shell' });
    expect(rig.hook(edit(), { args: ['--host', 'claude-code'] }).json).toMatchObject({ permission: 'deny' });
  });

  it('is not asked twice about a command for which it fires two events', () => {
    rig = makeRig(
      '{inherit: false, requirements: {p: {enabled: true, scope: session, trigger_tools: [Bash]}}}\n',
      CONFIG_FILE,
    );
    expect(send('cursor', call('Shell', { command: 'ls' })).json).toMatchObject({ permission: 'deny' });
    expect(send('cursor', cursor('beforeShellExecution', { command: 'ls', cwd: rig.repo }))).toMatchObject(
      SILENT,
    );
  });
});
