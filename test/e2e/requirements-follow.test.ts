import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { KEY, OTHER_SESSION, SESSION } from './events';
import { type Project, projectWith, SILENT, secondsNow } from './requirements-project';
import { deniedBecause, heldBecause, type Rig } from './rig';

const OWN = '.holdpoint/config.yaml';
const PLAN = 'requirements: {plan: {enabled: true}}\n';
let project: Project;

function open(config: string = PLAN, file = OWN): Project {
  project = projectWith(config, file);
  return project;
}

const toBranch = ({ git }: Rig, name: string): string => git('switch', '--quiet', '-c', name);

afterEach(() => project.rig.remove());

describe('what a session has satisfied', () => {
  const ways: [string, (one: Project) => unknown, string][] = [
    ['a command', ({ satisfy }) => satisfy('plan', '--session', KEY), PLAN],
    [
      'a skill',
      ({ skill }) => skill('planning'),
      'requirements: {plan: {enabled: true, satisfied_by_skill: planning}}',
    ],
    [
      'an approval of a value',
      ({ satisfy }) => satisfy('plan', '--session', KEY),
      'requirements: {plan: {enabled: true, type: dynamic, calculator: echo 9, thresholds: {block: 5}}}',
    ],
  ];

  it.each(ways)('by %s stays satisfied on every branch it goes to', (_how, satisfy, config) => {
    const { rig, on, edit } = open(config);
    deniedBecause(edit());
    satisfy(project);
    for (const branch of ['one', 'two/three']) {
      toBranch(rig, branch);
      expect(edit()).toMatchObject(SILENT);
      expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
    }
    rig.git('switch', '--quiet', 'feature/auth');
    expect(edit()).toMatchObject(SILENT);
    deniedBecause(edit({ session_id: OTHER_SESSION }));
  });

  it('stays so where it was satisfied from another work tree, before its first event', () => {
    const { rig, edit } = open();
    const worktree = `${rig.dir}/tmp/second`;
    rig.git('worktree', 'add', '--quiet', '-b', 'second', worktree);
    rig.write(`../tmp/second/${OWN}`, PLAN);
    expect(rig.req(['satisfy', 'plan', '--session', SESSION], { cwd: worktree }).exitCode).toBe(0);
    expect(edit()).toMatchObject(SILENT);
  });

  it('is its own where another session has the same first characters', () => {
    const { rig, edit } = open();
    const [one, other] = ['abcdefgh11111111', 'abcdefgh22222222'];
    rig.req(['satisfy', 'plan', '--session', one]);
    toBranch(rig, 'new');
    expect(edit({ session_id: one })).toMatchObject(SILENT);
    deniedBecause(edit({ session_id: other }));
  });

  it('stays so when the branch is renamed', () => {
    const { rig, edit, satisfy } = open();
    satisfy('plan', '--session', KEY);
    rig.git('branch', '-m', 'renamed');
    expect(edit()).toMatchObject(SILENT);
  });

  it('is told as satisfied by every view, without a branch', () => {
    const { rig, on, satisfy } = open();
    const done = rig.req(['satisfy', 'plan', '--session', KEY]);
    expect(done.stdout).toContain(`Satisfied 'plan' for session ${KEY} (session scope)`);
    satisfy('plan', '--session', KEY);
    toBranch(rig, 'new');
    expect(rig.req(['status', '--session', KEY]).stdout).toContain('All requirements satisfied');
    expect(rig.req(['status', '--json', '--session', SESSION]).json).toMatchObject({
      satisfied: 1,
      needed: [],
    });
    expect(rig.holdpoint(['status'], { env: { CLAUDE_CODE_SESSION_ID: SESSION } }).stdout).toMatch(
      /✓\s+plan/,
    );
    expect(rig.hook(on.start('resume')).stdout).toContain('1/1 satisfied');
  });

  it('is said of the session, and not of a branch, while it is open', () => {
    const { rig, edit } = open();
    const reason = deniedBecause(edit());
    expect(reason).toContain('is satisfied in this session (');
    expect(reason).not.toContain('feature/auth');
    const [, id = ''] = /holdpoint why (\w+)/.exec(reason) ?? [];
    expect(rig.holdpoint(['why', id]).stdout).not.toContain('on branch');
  });

  it('ends with its time, wherever the session is', () => {
    const { rig, edit, satisfy } = open();
    satisfy('plan', '--session', KEY, '--ttl', '1');
    toBranch(rig, 'new');
    expect(edit()).toMatchObject(SILENT);
    const file = '.git/requirements/feature-auth.json';
    const state = JSON.stringify(rig.readJson(file));
    rig.write(file, state.replace(/"expires_at":\d+/, `"expires_at":${secondsNow() - 9}`));
    deniedBecause(edit());
    expect(rig.req(['status', '--session', KEY]).stdout).toContain('Unsatisfied');
  });

  it.each([
    ['by name', ['plan']],
    ['by name and session', ['plan', '--session', KEY]],
    ['with everything', ['--all']],
    ['on a named branch', ['plan', '--branch', 'new']],
  ])('is cleared on all branches when it is cleared on one, %s', (_how, args) => {
    const { rig, edit, satisfy } = open();
    satisfy('plan', '--session', KEY);
    toBranch(rig, 'new');
    expect(edit()).toMatchObject(SILENT);
    expect(rig.req(['clear', ...args]).stdout).toContain("Cleared 'plan' on all branches");
    deniedBecause(edit());
    rig.git('switch', '--quiet', 'feature/auth');
    deniedBecause(edit());
  });

  it('is kept for the others when one session is cleared', () => {
    const { rig, edit, satisfy } = open();
    satisfy('plan', '--session', KEY);
    satisfy('plan', '--session', OTHER_SESSION);
    toBranch(rig, 'new');
    rig.req(['clear', 'plan', '--session', KEY]);
    deniedBecause(edit());
    expect(edit({ session_id: OTHER_SESSION })).toMatchObject(SILENT);
  });

  it('is taken over after /clear, on whichever branch that happens', () => {
    const { rig, on, edit, satisfy } = open();
    satisfy('plan', '--session', KEY);
    expect(edit()).toMatchObject(SILENT);
    toBranch(rig, 'new');
    rig.hook(on.end());
    rig.hook(on.start('clear', { session_id: OTHER_SESSION }));
    expect(edit({ session_id: OTHER_SESSION })).toMatchObject(SILENT);
    toBranch(rig, 'newer');
    expect(edit({ session_id: OTHER_SESSION })).toMatchObject(SILENT);
  });

  it('is asked for once at the end of a turn, however many branches it was triggered on', () => {
    const { rig, on, edit } = open('requirements: {notes: {enabled: true, stop_only: true}}');
    edit();
    toBranch(rig, 'new');
    edit();
    const reason = heldBecause(rig.hook(on.stop(false)));
    expect(reason.match(/req satisfy/g)).toHaveLength(1);
    expect(reason).not.toContain('on branch');
    rig.req(['satisfy', 'notes', '--session', KEY]);
    expect(rig.hook(on.stop(false, { prompt_id: 'next' }))).toMatchObject(SILENT);
  });

  it('is found when many write at once', async () => {
    const { rig, on } = open();
    await Promise.all([
      ...Array.from({ length: 4 }, () => rig.startReq(['satisfy', 'plan', '--session', KEY])),
      ...Array.from({ length: 4 }, () => rig.startHook(on.pre('Edit', { file_path: 'a' }))),
    ]);
    toBranch(rig, 'new');
    expect(project.edit()).toMatchObject(SILENT);
  });
});

