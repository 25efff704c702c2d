import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn, KEY, OTHER_SESSION, SESSION } from './events';
import { at, type Ended, makeRig, type Rig } from './rig';

const OTHER_KEY = 'aaaaaaaa';
const REGISTRY = '.claude/sessions.json';
/** Larger than the kernel gives out. */
const NOBODY = 4_194_305;
let rig: Rig;
let on: Events;
let stranger: ChildProcess;

beforeEach(() => {
  rig = makeRig();
  on = eventsIn(rig);
  stranger = spawn('cat', [], { stdio: ['pipe', 'ignore', 'ignore'] });
});
afterEach(() => {
  stranger.stdin?.end();
  rig.remove();
});

/** A live process that none of the commands descends from. */
function strangerPid(): number {
  if (stranger.pid === undefined) throw new Error('cat did not start');
  return stranger.pid;
}

function register(sessions: Record<string, object>): void {
  const now = Math.floor(Date.now() / 1000);
  const whole = Object.entries(sessions).map(([id, entry]) => [
    id,
    {
      ppid: strangerPid(),
      project_dir: rig.repo,
      branch: 'feature/auth',
      started_at: now,
      last_active: now,
      ...entry,
    },
  ]);
  rig.writeHome(REGISTRY, JSON.stringify({ version: '1.0', sessions: Object.fromEntries(whole) }));
}

function registered(): string[] {
  return Object.keys(at(rig.readJson(join(rig.home, REGISTRY)), 'sessions') as object);
}

const satisfy = (env: Record<string, string> = {}, ...args: string[]): Ended =>
  rig.req(['satisfy', 'commit_plan', ...args], { env });

describe('the session that a command means is', () => {
  it('the one given, before all others', () => {
    register({ [OTHER_KEY]: {} });
    const ended = satisfy({ CLAUDE_CODE_SESSION_ID: OTHER_SESSION }, '--session', SESSION);
    expect(ended.stdout).toContain(`Using explicit session: ${KEY}\n`);
  });

  it.each([
    ['CLAUDE_CODE_SESSION_ID', 'Claude'],
    ['CLAUDE_SESSION_ID', 'Claude'],
    ['CODEX_SESSION_ID', 'Codex'],
    ['CODEX_THREAD_ID', 'Codex'],
    ['COPILOT_AGENT_SESSION_ID', 'Copilot CLI'],
    ['HOLDPOINT_SESSION_ID', 'OpenCode'],
  ])('the one that the host names in %s', (name, host) => {
    register({ [OTHER_KEY]: {} });
    rig.writeHome(`.claude/sessions/${process.pid}.json`, JSON.stringify({ sessionId: OTHER_SESSION }));
    expect(satisfy({ [name]: SESSION }).stdout).toContain(
      `Auto-detected ${host} session: ${KEY} (from ${name})`,
    );
  });

  it('the one of the host that runs the shell, not of the one in whose shell that was started', () => {
    const [shell, outer] = [process.pid, process.ppid];
    register({ [KEY]: { ppid: shell }, [OTHER_KEY]: { ppid: outer } });
    const inherited = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: OTHER_SESSION, GEMINI_CLI: '1' };
    expect(satisfy(inherited).stdout).toContain(`Auto-detected Gemini CLI session: ${KEY} (its host`);
    register({ [OTHER_KEY]: { ppid: outer } });
    expect(satisfy(inherited).stdout).toContain(`Auto-detected Claude session: ${OTHER_KEY}`);
  });

  it.each([
    ['copilot', 'the session above where the host names only a subagent of it', KEY],
    ['gemini', 'the named one where another host is above', OTHER_KEY],
  ])('with a session of %s above: %s', (host, _, expected) => {
    register({ [KEY]: { ppid: process.pid } });
    const sessions = { [KEY]: { session_id: SESSION, host, at: Date.now() } };
    rig.write('.git/holdpoint/heartbeats.json', JSON.stringify({ version: 1, sessions }));
    expect(satisfy({ COPILOT_AGENT_SESSION_ID: OTHER_SESSION }).stdout).toContain(
      `Auto-detected Copilot CLI session: ${expected}`,
    );
  });

  it("the one in Claude Code's own note of a process above", () => {
    register({ [OTHER_KEY]: { ppid: process.pid } });
    const note = { pid: process.pid, sessionId: SESSION, cwd: rig.repo };
    rig.writeHome(`.claude/sessions/${process.pid}.json`, JSON.stringify(note));
    const { stdout } = satisfy();
    expect(stdout).toContain(
      `Auto-detected Claude session: ${KEY} (Claude Code is parent process ${process.pid}`,
    );
  });

  it.each(['{bad', '[]', '{}', '{"sessionId": 7}', `{"pid": ${NOBODY}, "sessionId": "${OTHER_SESSION}"}`])(
    'not taken from a note that says %s',
    (note) => {
      register({ [KEY]: {} });
      rig.writeHome(`.claude/sessions/${process.pid}.json`, note);
      expect(satisfy().stdout).toContain(`${KEY} (the only live session of this project)`);
    },
  );

  it('the registered one whose host is a process above, wherever it began', () => {
    register({ [KEY]: { ppid: process.pid, project_dir: '/elsewhere' }, [OTHER_KEY]: {} });
    expect(satisfy().stdout).toContain(
      `Auto-detected Claude session: ${KEY} (its host is parent process ${process.pid}`,
    );
  });

  it('of several with one host the one of this project', () => {
    const ppid = process.pid;
    register({ [KEY]: { ppid }, [OTHER_KEY]: { ppid, project_dir: '/elsewhere' } });
    expect(satisfy().stdout).toContain(`Auto-detected Claude session: ${KEY} (its host`);
  });

  it('the only live one of this project', () => {
    register({ [KEY]: {}, [OTHER_KEY]: { project_dir: '/elsewhere' }, bbbbbbbb: { ppid: NOBODY } });
    expect(satisfy().stdout).toContain(`${KEY} (the only live session of this project)`);
  });

  it.each(['of this project', 'of one host'])('not guessed among two %s: they are listed', (what) => {
    const more = what === 'of one host' ? { ppid: process.pid } : {};
    register({ [KEY]: more, [OTHER_KEY]: more });
    const ended = satisfy();
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    for (const part of [
      'No Claude Code session found for this shell!',
      `PPID: ${process.pid}`,
      `Project: ${rig.repo}`,
      `${KEY} - ${rig.repo}`,
      `${OTHER_KEY} - ${rig.repo}`,
      '--session ID',
    ])
      expect(ended.stderr).toContain(part);
  });

  it('nobody where there is no registry, or none in it lives', () => {
    expect(satisfy().stderr).toContain('No active Claude Code session found!');
    register({ [KEY]: { ppid: NOBODY } });
    expect(satisfy().stderr).toContain('No active Claude Code sessions in registry!');
  });

  it('found by the hook that ran before', () => {
    rig.hook(on.pre('Edit', EDIT));
    const done = rig.req(['satisfy', 'commit_plan']);
    expect(done.stdout).toContain(`Auto-detected Claude session: ${KEY}`);
  });
});

