import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn, KEY, OTHER_SESSION, SESSION } from './events';
import { at, CONFIG_FILE, deniedBecause, heldBecause, makeRig, type Rig } from './rig';

const STATE = '.git/requirements/feature-auth.json';
let rig: Rig;
let on: Events;

function project(config?: string): void {
  rig = makeRig(config);
  on = eventsIn(rig);
}

function satisfy(...args: string[]): void {
  const done = rig.req(['satisfy', ...args]);
  expect(done, done.stderr).toMatchObject({ exitCode: 0, stderr: '' });
}

function registry(): unknown {
  return at(rig.readJson(join(rig.home, '.claude/sessions.json')), 'sessions');
}

function sessionsOf(name: string): unknown {
  return at(rig.readJson(STATE), 'requirements', name, 'sessions');
}

const SILENT = { stdout: '', stderr: '', exitCode: 0 };
const secondsNow = (): number => Math.floor(Date.now() / 1000);

afterEach(() => rig.remove());

describe('a requirement for each session', () => {
  it('denies an edit, names itself, the command and the session, and registers the session', () => {
    project();
    const denied = rig.hook(on.pre('Edit', EDIT));
    expect(denied).toMatchObject({ exitCode: 0, stderr: '' });
    expect(denied.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(deniedBecause(denied)).toContain('commit_plan');
    expect(deniedBecause(denied)).toContain(`req satisfy commit_plan --session ${KEY}`);
    expect(JSON.stringify(rig.readJson(STATE) ?? {})).not.toContain('triggered');
    expect(registry()).toMatchObject({ [KEY]: { branch: 'feature/auth', project_dir: rig.repo } });
  });

  it('does not hold the end of a turn in which the edit was denied', () => {
    project();
    deniedBecause(rig.hook(on.pre('Edit', EDIT)));
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
  });

  it('lets the edit pass once satisfied, and keeps when and that it was set off', () => {
    project();
    deniedBecause(rig.hook(on.pre('Edit', EDIT)));
    satisfy('commit_plan', '--session', KEY);
    expect(rig.hook(on.pre('Edit', EDIT))).toMatchObject(SILENT);
    expect(rig.readJson(STATE)).toMatchObject({ version: '1.0', branch: 'feature/auth' });
    expect(at(sessionsOf('commit_plan'), KEY)).toMatchObject({
      satisfied: true,
      satisfied_by: 'cli',
      triggered: true,
      satisfied_at: expect.toSatisfy(Number.isInteger),
      triggered_at: expect.toSatisfy(Number.isInteger),
    });
  });

  it('ends a satisfied session silently, takes it out of the registry and leaves the state alone', () => {
    project();
    deniedBecause(rig.hook(on.pre('Edit', EDIT)));
    satisfy('commit_plan', '--session', KEY);
    rig.hook(on.pre('Edit', EDIT));
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
    const before = rig.readJson(STATE);
    expect(registry()).toHaveProperty(KEY);
    expect(rig.hook(on.end())).toMatchObject(SILENT);
    expect(registry()).not.toHaveProperty(KEY);
    expect(rig.readJson(STATE)).toEqual(before);
  });

  it('does not count what an older session had satisfied', () => {
    project();
    const at400 = {
      satisfied: true,
      satisfied_at: secondsNow() - 400,
      satisfied_by: 'cli',
      expires_at: null,
    };
    const entry = { scope: 'session', sessions: { aaaaaaaa: at400 } };
    const state = { version: '1.0', branch: 'feature/auth', requirements: { commit_plan: entry } };
    rig.write(STATE, JSON.stringify(state));
    deniedBecause(rig.hook(on.pre('Edit', EDIT)));
    expect(rig.hook(on.pre('Edit', EDIT, { session_id: OTHER_SESSION }))).toMatchObject(SILENT);
  });

  it('keeps two sessions side by side apart', () => {
    project();
    satisfy('commit_plan', '--session', OTHER_SESSION);
    deniedBecause(rig.hook(on.pre('Edit', EDIT)));
    expect(rig.hook(on.pre('Edit', EDIT, { session_id: OTHER_SESSION }))).toMatchObject(SILENT);
    satisfy('commit_plan', '--session', SESSION);
    expect(rig.hook(on.pre('Edit', EDIT))).toMatchObject(SILENT);
    expect(Object.keys(sessionsOf('commit_plan') as object).sort()).toEqual(['aaaaaaaa', KEY]);
  });

  it('finds the only live session by itself', () => {
    project();
    deniedBecause(rig.hook(on.pre('Edit', EDIT)));
    const done = rig.req(['satisfy', 'commit_plan']);
    expect(done.stdout).toContain(`Auto-detected Claude session: ${KEY}`);
    expect(rig.hook(on.pre('Edit', EDIT))).toMatchObject(SILENT);
  });
});

describe('a requirement for each action', () => {
  const COMMIT = { command: 'git commit -m x' };
  const ONCE =
    '{inherit: false, requirements: {review: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: "git\\\\s+commit"}]}}}';

  it('is used up by the action it was given for', () => {
    project(ONCE);
    deniedBecause(rig.hook(on.pre('Bash', COMMIT)));
    satisfy('review', '--session', KEY);
    expect(rig.hook(on.pre('Bash', COMMIT))).toMatchObject(SILENT);
    expect(rig.hook(on.post('Bash', COMMIT))).toMatchObject(SILENT);
    expect(sessionsOf('review')).toEqual({});
    deniedBecause(rig.hook(on.pre('Bash', COMMIT)));
  });

  it('is not used up by another command', () => {
    project(ONCE);
    satisfy('review', '--session', KEY);
    rig.hook(on.post('Bash', { command: 'ls' }));
    expect(at(sessionsOf('review'), KEY, 'satisfied')).toBe(true);
  });

  it("is used up for the acting session alone, not for another's", () => {
    project(ONCE);
    satisfy('review', '--session', KEY);
    satisfy('review', '--session', OTHER_SESSION);
    rig.hook(on.post('Bash', COMMIT));
    expect(Object.keys(sessionsOf('review') as object)).toEqual(['aaaaaaaa']);
  });

  it('stays when the action failed', () => {
    project(ONCE);
    satisfy('review', '--session', KEY);
    expect(rig.hook(on.postFailure('Bash', COMMIT, { error: 'exit 1' }))).toMatchObject(SILENT);
    expect(rig.hook(on.pre('Bash', COMMIT))).toMatchObject(SILENT);
  });
});

describe('a requirement asked for at the end of a turn', () => {
  const stopOnly = (scope: string, stop: string): string =>
    `{inherit: false, hooks: {stop: ${stop}}, requirements: {notes: {enabled: true, stop_only: true, scope: ${scope}}}}`;

  it('never denies, holds the stop once it was set off, and holds it only once', () => {
    project(stopOnly('session', '{}'));
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
    expect(rig.hook(on.pre('Edit', EDIT))).toMatchObject(SILENT);
    expect(at(sessionsOf('notes'), KEY, 'triggered')).toBe(true);
    const held = rig.hook(on.stop(false));
    expect(held.exitCode).toBe(0);
    expect(heldBecause(held)).toContain('notes');
    expect(heldBecause(held)).toContain(`--session ${KEY}`);
    expect(rig.hook(on.stop(true))).toMatchObject(SILENT);
    heldBecause(rig.hook(on.stop(false)));
    satisfy('notes', '--session', KEY);
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
  });

  it('is not asked for where the config says not to verify', () => {
    project(stopOnly('session', '{verify_requirements: false}'));
    rig.hook(on.pre('Edit', EDIT));
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
  });

  it('is asked for only in the scopes that are verified', () => {
    project(stopOnly('single_use', '{}'));
    rig.hook(on.pre('Edit', EDIT));
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
    rig.write(CONFIG_FILE, stopOnly('single_use', '{verify_scopes: [session, single_use]}'));
    heldBecause(rig.hook(on.stop(false)));
  });
});

describe('a requirement for a branch', () => {
  it('once satisfied passes for every session, and for no other branch', () => {
    project('{inherit: false, requirements: {design: {enabled: true, scope: branch}}}');
    satisfy('design', '--session', OTHER_SESSION);
    expect(rig.hook(on.pre('Edit', EDIT))).toMatchObject(SILENT);
    rig.git('checkout', '--quiet', '-b', 'other');
    deniedBecause(rig.hook(on.pre('Edit', EDIT)));
  });

  it.each([['--branch', 'feature/auth'], ['--branch'], ['-b', 'feature/auth'], ['--branch=feature/auth']])(
    'is overridden for all sessions by %s %s',
    (...flag) => {
      project();
      satisfy('commit_plan', ...flag);
      expect(at(rig.readJson(STATE), 'requirements', 'commit_plan', 'satisfied')).toBe(true);
      for (const session_id of [SESSION, OTHER_SESSION])
        expect(rig.hook(on.pre('Edit', EDIT, { session_id }))).toMatchObject(SILENT);
    },
  );

  it('falls back to unsatisfied when its time is over', () => {
    project();
    satisfy('commit_plan', '--session', KEY, '--ttl', '60');
    expect(rig.hook(on.pre('Edit', EDIT))).toMatchObject(SILENT);
    const state = JSON.stringify(rig.readJson(STATE));
    const { satisfied_at, expires_at } = at(sessionsOf('commit_plan'), KEY) as Record<string, number>;
    expect(expires_at).toBe((satisfied_at ?? 0) + 60);
    rig.write(STATE, state.replace(`"expires_at":${expires_at}`, `"expires_at":${secondsNow() - 1}`));
    deniedBecause(rig.hook(on.pre('Edit', EDIT)));
  });
});

describe('a protected branch', () => {
  const GUARD =
    '{inherit: false, requirements: {protected_branch: {enabled: true, type: guard, guard_type: protected_branch, message: "no edits on {branch}", protected_branches: [main, "release/*"]}}}';

  it('denies until a session is approved, and that session alone', () => {
    project(GUARD);
    rig.git('checkout', '--quiet', '-b', 'main');
    expect(deniedBecause(rig.hook(on.pre('Edit', EDIT)))).toContain('no edits on main');
    expect(rig.req(['approve', 'protected_branch', '--session', KEY]).exitCode).toBe(0);
    expect(rig.hook(on.pre('Edit', EDIT))).toMatchObject(SILENT);
    deniedBecause(rig.hook(on.pre('Edit', EDIT, { session_id: OTHER_SESSION })));
  });

  it('concerns nobody on another branch, neither at an edit nor at the end', () => {
    project(GUARD);
    expect(rig.hook(on.pre('Edit', EDIT))).toMatchObject(SILENT);
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
  });

  it('is told by a pattern too', () => {
    project(GUARD);
    rig.git('checkout', '--quiet', '-b', 'release/1');
    expect(deniedBecause(rig.hook(on.pre('Edit', EDIT)))).toContain('no edits on release/1');
  });
});

describe('what is never held', () => {
  it('a tool that no requirement names', () => {
    project();
    expect(rig.hook(on.pre('Read', EDIT))).toMatchObject(SILENT);
    expect(existsSync(join(rig.home, '.claude'))).toBe(false);
  });

  it.each([
    ['nothing at all', ''],
    ['no JSON', 'not json'],
    ['a list', '[1]'],
  ])('input that is %s, with one line that says so', (_what, text) => {
    project();
    const ended = rig.hookText(text);
    expect(ended).toMatchObject({ stdout: '', exitCode: 0 });
    expect(ended.stderr).toMatch(/^holdpoint: .+\n$/);
  });

  it('an event without a session, with one line and a journal entry that say so', () => {
    project();
    const ended = rig.hook(on.pre('Edit', EDIT, { session_id: undefined }));
    expect(ended).toMatchObject({ stdout: '', exitCode: 0 });
    expect(ended.stderr).toMatch(/^holdpoint: .*session_id.*\n$/);
    expect(rig.holdpoint(['log']).stdout).toContain('input.no-session');
  });

  it.each(['.claude/plans/a.md', 'docs/plans/deep/a.md'])('a plan: %s', (path) => {
    project();
    for (const file_path of [path, join(rig.repo, path)])
      expect(rig.hook(on.pre('Write', { file_path }))).toMatchObject(SILENT);
  });

  it.each([
    'src/docs/plans/evil.ts',
    'src/docs/plans/evil.md',
    '.claude/plans/../../src/a.md',
    'docs/plans/evil.ts',
    'docs/plans',
  ])('but what only looks like one is: %s', (path) => {
    project();
    for (const file_path of [path, `${rig.repo}/${path}`])
      deniedBecause(rig.hook(on.pre('Write', { file_path })));
  });

  it('a plan in a project that is reached by a link', () => {
    project();
    const link = rig.link('linked', rig.repo);
    const plan = on.pre('Write', { file_path: `${link}/.claude/plans/a.md` }, { cwd: link });
    expect(rig.hook(plan)).toMatchObject(SILENT);
  });
});

describe('a state file that cannot be used', () => {
  const files = (): string[] => readdirSync(join(rig.repo, '.git/requirements'));

  it('that is broken satisfies nothing, is named, and is kept aside at the next write', () => {
    project();
    rig.write(STATE, '{bad');
    expect(deniedBecause(rig.hook(on.pre('Edit', EDIT)))).toContain('feature-auth.json');
    satisfy('commit_plan', '--session', KEY);
    expect(rig.hook(on.pre('Edit', EDIT))).toMatchObject(SILENT);
    expect(files().filter((name) => name.startsWith('feature-auth.json.corrupt-'))).toHaveLength(1);
  });

  it.each(['[]', '""', 'null', '17', '{"requirements": []}', '{"requirements": {"commit_plan": true}}'])(
    'that holds %s satisfies nothing, and can be written again',
    (text) => {
      project();
      rig.write(STATE, text);
      deniedBecause(rig.hook(on.pre('Edit', EDIT)));
      satisfy('commit_plan', '--session', KEY);
      expect(rig.hook(on.pre('Edit', EDIT))).toMatchObject(SILENT);
    },
  );

  it('that has no version counts all the same', () => {
    project();
    const entry = { sessions: { [KEY]: { satisfied: true, satisfied_at: 1 } } };
    rig.write(STATE, JSON.stringify({ requirements: { commit_plan: entry } }));
    expect(rig.hook(on.pre('Edit', EDIT))).toMatchObject(SILENT);
  });
});
