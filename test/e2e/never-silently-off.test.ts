import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventsIn, KEY, SESSION } from './events';
import { at, commandFile, type Ended, type HostDocument, makeRig, type Rig, runNow } from './rig';

let rig: Rig;
afterEach(() => rig.remove());

const REQUIREMENT = 'requirements: {commit_plan: {enabled: true, scope: session, trigger_tools: [Edit]}}';
const GATES = 'gates: {checks: {t: {command: "true"}}, entry_points: [{path: ".", checks: [t]}]}';
const SETTINGS = '.claude/settings.json';
const HOST = { CLAUDE_PID: String(process.pid) };

const open = (...sections: string[]): void => {
  rig = makeRig(`${sections.join('\n')}\n`, '.holdpoint/config.yaml');
};
const start = (source = 'startup'): Ended => rig.hook(eventsIn(rig).start(source), { env: HOST });
const toPerson = ({ json }: Ended): unknown => at(json, 'systemMessage');
const toAgent = ({ json }: Ended): unknown => at(json, 'hookSpecificOutput', 'additionalContext');

it.each([
  ['copilot', { sessionId: SESSION, timestamp: 1, source: 'new' }, 'additionalContext'],
  [
    'cursor',
    { conversation_id: SESSION, cursor_version: '2', hook_event_name: 'sessionStart' },
    'additional_context',
  ],
])('%s shows a person nothing, so the agent is to pass it on', (host, event, member) => {
  open(REQUIREMENT, 'gates: {checks: 7}');
  const { json } = rig.hook(
    { ...event, cwd: rig.repo, workspace_roots: [rig.repo] },
    { args: ['--host', host] },
  );
  expect(at(json, member)).toMatch(/Tell the user, who does not see this:\nHoldpoint is on/);
});

describe('a session that begins', () => {
  it('hears in one line what is armed; the agent what no guard has told it yet', () => {
    open(REQUIREMENT, GATES);
    expect(toPerson(start())).toBe('Holdpoint is on: 1 requirement, gates (1 check).');
    const compacted = start('compact');
    expect(toPerson(compacted)).toBeUndefined();
    expect(String(toAgent(compacted)).split('\n').at(-1)).toBe('Holdpoint is on: gates (1 check).');
  });

  it('hears of a workflow that nobody has started', () => {
    open('workflow: {}');
    const next = '`holdpoint flow start` starts one';
    expect(toPerson(start())).toBe(`Holdpoint is off: no workflow is active. ${next}.`);
  });

  it('hears where a workflow stands, also one that was started without any config', () => {
    rig = makeRig('');
    expect(rig.holdpoint(['flow', 'start', 'fix']).exitCode).toBe(0);
    expect(toPerson(start())).toMatch(/^Holdpoint is on: workflow fix at phase 1 of \d+\.$/);
  });
});

describe('a heartbeat', () => {
  const beats = (): unknown => at(rig.readJson('.git/holdpoint/heartbeats.json'), 'sessions', KEY, 'at');
  const prompt = (): Ended =>
    rig.hook({ session_id: SESSION, hook_event_name: 'UserPromptSubmit', prompt: 'go on', cwd: rig.repo });

  it('comes with the start, and with a prompt once it is old', () => {
    open(GATES);
    start();
    const first = beats();
    expect(prompt()).toMatchObject({ stdout: '', stderr: '', exitCode: 0 });
    expect(beats()).toBe(first);
    const file = '.git/holdpoint/heartbeats.json';
    rig.write(file, readFileSync(join(rig.repo, file), 'utf8').replaceAll(String(first), '1'));
    prompt();
    expect(beats()).toBeGreaterThanOrEqual(Number(first));
  });

  it('comes with a prompt where the start was not heard, and tool events write none', () => {
    open(GATES);
    rig.hook(eventsIn(rig).pre('Read', { file_path: 'a' }));
    expect(beats()).toBeUndefined();
    prompt();
    expect(beats()).toBeGreaterThan(0);
  });
});