describe('a pass for one action', () => {
  const COMMIT =
    'requirements: {review: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: git commit}]}}';

  it('goes along to another branch, and is used up there once', () => {
    const { rig, on, bash, satisfy } = open(COMMIT);
    satisfy('review', '--session', KEY);
    toBranch(rig, 'new');
    expect(bash('git commit -m x', { tool_use_id: 'c1' })).toMatchObject(SILENT);
    rig.hook(on.post('Bash', { command: 'git commit -m x' }, { tool_use_id: 'c1' }));
    deniedBecause(bash('git commit -m y'));
    rig.git('switch', '--quiet', 'feature/auth');
    deniedBecause(bash('git commit -m y'));
  });
});

describe('where each branch is satisfied anew', () => {
  it.each([
    ['the rule says per_branch: true', 'requirements: {plan: {enabled: true, per_branch: true}}', OWN],
    ['a file of the old framework has it', PLAN, '.claude/requirements.yaml'],
  ])('because %s', (_why, config, file) => {
    const { rig, edit, satisfy } = open(config, file);
    satisfy('plan', '--session', KEY);
    expect(edit()).toMatchObject(SILENT);
    toBranch(rig, 'new');
    expect(deniedBecause(edit())).toContain('in this session on branch new');
    rig.git('switch', '--quiet', 'feature/auth');
    expect(edit()).toMatchObject(SILENT);
  });

  it.each([
    ['our own file', 'requirements: {plan: {enabled: true, stop_only: true, per_branch: true}}', OWN],
    [
      'one of the old framework',
      'requirements: {plan: {enabled: true, stop_only: true}}',
      '.claude/requirements.yaml',
    ],
  ])('a turn held for another branch names the command for this session there: %s', (_what, config, file) => {
    const { rig, on, edit, sessionKeys } = open(config, file);
    edit();
    toBranch(rig, 'other');
    const reason = heldBecause(rig.hook(on.stop(false)));
    const command = `req satisfy plan --session ${KEY} --branch feature/auth`;
    const offered = [...reason.matchAll(/`(req [^`]+)`/g)].map(([, one]) => one);
    expect(new Set(offered)).toEqual(new Set([command]));
    expect(rig.req(command.split(' ').slice(1)).stdout).toContain("Satisfied 'plan' for feature/auth");
    expect(sessionKeys('plan')).toEqual([KEY]);
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
  });

  it('unless a file of the old framework says per_branch: false', () => {
    const { rig, edit, satisfy } = open(
      'requirements: {plan: {enabled: true, per_branch: false}}',
      '.claude/requirements.yaml',
    );
    satisfy('plan', '--session', KEY);
    toBranch(rig, 'new');
    expect(edit()).toMatchObject(SILENT);
  });

  it('a protected branch that a person opened is that one alone', () => {
    const { rig, edit } = open(
      'requirements: {safe: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [main, release]}}',
    );
    toBranch(rig, 'main');
    expect(rig.req(['approve', 'safe', '--session', KEY]).exitCode).toBe(0);
    expect(edit()).toMatchObject(SILENT);
    toBranch(rig, 'release');
    deniedBecause(edit());
  });
});

describe.each(['standard', 'relaxed', 'strict', 'advanced', 'inherit', 'minimal'])(
  'the preset %s',
  (preset) => {
    let config: string | undefined;

    /** A project on its main branch, with the config that `holdpoint init` writes. */
    function fresh(): Project {
      if (config === undefined) {
        const { rig } = open('');
        rig.git('branch', '-m', 'main');
        const done = rig.holdpoint(['init', '--yes', '--no-install', '--preset', preset]);
        expect(done.exitCode, done.stderr).toBe(0);
        config = readFileSync(join(rig.repo, OWN), 'utf8');
        rig.remove();
      }
      const one = open(config);
      one.rig.git('branch', '-m', 'main');
      return one;
    }

    /** What a person or the agent has to record for edits; each of them once. */
    const recorded = ({ edit, rig }: Project): string[] => {
      rig.git('switch', '--quiet', '-c', 'look');
      const { stdout } = edit();
      rig.git('switch', '--quiet', 'main');
      const names = new Set<string>();
      for (const [, list = ''] of stdout.matchAll(/req (?:satisfy|approve) ([\w ]+?) --session/g))
        for (const name of list.split(' ')) names.add(name);
      return [...names];
    };
    const steps: Record<string, (one: Project, names: string[]) => void> = {
      record: ({ satisfy }, names) => names.length > 0 && satisfy(...names, '--session', KEY),
      branch: ({ rig }) => toBranch(rig, 'work'),
      // A person's, where the branch is protected.
      commit: ({ bash, rig }) => {
        if (rig.git('branch', '--show-current') !== 'main')
          expect(bash('git commit -m x')).toMatchObject(SILENT);
        rig.git('commit', '--quiet', '--allow-empty', '-m', 'x');
      },
    };

    it.each([
      ['record', 'branch', 'commit'],
      ['branch', 'commit', 'record'],
      ['commit', 'record', 'branch'],
    ])('lets the work begin after %s, %s, %s', (...order) => {
      const one = fresh();
      const names = recorded(one);
      for (const step of order) if (step !== undefined) steps[step]?.(one, names);
      expect(one.edit()).toMatchObject(SILENT);
      toBranch(one.rig, 'another');
      expect(one.edit()).toMatchObject(SILENT);
      expect(one.rig.hook(one.on.stop(false)).stdout).not.toContain('"block"');
    });

    it('opens a pull request after review and branch in either order', () => {
      for (const order of [
        ['review', 'branch'],
        ['branch', 'review'],
      ]) {
        const one = fresh();
        const pr = () => one.bash('gh pr create --fill');
        const [, names = ''] = /req satisfy ([\w ]+?) --session/.exec(pr().stdout) ?? [];
        for (const step of order)
          if (step === 'branch') toBranch(one.rig, 'work');
          else if (names !== '') one.satisfy(...names.split(' '), '--session', KEY);
        expect(pr()).toMatchObject(SILENT);
        one.rig.remove();
      }
    });
  },
);
