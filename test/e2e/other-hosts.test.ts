import { afterEach, describe, expect, it } from 'vitest';
import { SESSION } from './events';
import { codex, gemini, type HostForms } from './host-documents';
import { type Ended, type HostDocument, makeRig, type Rig } from './rig';
import { inPhase, workflowProject } from './workflow-project';

let rig: Rig;
afterEach(() => rig.remove());

const SILENT = { stdout: '', stderr: '', exitCode: 0 };
const DESIGN = '{inherit: false, requirements: {design_approved: {enabled: true, scope: session}}}\n';

/** Other words at every stop, or the loop would see that nothing goes on. */
const wordsUpTo = (number: number): string =>
  Array.from({ length: number + 1 }, (_, at) => `part ${at}`).join('\n');

describe.each([codex, gemini])('$name', (host: HostForms) => {
  const send = (event: HostDocument, more: readonly string[] = []): Ended =>
    rig.hook(event, { args: ['--host', host.name, ...more] });

  it('denies an edit without a plan, and lets it be after `req satisfy`', () => {
    rig = makeRig();
    expect(host.denied(send(host.edit(rig.repo, 'a.ts')))).toContain('commit_plan');
    expect(rig.req(['satisfy', 'commit_plan', '--session', SESSION]).exitCode).toBe(0);
    expect(send(host.edit(rig.repo, 'a.ts'))).toMatchObject(SILENT);
  });

  it('lets other tools be', () => {
    rig = makeRig();
    expect(send(host.shell(rig.repo, 'ls'))).toMatchObject(SILENT);
  });

  it('tells a session that begins what is open', () => {
    rig = makeRig();
    expect(host.context(send(host.start(rig.repo)))).toContain('commit_plan');
    expect(rig.req(['sessions', '--json']).stdout).toContain(SESSION.slice(0, 8));
  });

  it('notes a session that begins where nothing is armed only if the agent’s shell could not name it', () => {
    rig = makeRig('');
    send(host.start(rig.repo));
    const { stdout } = rig.holdpoint(['loop', 'start', 'Tidy up.']);
    expect(stdout.includes(`Loop started for session ${SESSION.slice(0, 8)}`)).toBe(host.name === 'gemini');
  });

  it('speaks to a prompt of a person, and not to a refused stop that comes back as one', () => {
    rig = makeRig(DESIGN);
    expect(send(host.prompt(rig.repo, 'Stop hook feedback:\nImplement the parser now.'))).toMatchObject(
      SILENT,
    );
    expect(host.context(send(host.prompt(rig.repo, 'Implement the parser now.')))).toContain('design');
  });

  it('passes over events that it does not know', () => {
    rig = makeRig();
    expect(send(host.unknown(rig.repo))).toMatchObject(SILENT);
  });

  it('is held by a loop until its signal, but not for ever', () => {
    rig = makeRig('');
    expect(rig.holdpoint(['loop', 'start', 'Tidy up.', '--session', SESSION]).exitCode).toBe(0);
    expect(host.held(send(host.stop(rig.repo, false, 'one')))).toContain('ITERATION');
    const said = 'one\n<loop-done>COMPLETE</loop-done>';
    const { stdout } = send(host.stop(rig.repo, true, said));
    expect(host.held({ ...SILENT, stdout, json: undefined })).toBeUndefined();
    expect(rig.holdpoint(['loop', 'status', '--json', '--session', SESSION]).stdout).toContain('COMPLETE');
  });

  it('ends a row of refused stops by itself, since the host would not', () => {
    rig = makeRig('');
    rig.holdpoint(['loop', 'start', 'Tidy up.', '--session', SESSION, '--max', '50']);
    const stop = (number: number): boolean =>
      host.held(send(host.stop(rig.repo, number > 0, wordsUpTo(number)))) !== undefined;
    expect(Array.from({ length: 9 }, (_, number) => stop(number))).toStrictEqual([
      ...Array(8).fill(true),
      false,
    ]);
    expect(send(host.ran(rig.repo, 'ls')).exitCode).toBe(0);
  });

  it('notes in the journal what the host cannot carry', () => {
    const project = workflowProject();
    ({ rig } = project);
    rig.git('switch', '-q', '-c', 'main');
    project.state(inPhase('06-implementation', { git_branch: { name: 'feature/x', status: 'active' } }));
    const asked = send(host.shell(rig.repo, 'gh pr merge 12'));
    if (host.name === 'codex') {
      expect(host.denied(asked)).toContain('this host cannot ask the user');
      const id = /holdpoint why (\S+)`/.exec(String(host.denied(asked)))?.[1] ?? '';
      expect(rig.holdpoint(['why', id]).stdout).toContain('cannot ask a person; the call was held instead');
    } else {
      expect(asked.json).toMatchObject({
        decision: 'ask',
        systemMessage: expect.stringContaining('gh pr merge'),
      });
    }
  });
});

describe('a host that nobody knows', () => {
  it('is told on standard error with the nearest name, and the event is judged all the same', () => {
    rig = makeRig();
    const edit = {
      session_id: SESSION,
      cwd: rig.repo,
      hook_event_name: 'PreToolUse',
      tool_name: 'Edit',
      tool_input: {},
    };
    const ended = rig.hook(edit, { args: ['--host=gemin'] });
    expect(ended.stderr).toContain('unknown --host "gemin" (did you mean gemini?)');
    expect(ended.stdout).toContain('"permissionDecision":"deny"');
    expect(rig.hook({ ...edit, tool_name: 'Read' }, { args: ['--host', 'x'] }).stderr).toContain(
      'the hosts are claude-code,',
    );
  });
});

describe('an event of a host that runs the settings of Claude Code as well', () => {
  const event = (): HostDocument => ({
    sessionId: SESSION,
    timestamp: 1_700_000_000_000,
    cwd: rig.repo,
    toolName: 'create',
    toolArgs: { path: 'a.ts', file_text: 'x' },
  });
  const atClaude = (): Ended => rig.hook(event(), { args: ['--host', 'claude-code'] });
  const own =
    '{"hooks":{"preToolUse":[{"bash":"set -- --host copilot; . \\"$HOME/.config/holdpoint/launch\\""}]}}';

  it('is answered there in its own form while the host has no entry of its own', () => {
    rig = makeRig();
    expect(atClaude().json).toMatchObject({ permissionDecision: 'deny' });
    rig.write('.github/hooks/other.json', own.replace('copilot', 'cursor'));
    expect(atClaude().json).toMatchObject({ permissionDecision: 'deny' });
  });

  it.each([
    ['is not valid JSON', `<<<<<<< HEAD\n${own}`],
    ['calls us at other events', own.replace('preToolUse', 'agentStop')],
    ['only mentions us', '{"note":"holdpoint --host copilot","hooks":{}}'],
  ])('is answered there too while the host has a file that %s', (_, text) => {
    rig = makeRig();
    rig.write('.github/hooks/holdpoint.json', text);
    expect(atClaude().json).toMatchObject({ permissionDecision: 'deny' });
  });

  it.each(['project', 'home'])('is answered once where the %s has one', (place) => {
    rig = makeRig();
    if (place === 'project') rig.write('.github/hooks/holdpoint.json', own);
    else rig.writeHome('.copilot/hooks/holdpoint.json', own);
    expect(atClaude()).toMatchObject(SILENT);
    expect(rig.hook(event(), { args: ['--host', 'copilot'] }).json).toMatchObject({
      permissionDecision: 'deny',
    });
  });
});