describe('a change of settings', () => {
  const changed = (more: HostDocument = {}): Ended =>
    rig.hook({
      session_id: SESSION,
      hook_event_name: 'ConfigChange',
      source: 'project_settings',
      file_path: join(rig.repo, SETTINGS),
      cwd: rig.repo,
      ...more,
    });
  const text = (): string => readFileSync(join(rig.repo, SETTINGS), 'utf8');
  const install = (): void => {
    open(REQUIREMENT);
    expect(rig.holdpoint(['install', '--host', 'claude-code']).exitCode).toBe(0);
  };

  it.each<[string, () => void, string]>([
    ['takes our entries away', () => rig.write(SETTINGS, '{}'), 'no longer calls it at SessionStart'],
    ['takes one of them', () => rig.write(SETTINGS, text().replace('"Stop"', '"Stopped"')), 'at Stop.'],
    ['is no JSON any more', () => rig.write(SETTINGS, `${text()},`), 'no longer valid JSON'],
    ['removes the file', () => rmSync(join(rig.repo, SETTINGS)), 'is gone'],
    [
      'switches all hooks off',
      () => rig.write(SETTINGS, text().replace('{', '{"disableAllHooks":true,')),
      'disableAllHooks',
    ],
  ])('that %s is held, and why tells of it', (_what, change, said) => {
    install();
    change();
    const ended = changed();
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain(said);
    expect(ended.stderr).toContain('`holdpoint uninstall`');
    const id = /holdpoint why (\S+)/.exec(ended.stderr)?.[1]?.replace(/`/g, '') ?? '';
    expect(rig.holdpoint(['why', id]).stdout).toContain('hooks stay on');
  });

  it.each<[string, () => void, HostDocument]>([
    ['adds something else', () => rig.write(SETTINGS, text().replace('{', '{"model":"x",')), {}],
    ['concerns another file', () => rig.write(SETTINGS, '{}'), { file_path: '/elsewhere/settings.json' }],
    ['concerns skills', () => rig.write(SETTINGS, '{}'), { source: 'skills' }],
    ['is our own uninstall', () => void rig.holdpoint(['uninstall']), {}],
  ])('that %s passes in silence', (_what, change, more) => {
    install();
    change();
    expect(changed(more)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('where nothing is noted as installed passes in silence', () => {
    open(REQUIREMENT);
    rig.write(SETTINGS, '{}');
    expect(changed()).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('without a path is judged by its layer', () => {
    install();
    rig.write(SETTINGS, '{}');
    expect(changed({ file_path: undefined }).exitCode).toBe(2);
    expect(changed({ file_path: undefined, source: 'local_settings' }).exitCode).toBe(0);
  });
});

describe('the status line', () => {
  const line = (input: unknown = { session_id: SESSION, workspace: { current_dir: rig.repo } }): string => {
    const text = typeof input === 'string' ? input : JSON.stringify(input);
    const ended = runNow('holdpoint', ['statusline'], text, { cwd: rig.home, env: rig.environment() });
    expect(ended, commandFile('holdpoint')).toMatchObject({ exitCode: 0, stderr: '' });
    return ended.stdout;
  };

  it('tells armed, open, paused, and what goes on', () => {
    open(REQUIREMENT, GATES);
    expect(line()).toBe('holdpoint off: this session has not called the hook\n');
    start();
    expect(line()).toBe('holdpoint on · 1/1 req open · gates not run\n');
    rig.req(['satisfy', 'commit_plan', '--session', SESSION]);
    rig.holdpoint(['loop', 'start', '--session', SESSION, '--max', '5', 'go']);
    expect(line()).toBe('holdpoint on · 1 req satisfied · loop 1/5 · gates not run\n');
    rig.req(['pause', '--session', SESSION]);
    expect(line()).toContain('holdpoint paused');
  });

  it('tells of a session in which something failed, as status does', () => {
    open(REQUIREMENT);
    start();
    const mark = { at: 1, code: 'guard.threw', detail: 'x', told: false };
    const record = { session_id: SESSION, degraded: [mark] };
    rig.write(`.git/holdpoint/sessions/${SESSION.replaceAll('-', '')}.json`, JSON.stringify(record));
    expect(line()).toBe('holdpoint on in part: 1 event was not checked (guard.threw) · 1/1 req open\n');
    const status = rig.holdpoint(['status']).stdout;
    expect(status).toMatch(/^Holdpoint on in part: 1 event was not checked \(guard\.threw\)\n/);
    expect(status).toMatch(new RegExp(`${KEY} +feature/auth +on in part `));
  });

  it.each(['', '{bad', '[]', '{"workspace": 7}'])('says something to %j', (input) => {
    open(REQUIREMENT);
    expect(line(input)).toMatch(/^holdpoint [^\n]+\n$/);
  });
});