describe('req sessions', () => {
  it('says that there is none', () => {
    expect(rig.req(['sessions'])).toMatchObject({
      stdout: 'No active Claude Code sessions found.\n',
      stderr: '',
      exitCode: 0,
    });
  });

  it('lists the live ones and drops the dead', () => {
    const earlier = Math.floor(Date.now() / 1000) - 200;
    register({
      [KEY]: {},
      [OTHER_KEY]: { project_dir: '/elsewhere', last_active: earlier },
      dead: { ppid: NOBODY },
    });
    const { stdout } = rig.req(['sessions']);
    expect(stdout).toContain('Active Claude Code Sessions (2)');
    expect(stdout).toContain(`${KEY} - ${rig.repo}\n    feature/auth [PID ${stranger.pid}, just now]`);
    expect(stdout).toContain(`${OTHER_KEY} - /elsewhere\n    feature/auth [PID ${stranger.pid}, 3m ago]`);
    expect(stdout).not.toContain('dead');
    expect(registered()).toEqual([KEY, OTHER_KEY]);
  });

  it('lists those of this project alone', () => {
    register({ [KEY]: {}, [OTHER_KEY]: { project_dir: '/elsewhere' } });
    const { stdout } = rig.req(['sessions', '--project']);
    expect(stdout).toContain('Active Claude Code Sessions (1)');
    expect(stdout).not.toContain(OTHER_KEY);
  });

  it('lists with --all those that have ended too, and drops none', () => {
    register({ [KEY]: {}, dead: { ppid: NOBODY } });
    const { stdout } = rig.req(['sessions', '--all']);
    expect(stdout).toContain('Active Claude Code Sessions (1)');
    expect(stdout).toMatch(/dead - .*\n.*ended\]/);
    expect(registered()).toEqual([KEY, 'dead']);
  });

  it('tells programs', () => {
    register({ [KEY]: {} });
    expect(rig.req(['sessions', '--json']).json).toMatchObject({
      sessions: [{ id: KEY, project_dir: rig.repo, branch: 'feature/auth', pid: stranger.pid, alive: true }],
    });
  });

  it('works outside a repository, but for --project', () => {
    register({ [KEY]: {} });
    expect(rig.req(['sessions'], { cwd: rig.home }).stdout).toContain(KEY);
    expect(rig.req(['sessions', '--project'], { cwd: rig.home })).toMatchObject({ exitCode: 1, stdout: '' });
  });

  it('names a registry that cannot be read', () => {
    rig.writeHome(REGISTRY, '{bad');
    const ended = rig.req(['sessions']);
    expect(ended).toMatchObject({ exitCode: 0, stdout: 'No active Claude Code sessions found.\n' });
    expect(ended.stderr).toContain('sessions.json is not valid JSON');
  });
});
