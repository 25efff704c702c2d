import { existsSync, readFileSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { KEY, SESSION } from './events';
import { type Project, projectWith } from './requirements-project';
import { at, deniedBecause, type Ended, type HostDocument, template } from './rig';

const CONFIG = '.holdpoint/config.yaml';
const RULES = `requirements:
  plan: {enabled: true, on: edit, agent_may_satisfy: true}
  review: {enabled: true, on: commit, scope: single_use}
  protected_branch: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [main]}
`;

let project: Project;
afterEach(() => project.rig.remove());

function open(config = RULES): Project {
  const like = template(`effects of ${config}`, (rig) => {
    rig.write(CONFIG, config);
    rig.write('src/a.js', 'one\n');
    rig.git('add', '-A');
    rig.git('commit', '-qm', 'second');
    rig.git('branch', 'main');
  });
  project = projectWith('', CONFIG, like);
  project.send('SessionStart', { source: 'startup' });
  return project;
}

let calls = 0;

/** A command of the agent's: before it, what it really does, and after it. */
function run(command: string, act: () => void, ended = 'PostToolUse'): Ended {
  const members = {
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: `toolu_${++calls}`,
    prompt_id: 'p1',
  };
  expect(project.send('PreToolUse', members)).toMatchObject({ stdout: '' });
  act();
  return project.send(ended, { ...members, tool_response: { stdout: '' } });
}

const attempt = (command: string, id: string): Ended =>
  project.send('PreToolUse', {
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: id,
    prompt_id: 'p1',
  });
const stop = (active = false, more: HostDocument = {}): Ended =>
  project.send('Stop', {
    stop_hook_active: active,
    prompt_id: 'p1',
    last_assistant_message: 'Done.',
    ...more,
  });
const reason = ({ json }: Ended): string => String(at(json, 'reason') ?? '');
const told = ({ json }: Ended): string => String(at(json, 'systemMessage') ?? '');
const edit = (): void => project.rig.write('src/a.js', 'two\n');
const commit = (): void => void project.rig.git('commit', '--allow-empty', '-qm', 'x');
/** Commits, does this, and goes back to the commit before. */
const uncommit = (...then: string[]): void => {
  commit();
  if (then.length > 0) project.rig.git(...then);
  project.rig.git('reset', '-q', '--soft', 'HEAD~1');
};
const noPass = (): boolean => at(project.entry('review'), 'sessions', KEY) === undefined;

describe('files that a command has changed without the rule', () => {
  it('hold the end of the turn once, name the command to the person, and let go', () => {
    open();
    run('sh build.sh', edit);
    const held = stop();
    expect(reason(held)).toMatch(
      /`sh build.sh` changed src\/a\.js while `plan` was open[\s\S]*req satisfy plan[\s\S]*git restore/,
    );
    expect(told(held)).toBe('Holdpoint: `sh build.sh` changed src/a.js while `plan` was open.');
    const second = stop(true);
    expect(at(second.json, 'decision')).toBeUndefined();
    expect(told(second)).toContain('let this turn end although `sh build.sh` changed src/a.js');
    expect(stop(false, { prompt_id: 'p2' })).toMatchObject({ stdout: '' });
  });

  it('are fine once the rule is satisfied, or the change is taken back', () => {
    const { rig, satisfy } = open();
    run('sh build.sh', edit);
    expect(reason(stop())).toContain('src/a.js');
    rig.git('checkout', '--', 'src/a.js');
    expect(stop(true)).toMatchObject({ stdout: '' });
    run('sh build.sh', edit);
    satisfy('plan', '--session', KEY);
    expect(stop(false, { prompt_id: 'p2' })).toMatchObject({ stdout: '' });
  });

  it.each<[string, () => void]>([
    ['a person edits while the agent only reads', () => edit()],
    ['a person edits while the agent satisfies another rule', () => run('req satisfy review', edit)],
    ['what was dirty before stays as it is', () => run('sh x.sh', () => undefined)],
    ['an ignored file is written', () => run('sh x.sh', () => project.rig.write('out.log', 'x'))],
    [
      'Python leaves its bytecode',
      () => run('python3 -m unittest', () => project.rig.write('src/__pycache__/a.cpython-311.pyc', 'x')),
    ],
    ['a plan is written', () => run('sh x.sh', () => project.rig.write('docs/plans/a.md', 'x'))],
    [
      'a work tree is made within the project',
      () => run('git worktree add -q wt', () => project.rig.git('worktree', 'add', '-q', 'wt')),
    ],
    [
      'another branch is checked out',
      () => run('git checkout -q other', () => project.rig.git('checkout', '-q', 'other')),
    ],
  ])('are no matter where %s', (_sentence, act) => {
    const { rig } = open();
    rig.write('dirty.js', 'x');
    rig.write('.gitignore', '*.log\n');
    rig.git('add', '.gitignore');
    rig.git('commit', '-qm', 'third');
    rig.git('branch', 'other');
    project.send('SessionStart', { source: 'startup' });
    act();
    expect(stop()).toMatchObject({ stdout: '' });
  });

  it.each<[string, () => void, string]>([
    [
      'as on a branch that was there',
      () => run('git checkout main -- src/a.js', () => project.rig.git('checkout', 'main', '--', 'src/a.js')),
      '',
    ],
    [
      'as on a branch that the turn has made',
      () =>
        run('sh x.sh', () => {
          const { rig } = project;
          rig.git('checkout', '-qb', 'new');
          rig.write('src/a.js', 'three\n');
          rig.git('commit', '-qam', 'three');
          rig.git('checkout', '-q', '-');
          rig.git('checkout', 'new', '--', 'src/a.js');
        }),
      'changed src/a.js',
    ],
    [
      'gone, and not on that branch',
      () => run('sh x.sh', () => void project.rig.git('rm', '-qf', 'src/b.js')),
      'deleted src/b.js',
    ],
    [
      'not in git',
      () => run('sh x.sh', () => project.rig.write('src/new.js', 'three\n')),
      'changed src/new.js',
    ],
    [
      'hidden from git',
      () =>
        run('sh x.sh', () => {
          project.rig.git('update-index', '--assume-unchanged', 'src/a.js');
          project.rig.write('src/a.js', 'three\n');
        }),
      'changed src/a.js',
    ],
    [
      'a symlink to a file like that',
      () =>
        run('sh x.sh', () => {
          project.rig.write('copy.txt', 'one\n');
          unlinkSync(join(project.rig.repo, 'src/a.js'));
          symlinkSync('../copy.txt', join(project.rig.repo, 'src/a.js'));
        }),
      'src/a.js',
    ],
  ])('that are then %s', (_sentence, act, what) => {
    const { rig } = open();
    rig.git('checkout', '-qb', 'topic');
    rig.write('src/a.js', 'two\n');
    rig.write('src/b.js', 'two\n');
    rig.git('add', '-A');
    rig.git('commit', '-qm', 'third');
    project.send('SessionStart', { source: 'startup' });
    act();
    const held = reason(stop());
    expect(what === '' ? held : held.includes(what)).toBe(what === '' ? '' : true);
  });

  it('count where git can no longer tell what they are', () => {
    const { rig } = open();
    run('sh build.sh', () => {
      edit();
      rig.write('.git/index', 'x');
    });
    const why = reason(stop());
    expect(why).toContain('`sh build.sh` may have left the project so that git cannot tell what was changed');
    expect(why).toContain('repair it until `git status` works again');
  });

  it('count as done where the record of what ran cannot be read', () => {
    const { rig } = open();
    run('sh build.sh', edit);
    rig.write(`.git/holdpoint/changes/${KEY}.json`, 'x');
    run('sh other.sh', () => undefined);
    expect(reason(stop())).toContain('held: this session damaged the record of the commands that it ran');
    expect(told(stop(true))).toContain('damaged the record');
    expect(stop(false, { prompt_id: 'p2' })).toMatchObject({ stdout: '' });
  });

  it('count where they came with a directory that was moved', () => {
    const { rig } = open();
    rig.write('../n/a.js', 'two\n');
    run('sh build.sh', () => {
      renameSync(join(rig.repo, 'src'), join(rig.dir, 'o'));
      renameSync(join(rig.dir, 'n'), join(rig.repo, 'src'));
    });
    expect(reason(stop())).toContain('changed src/a.js');
  });

  it('are no matter where another session has edited them', () => {
    const { rig } = open();
    const env = { CLAUDE_PID: String(process.pid) };
    const other = { session_id: 'bbbbbbbb-2222-4222-8222-222222222222', cwd: rig.repo };
    rig.hook({ ...other, hook_event_name: 'SessionStart', source: 'startup' }, { env });
    project.satisfy('plan', '--session', 'bbbbbbbb');
    const tool_input = { file_path: join(rig.repo, 'src/a.js'), old_string: 'one', new_string: 'two' };
    const call = { tool_name: 'Edit', tool_input, tool_use_id: 'toolu_other' };
    expect(rig.hook({ ...other, hook_event_name: 'PreToolUse', ...call }, { env })).toMatchObject({
      stdout: '',
    });
    run('sh build.sh', edit);
    expect(stop()).toMatchObject({ stdout: '' });
  });

  it('count inside a repository within the project', () => {
    const { rig } = open();
    rig.write('lib/l.js', 'one\n');
    rig.git('init', '-q', 'lib');
    rig.git('-C', 'lib', 'add', '-A');
    rig.git('-C', 'lib', 'commit', '-qm', 'l');
    project.send('SessionStart', { source: 'startup' });
    run('sh build.sh', () => rig.write('lib/l.js', 'two\n'));
    expect(reason(stop())).toContain('changed lib/l.js');
  });

  it('count after a call of a tool that nobody knows', () => {
    const { send } = open();
    const members = { tool_name: 'FooEdit', tool_input: { target: 'src/a.js' }, tool_use_id: 'toolu_x' };
    expect(send('PreToolUse', members)).toMatchObject({ stdout: '' });
    edit();
    expect(reason(stop())).toContain('`FooEdit` changed src/a.js');
  });

  it('count after a call that wrote a file elsewhere', () => {
    const { rig, send } = open();
    const members = {
      tool_name: 'Write',
      tool_input: { file_path: join(rig.home, '.gitconfig'), content: '' },
    };
    expect(send('PreToolUse', { ...members, tool_use_id: 'toolu_w' })).toMatchObject({ stdout: '' });
    run('git status', edit);
    expect(reason(stop())).toContain('`Write` changed src/a.js');
  });

  it.each([
    [
      ['update-index', '--assume-unchanged', 'src/a.js'],
      ['update-index', '-q', '--refresh'],
    ],
    [
      ['update-index', '--skip-worktree', 'src/a.js'],
      ['update-index', '-q', '--refresh'],
    ],
    [
      ['rm', '-q', '--cached', 'src/a.js'],
      ['commit', '-qm', 'x'],
    ],
  ])('are found if they were removed, even hidden by git or committed: %j', (before, after) => {
    const { rig } = open('requirements: {keep: {enabled: true, on: delete}}\n');
    run('sh build.sh', () => {
      rig.git(...before);
      unlinkSync(join(rig.repo, 'src/a.js'));
      rig.git(...after);
    });
    expect(reason(stop())).toContain('deleted src/a.js');
  });

  it('that were moved by git were not removed, committed or not', () => {
    const { rig } = open('requirements: {keep: {enabled: true, on: delete}}\n');
    rig.write('src/long.js', 'a line\n'.repeat(20));
    rig.git('add', '-A');
    rig.git('commit', '-qm', 'long');
    run('sh build.sh', () => rig.git('mv', 'src/long.js', 'src/moved.js'));
    expect(stop()).toMatchObject({ stdout: '' });
    run('sh commit.sh', () => rig.git('commit', '-qm', 'moved'));
    expect(stop()).toMatchObject({ stdout: '' });
  });

  it('of a sparse checkout were not removed', () => {
    const { rig } = open('requirements: {keep: {enabled: true, on: delete}}\n');
    rig.git('sparse-checkout', 'set', '--no-cone', '/*', '!/src/a.js');
    run('sh build.sh', () => rig.write('src/b.js', 'x\n'));
    expect(stop()).toMatchObject({ stdout: '' });
  });

  it.each(['--assume-unchanged', '--skip-worktree'])(
    'count also where git was told to look away: %s',
    (flag) => {
      const { rig } = open();
      run('sh build.sh', () => {
        rig.git('update-index', flag, 'src/a.js');
        edit();
      });
      expect(reason(stop())).toContain('changed src/a.js');
    },
  );

  it('are those of another work tree too, where the config is not committed', () => {
    const { rig } = open();
    rig.git('worktree', 'add', '-q', '../wt', '-b', 'wt', 'HEAD~1');
    const members = {
      tool_name: 'Write',
      tool_input: { file_path: join(rig.dir, 'wt/b.js'), content: 'x' },
      tool_use_id: 'toolu_wt',
      cwd: join(rig.dir, 'wt'),
    };
    expect(deniedBecause(project.send('PreToolUse', members))).toContain('plan');
  });

  it('are no matter where they were written before the session and committed in it', () => {
    project = projectWith(RULES.replace(/ {2}review.*\n/, ''), '.holdpoint/config.yaml');
    const { rig } = project;
    rig.write('src/a.js', 'mine\n');
    project.send('SessionStart', { source: 'startup' });
    // Longer than the clocks of files may be behind.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    run('git add -A && git commit -qm x', () => {
      rig.git('add', '-A');
      rig.git('commit', '-qm', 'x');
    });
    expect(stop()).toMatchObject({ stdout: '' });
  });

  it('are taken back by the commands that the hold names, which are not held', () => {
    const { rig } = open(`${RULES}hooks: {stop: {verify_requirements: true}}\n`);
    run('sh x.sh', () => {
      edit();
      rig.git('commit', '-qam', 'x');
      rig.write('new.js', 'x\n');
    });
    const held = reason(stop());
    for (const [named, more] of [
      ['git reset --soft', 'HEAD~1'],
      ['git stash push -u --', 'new.js'],
      ['git stash drop', ''],
      ['git restore --staged --worktree', 'src/a.js'],
    ] as const) {
      expect(held).toContain(`\`${named}`);
      const words = `${named} ${more}`.trim();
      run(words, () => rig.git(...words.split(' ').slice(1)));
    }
    expect(stop(true)).toMatchObject({ stdout: '' });
  });

  it.each<[string, string[]]>([
    ['rebased onto', ['rebase', '-q', 'theirs']],
    ['merged', ['merge', '-q', '--no-edit', 'theirs']],
  ])('are not those of a branch that was %s', (_, args) => {
    const { rig } = open('requirements: {plan: {enabled: true, on: edit}}\n');
    const add = (name: string): void => {
      rig.write(name, 'x\n');
      rig.git('add', name);
      rig.git('commit', '-qm', name);
    };
    rig.git('checkout', '-qb', 'theirs');
    add('theirs.txt');
    rig.git('checkout', '-q', '-');
    add('mine.txt');
    project.send('SessionStart', { source: 'startup' });
    run(`git ${args.join(' ')}`, () => rig.git(...args));
    expect(stop()).toMatchObject({ stdout: '' });
  });

  it('count also where the command has committed them, be it on another branch', () => {
    const { rig } = open(RULES.replace(/ {2}review.*\n/, ''));
    run('sh build.sh', () => {
      rig.git('checkout', '-qb', 'aside');
      edit();
      rig.git('commit', '-qam', 'x');
      rig.git('checkout', '-q', 'feature/auth');
    });
    expect(reason(stop())).toContain('src/a.js');
  });

  it('count also where the command has committed them', () => {
    const { rig } = open(RULES.replace(/ {2}review.*\n/, ''));
    run('sh build.sh', () => {
      edit();
      rig.git('commit', '-qam', 'x');
    });
    expect(reason(stop())).toContain('src/a.js');
  });
});

describe('files that were changed while their rule was satisfied', () => {
  const ONCE = `requirements: {plan: {enabled: true, on: edit, scope: single_use}}\n`;
  const toolEdit = (): void => {
    const file_path = join(project.rig.repo, 'src/a.js');
    const members = { tool_name: 'Edit', tool_input: { file_path, old_string: 'one', new_string: 'two' } };
    const call = { ...members, tool_use_id: `toolu_${++calls}`, prompt_id: 'p1' };
    expect(project.send('PreToolUse', call)).toMatchObject({ stdout: '' });
    project.rig.write('src/a.js', 'by the tool\n');
    project.send('PostToolUse', { ...call, tool_response: {} });
  };

  it.each<[string, () => void]>([
    ['an edit with its pass', toolEdit],
    ['a command with its pass', () => run('sed -i s/one/two/ src/a.js', edit)],
  ])('are no matter after %s, although another command ran before', (_sentence, act) => {
    const { satisfy } = open(ONCE);
    run('npm test', () => undefined);
    satisfy('plan', '--session', KEY);
    act();
    expect(reason(stop())).not.toContain('while `plan` was open');
  });

  it('count where a script has changed another one', () => {
    const { satisfy } = open(ONCE);
    run('npm test', () => undefined);
    satisfy('plan', '--session', KEY);
    toolEdit();
    run('sh later.sh', () => project.rig.write('src/b.js', 'x\n'));
    expect(reason(stop())).toMatch(/ changed src\/b\.js while `plan` was open/);
  });

  it('count where the pass was for another call', () => {
    const { satisfy } = open(ONCE);
    satisfy('plan', '--session', KEY);
    run('sh script.sh', () => project.rig.write('src/b.js', 'x\n'));
    toolEdit();
    expect(reason(stop())).toMatch(/`sh script.sh` changed src\/b\.js while `plan` was open/);
  });

  it('are no matter where the satisfaction has run out since', () => {
    const { rig, satisfy } = open('requirements: {plan: {enabled: true, on: edit, per_branch: true}}\n');
    run('npm test', () => undefined);
    satisfy('plan', '--session', KEY);
    toolEdit();
    run('git switch -qc other', () => rig.git('switch', '-qc', 'other'));
    expect(reason(stop())).not.toContain('while `plan` was open');
  });

  it('or whose rule is for the end of the turn only hold that end, as they should', () => {
    open('requirements: {changelog: {enabled: true, on: edit, stop_only: true}}\n');
    run('sh script.sh', edit);
    const held = stop();
    expect(reason(held)).toContain('changelog');
    expect(reason(held) + told(held)).not.toContain('was open');
  });
});

describe('commits without the rule', () => {
  it('count also where the command line shows only afterwards that it commits', () => {
    const { rig } = open();
    const ended = run('sh alias.sh; git ci', () => {
      rig.git('config', 'alias.ci', 'commit --allow-empty -qm x');
      rig.git('ci');
    });
    expect(told(ended)).toContain('committed on feature/auth while `review` was open');
    expect(reason(stop())).toContain('committed on feature/auth');
  });

  it('are told right after the command, once, and hold the end of the turn', () => {
    open();
    const first = run('sh x.sh', commit);
    expect(told(first)).toBe('Holdpoint: `sh x.sh` committed on feature/auth while `review` was open.');
    expect(run('sh y.sh', () => undefined)).toMatchObject({ stdout: '' });
    expect(reason(stop())).toContain('`review` was open');
  });

  it('are not washed by a push', () => {
    const { rig } = open();
    rig.git('init', '-q', '--bare', '../origin');
    rig.git('remote', 'add', 'origin', '../origin');
    const pushed = run('sh x.sh', () => {
      commit();
      rig.git('push', '-q', 'origin', 'HEAD');
    });
    expect(told(pushed)).toContain('`sh x.sh` committed on feature/auth');
  });

  it.each<[string, string[]]>([
    ['an older commit', ['checkout', '-q', 'HEAD~1']],
    ['a branch at an older commit', ['branch', 'safety', 'HEAD~1']],
    ['a step back', ['reset', '-q', '--hard', 'HEAD~1']],
  ])('are none where %s is chosen that the log of HEAD does not name', (_sentence, args) => {
    const { rig } = open();
    commit();
    // As in a new clone.
    rig.git('reflog', 'expire', '--expire=all', '--all');
    project.send('SessionStart', { source: 'startup' });
    expect(run(`git ${args.join(' ')}`, () => rig.git(...args))).toMatchObject({ stdout: '' });
    rig.git('checkout', '-q', 'feature/auth');
    expect(stop()).toMatchObject({ stdout: '' });
  });

  it('are told of where a pass for another one is there, and use it up', () => {
    open();
    project.satisfy('review', '--session', KEY);
    expect(run('sh x.sh', commit)).toMatchObject({ stdout: '' });
    expect(noPass()).toBe(true);
    deniedBecause(attempt('git commit -m b', 'toolu_y'));
    expect(stop()).toMatchObject({ stdout: '' });
    run('sh x.sh', commit);
    expect(reason(stop(false, { prompt_id: 'p2' }))).toContain('`review` was open');
  });

  it.each<[string, (() => void)[]]>([
    ['in two commands', [commit, commit]],
    ['in one command', [() => [commit, commit].forEach((act) => void act())]],
  ])('are two where there is a pass for one, %s', (_sentence, acts) => {
    open();
    project.satisfy('review', '--session', KEY);
    const notes = acts.map((act) => told(run('sh x.sh', act)));
    expect(notes.pop()).toContain('`sh x.sh` committed on feature/auth while `review` was open');
    expect(notes.join('')).toBe('');
    expect(reason(stop())).toContain('`review` was open');
    project.satisfy('review', '--session', KEY);
    expect(stop()).toMatchObject({ stdout: '' });
  });

  it('are covered by a pass that is given afterwards, and use it up', () => {
    open();
    run('sh x.sh', commit);
    project.satisfy('review', '--session', KEY);
    expect(stop()).toMatchObject({ stdout: '' });
    deniedBecause(attempt('git commit -m again', 'toolu_z'));
  });

  it.each([
    ['fetch origin: storing head', true],
    ['fetch -q origin main:main: fast-forward', true],
    ['pull --rebase origin main: fast-forward', true],
    ['fetch', false],
    ['fetch -q . work:refs/remotes/origin/work: storing head', false],
    ['fetch ../other work: storing head', false],
  ])('come from a remote where git says so: %s, %s', (how, isReal) => {
    const { rig } = open();
    run('sh x.sh', () => {
      const made = rig.git('commit-tree', '-p', 'HEAD', '-m', 'x', 'HEAD^{tree}');
      rig.git('update-ref', '--create-reflog', '-m', how, 'refs/remotes/origin/feature/auth', made);
      rig.git('merge', '-q', '--ff-only', made);
    });
    expect(reason(stop()) === '').toBe(isReal);
  });

  it('are no matter where they come from the remote, or are taken back', () => {
    const { rig } = open();
    run('git pull', () => {
      const pulled = rig.git('commit-tree', '-p', 'HEAD', '-m', 'theirs', 'HEAD^{tree}');
      const remote = 'refs/remotes/origin/feature/auth';
      rig.git('update-ref', '--create-reflog', '-m', 'fetch origin: storing head', remote, pulled);
      rig.git('merge', '-q', '--ff-only', pulled);
    });
    run('sh x.sh', commit);
    rig.git('reset', '-q', '--soft', 'HEAD~1');
    expect(stop()).toMatchObject({ stdout: '' });
  });
});

describe('a pass for one commit', () => {
  it.each<[string, () => void, RegExp]>([
    [
      'an edit by a script that it takes along',
      () => run('sh x.sh', edit),
      /changed src\/a\.js while `plan` was open/,
    ],
    [
      'another branch that is moved with it',
      () => void project.rig.git('branch', '-f', 'main', 'HEAD'),
      /moved the protected branch main/,
    ],
  ])('covers no other rule: %s', (_sentence, act, expected) => {
    const { rig, satisfy } = open();
    if (String(expected).includes('plan')) act();
    satisfy('review', '--session', KEY);
    run('git commit -qam x && sh release.sh', () => {
      rig.git('commit', '--allow-empty', '-qam', 'x');
      if (String(expected).includes('main')) act();
    });
    expect(reason(stop())).toMatch(expected);
    expect(reason(stop())).not.toContain('while `review` was open');
  });

  it('is not recorded by the line that is held for it', () => {
    open();
    const line = `req satisfy review --session ${KEY} && git commit -m x`;
    expect(deniedBecause(attempt(line, 'toolu_own'))).toContain(
      'then record it for this one call, in a call of its own before it: `req satisfy review',
    );
  });

  it('is taken by the first of two calls', () => {
    const { satisfy } = open();
    satisfy('review', '--session', KEY);
    expect(attempt('git commit -m a', 'toolu_a')).toMatchObject({ stdout: '' });
    expect(attempt('git commit -m a', 'toolu_a')).toMatchObject({ stdout: '' });
    expect(deniedBecause(attempt('git commit -m b', 'toolu_b'))).toContain('it commits');
  });

  it('lets one of two calls through that come at the same moment', async () => {
    const { rig, satisfy } = open();
    satisfy('review', '--session', KEY);
    const begin = (id: string): Promise<Ended> => {
      const members = { tool_name: 'Bash', tool_input: { command: 'git commit -m a' }, tool_use_id: id };
      return rig.startHook({ session_id: SESSION, hook_event_name: 'PreToolUse', cwd: rig.repo, ...members });
    };
    const answers = await Promise.all([begin('toolu_1'), begin('toolu_2'), begin('toolu_3')]);
    expect(answers.filter(({ stdout }) => stdout === '')).toHaveLength(1);
  });

  it.each<[string, () => void, boolean]>([
    ['given back where the call has changed nothing', () => undefined, false],
    ['given back where the call has only switched', () => project.rig.git('checkout', '-qb', 'x'), false],
    ['used up where the call has committed and then failed', () => commit(), true],
    ['used up where the call has taken its commit back', () => uncommit(), true],
    [
      'used up where the call has left its commit to a tag, and no reflog of it',
      () => {
        uncommit('tag', 'v1');
        project.rig.git('reflog', 'expire', '--expire=now', '--all');
      },
      true,
    ],
  ])('is %s', (_sentence, act, isGone) => {
    const { satisfy } = open();
    satisfy('review', '--session', KEY);
    run('git commit -m a; false', act, 'PostToolUseFailure');
    expect(noPass()).toBe(isGone);
    const again = attempt('git commit -m b', 'toolu_c');
    if (isGone) deniedBecause(again);
    else expect(again).toMatchObject({ stdout: '' });
  });

  it('can be used in a later turn where its call was never run', () => {
    const { satisfy } = open();
    satisfy('review', '--session', KEY);
    attempt('git commit -m a', 'toolu_d');
    const later = { tool_name: 'Bash', tool_input: { command: 'git commit -m a' }, tool_use_id: 'toolu_e' };
    expect(project.send('PreToolUse', { ...later, prompt_id: 'p2' })).toMatchObject({ stdout: '' });
  });

  it.each(['git commit -m a; git commit -m a', 'git cherry-pick main~1 main', 'git revert HEAD~2..HEAD'])(
    'is not for several commits in one line: %s',
    (command) => {
      const { satisfy } = open();
      const told = 'one commit in each call';
      expect(deniedBecause(attempt(command, 'toolu_e'))).toContain(told);
      satisfy('review', '--session', KEY);
      expect(deniedBecause(attempt(command, 'toolu_f'))).toContain(told);
    },
  );

  it.each(['git push origin HEAD', 'sh release.sh'])('for a push is for all it pushes: %s', (command) => {
    const { rig, satisfy } = open('requirements: {release: {enabled: true, on: push, scope: single_use}}\n');
    rig.git('init', '-q', '--bare', '../origin');
    rig.git('remote', 'add', 'origin', '../origin');
    for (const subject of ['one', 'two']) run(`git commit -m ${subject}`, commit);
    satisfy('release', '--session', KEY);
    run(command, () => rig.git('push', '-q', 'origin', 'HEAD'));
    expect(stop()).toMatchObject({ stdout: '' });
    deniedBecause(attempt('git push origin HEAD', 'toolu_h'));
  });

  it('is still there for the rest of a rebase that has stopped at a conflict', () => {
    const { rig, satisfy } = open();
    rig.git('checkout', '-qb', 'other', 'HEAD~1');
    rig.write('src/a.js', 'theirs\n');
    rig.git('add', '-A');
    rig.git('commit', '-qm', 'theirs');
    rig.git('checkout', '-q', 'feature/auth');
    satisfy('review', '--session', KEY);
    run('git rebase other', () => expect(() => rig.git('rebase', 'other')).toThrow(), 'PostToolUseFailure');
    run('git add -A', () => rig.git('add', '-A'));
    expect(attempt('git rebase --continue', 'toolu_g')).toMatchObject({ stdout: '' });
  });

  it.each([
    ['', 'git commit -m a', 'PostToolUse'],
    [', also where the line fails after it', 'git commit -m a && npm test', 'PostToolUseFailure'],
  ])('is enough for the commit that it was given for%s', (_sentence, command, ended) => {
    const { satisfy } = open();
    satisfy('review', '--session', KEY);
    expect(run(command, commit, ended)).toMatchObject({ stdout: '' });
    expect(noPass()).toBe(true);
    expect(stop()).toMatchObject({ stdout: '' });
  });
});

describe('a repository below the project', () => {
  it.each([
    ['git -C lib commit -m x', true],
    ['cd lib/src && git commit -am x', true],
    ['git init -q new && git -C new commit --allow-empty -m x', true],
    ['git -C own commit -m x', false],
    ['git -C build/lib commit -m x', false],
    ['git -C lib checkout -b x && git -C lib tag v1 && git -C lib push origin HEAD', false],
  ])('has its commits held until it has a config of its own: %s', (command, isHeld) => {
    const { rig } = open(RULES.replace(/ {2}plan.*\n/, ''));
    rig.write('.gitignore', 'build/\n');
    for (const path of ['lib', 'own', 'build/lib']) {
      rig.write(`${path}/src/x.js`, 'x\n');
      rig.git('init', '-q', path);
    }
    rig.write('own/.holdpoint/config.yaml', 'requirements: {}\n');
    if (isHeld) expect(deniedBecause(attempt(command, 'toolu_n'))).toContain('it commits');
    else expect(attempt(command, 'toolu_n')).toMatchObject({ stdout: '' });
  });
});

describe('a commit that only a tag holds', () => {
  it('holds the end of the turn', () => {
    open();
    run('sh x.sh', () => uncommit('tag', 'v1'));
    expect(reason(stop())).toContain('`sh x.sh` committed on the tag v1 while `review` was open');
  });

  it('is fine where it had its approval', () => {
    const { satisfy } = open();
    satisfy('review', '--session', KEY);
    run('git commit -m a && sh x.sh', () => uncommit('tag', 'v1'));
    expect(stop()).toMatchObject({ stdout: '' });
  });

  it.each<[string, () => void]>([
    ['names a commit of a branch', () => project.rig.git('tag', '-am', 'x', 'v1', 'HEAD~1')],
    ['was there before', () => undefined],
    [
      'was fetched',
      () => {
        const other = join(project.rig.dir, 'other');
        project.rig.git('clone', '-q', '.', other);
        for (const line of ['commit --allow-empty -qm x', 'tag v2', 'reset -q --hard HEAD~1'])
          project.rig.git('-C', other, ...line.split(' '));
        project.rig.git('fetch', '-q', other, 'tag', 'v2');
      },
    ],
  ])('is no matter where the tag %s', (_sentence, act) => {
    open();
    uncommit('tag', 'old');
    project.send('SessionStart', { source: 'startup' });
    run('sh x.sh', act);
    expect(stop()).toMatchObject({ stdout: '' });
  });
});

describe('a protected branch', () => {
  it('is held if the line goes back to it, or pushes it with all others', () => {
    open();
    project.rig.git('switch', '-q', 'main');
    project.rig.git('switch', '-q', '-');
    const held = /branch main is protected/i;
    expect(deniedBecause(attempt('git checkout - && git merge feature/auth', 'toolu_b'))).toMatch(held);
    expect(attempt('git push --all origin', 'toolu_a').stdout).toContain('protected_branch');
    expect(attempt('git checkout - && git log', 'toolu_l')).toMatchObject({ stdout: '' });
  });

  it.each([
    ['git push origin HEAD:main', 'Push to a branch of your own.'],
    ['git branch -f main HEAD~1', 'Leave it to the user, and work on a branch of your own.'],
    ['git update-ref refs/heads/main HEAD~1', 'and work on a branch of your own.'],
    ['gh repo sync o/r --branch main --source o/fork --force', 'Leave the merge to the user.'],
    ['tea pr merge 3', 'Leave the merge to the user.'],
    ['git switch main && git merge feature/auth', 'Leave the merge to the user.'],
    [
      'git push -o merge_request.create -o merge_request.auto_merge origin HEAD',
      'Push to a branch of your own.',
    ],
  ])('is not written from another one: %s', (command, instead) => {
    open();
    const reason = deniedBecause(attempt(command, 'toolu_p'));
    expect(reason).toMatch(/branch main is protected/i);
    expect(reason).toContain(instead);
  });

  it.each([
    ['git worktree add ../x -b y && cd ../x && echo 1 > a.js && git add -A && git commit -m y', true],
    ['git worktree add .trees/x feature/auth && sed -i s/one/two/ .trees/x/src/a.js', true],
    ['git worktree add -f ../x main && echo 1 > ../x/a.js', false],
    ['git worktree add src -b y; echo 1 > src/a.js', false],
    ['git worktree add ../x -b y; ln -s $PWD/src ../x/s; echo 1 > ../x/s/a.js', false],
    ['git worktree add -f ../x main && cd ../x && git switch -q -c y && echo 1 > a.js', true],
    [
      'git worktree add ../x -b y && cd ../x && git switch --ignore-other-worktrees main && echo 1 > a.js',
      false,
    ],
  ])('lets the line work in a tree that it adds for another one: %s', (command, isFree) => {
    open().rig.git('switch', '-q', 'main');
    const { satisfy } = project;
    satisfy('plan', 'review', '--session', KEY);
    expect(attempt(command, 'toolu_w').stdout === '').toBe(isFree);
  });

  it.each([
    `git push ../origin "HEAD:\${BASE:-main}"`,
    'git push ../origin HEAD:m$B',
    'git push ../origin HEAD:refs/heads/$B',
    'git push ../origin "HEAD:$(basename refs/heads/main)"',
    'case $(uname) in Linux) B=main;; *) B=x;; esac; git push ../origin HEAD:$B',
    'echo main | xargs -I{} git push ../origin HEAD:{}',
    'mapfile -t B < <(echo main); git push "$REMOTE" "HEAD:$B"',
    'git push nowhere "HEAD:$B"',
    'git switch -q "$B"; git push ../origin',
  ])('is not pushed to where nothing would show it, by a name that is only computed: %s', (command) => {
    open().rig.git('remote', 'add', 'origin', '../origin');
    const reason = deniedBecause(attempt(command, 'toolu_u'));
    expect(reason).toContain('the line does not tell which branch it pushes to, and main is protected');
    expect(reason).toContain('Push to a branch of your own, and write its name out.');
  });

  it.each([
    `python3 -c "import os; os.system(f'git push ../origin HEAD:{b}')"`,
    `python3 -c "import os; os.system('git push %s HEAD:%s' % ('../origin', 'main'))"`,
    `python3 -c "import os; os.system('git push ' + u + ' HEAD:main')"`,
    `python3 -c "import subprocess as s; v = 'push'; s.run(['git', v, '../origin', 'HEAD:main'])"`,
    `python3 -c "import subprocess as s; s.run(['git', 'push', u, b])"`,
    `python3 -c "import subprocess as s; g = 'git'; v = 'push'; s.run([g, v, '../origin', 'HEAD:main'])"`,
    `python3 -c "import subprocess as s; s.run(['git'] + 'push ../origin HEAD:main'.split())"`,
    `node -e 'require("child_process").execSync(\`git push ../origin HEAD:\${b}\`)'`,
    `node -e 'require("child_process").execFileSync("git", "push ../origin HEAD:main".split(" "))'`,
    `node -e 'const a = ["push"]; require("child_process").spawnSync("git", a.concat(b))'`,
    `perl -e 'exec qw(git push ../origin HEAD:main)'`,
    `perl -e 'exec qw[git push ../origin HEAD:main]'`,
    `ruby -e 'system(*%w(git push ../origin HEAD:main))'`,
    "bash <(echo 'git push ../origin HEAD:main')",
    'case x in x) C=push;; esac; git $C ../origin HEAD:main',
    'case x in x) G=git;; esac; $G push ../origin HEAD:main',
  ])('is not pushed to by code that builds the call: %s', (command) => {
    open().rig.git('remote', 'add', 'origin', '../origin');
    expect(deniedBecause(attempt(command, 'toolu_c'))).toMatch(/\bmain is protected/);
  });

  it.each([
    ['delete_branch', { branch: 'main' }, { branch: 'old' }],
    ['update_reference', { ref: 'heads/main', sha: 'a' }, { ref: 'heads/x', sha: 'a' }],
    ['sync_fork', { branch: 'main' }, { branch: 'x' }],
  ])('is not written by a tool that can write others: %s', (tool, held, free) => {
    open(RULES.replace(/ {2}(?:plan|review).*\n/g, ''));
    const call = (tool_input: HostDocument): Ended =>
      project.send('PreToolUse', { tool_name: `mcp__github__${tool}`, tool_input, tool_use_id: 'toolu_m' });
    expect(deniedBecause(call(held))).toMatch(/branch main is protected/i);
    expect(call(free)).toMatchObject({ stdout: '' });
  });

  it.each([
    `python3 -c "import subprocess as s; s.run(['git', 'push', '../origin', 'HEAD:x'], check=True)"`,
    `python3 -c "import subprocess as s; s.run(['git', 'push', 'origin', b], check=True)"`,
    `python3 -c "import subprocess as s; s.run(['git', 'push', u, f'HEAD:feature/{n}'])"`,
    `python3 -c "import subprocess as s; s.run('git push ../origin HEAD:x', shell=True)"`,
    `python3 -c "import subprocess as s; print(s.run(['grep', '-rn', 'git push', p]), 'push to git')"`,
    `python3 -c "import subprocess as s; s.run(['git', 'log', '--grep', 'push', p])"`,
    `node -e 'const o = []; o.push(require("child_process").execFileSync("git", ["log", b])); o'`,
    `perl -e 'print for grep { /push/ } qx(git log)'`,
    "bash <(echo 'git status')",
    'for c in status log; do git $c; done; echo "git push" >> /tmp/notes',
    'gh repo sync o/r --branch x',
    'gh repo sync',
    'tea pr list',
    'git push ../origin HEAD:feature/x',
    'git push ../origin "HEAD:feature/$(date +%s)"',
    'git push ../origin "refs/tags/v$VERSION"',
    'git push ../origin HEAD',
    'B=x; git push ../origin HEAD:$B',
    'git push -u origin "$(git branch --show-current)"',
    'git push origin "HEAD:$B"',
    'cd "$(git rev-parse --show-toplevel)" && git push',
    'git switch -q "$B" && git push',
    'cd "$DIR" && git push origin "$B"',
  ])('does not stand in the way of a push to another one: %s', (command) => {
    open(RULES.replace(/ {2}(?:plan|review).*\n/g, '')).rig.git('remote', 'add', 'origin', '../origin');
    expect(attempt(command, 'toolu_o')).toMatchObject({ stdout: '' });
  });

  it('is waived alone: not written from another one that a person opened', () => {
    const { rig } = open(RULES.replace(/ {2}(?:plan|review).*\n/g, '').replace('[main]', '[main, release]'));
    rig.git('branch', 'release');
    rig.git('switch', '-q', 'main');
    expect(rig.req(['approve', 'protected_branch', '--session', KEY]).exitCode).toBe(0);
    expect(attempt('git push origin main', 'toolu_m')).toMatchObject({ stdout: '' });
    const held = deniedBecause(attempt('git push origin main:release', 'toolu_r'));
    expect(held).toMatch(/branch release is protected/i);
    expect(held).toContain(`req approve protected_branch --session ${KEY} --branch release\``);
    expect(deniedBecause(attempt('git branch -d release', 'toolu_d'))).toContain('Leave it to the user');
    const moved = run('sh x.sh', () => {
      rig.git('branch', '-f', 'release', 'HEAD~1');
      rig.git('commit', '--allow-empty', '-qm', 'x');
    });
    expect(told(moved)).toBe(
      'Holdpoint: `sh x.sh` moved the protected branch release while `protected_branch` was open.',
    );
  });

  it('is nobody’s doing where it moved between two turns', () => {
    const { rig } = open();
    run('npm run build', () => undefined);
    stop();
    rig.git('branch', '-f', 'main', 'HEAD~1');
    expect(told(run('npm run build', () => undefined))).toBe('');
    expect(stop()).toMatchObject({ stdout: '' });
  });

  it.each([
    ['exclude_paths: [docs/]', ['docs/a.md'], ['src/a.js']],
    ['paths: [src/]', ['docs/a.md'], ['src/a.js']],
  ])('is free for edits that the rule leaves out: %s', (key, free, held) => {
    const rule = RULES.replace(/ {2}(?:plan|review).*\n/g, '').replace('type: guard', `type: guard, ${key}`);
    open(rule).rig.git('checkout', '-q', 'main');
    for (const path of free) expect(attempt(`echo x > ${path}`, 'toolu_a')).toMatchObject({ stdout: '' });
    for (const path of held) deniedBecause(attempt(`echo x > ${path}`, 'toolu_b'));
    deniedBecause(attempt('git commit -am x', 'toolu_c'));
  });

  it('is not moved by a script either', () => {
    open();
    const moved = run('sh x.sh', () => project.rig.git('branch', '-f', 'main', 'HEAD~1'));
    expect(told(moved)).toBe(
      'Holdpoint: `sh x.sh` moved the protected branch main while `protected_branch` was open.',
    );
    expect(reason(stop())).toMatch(
      /moved the protected branch main[\s\S]*Or tell the user, who can move it back/,
    );
  });

  it('is not deleted at the remote by a command that only makes git forget it', () => {
    const { rig } = open();
    const known = () => rig.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    const forget = () => rig.git('update-ref', '-d', 'refs/remotes/origin/main');
    known();
    run('ls -la | sh', () => undefined);
    expect(run('git remote prune origin && git branch -vv', forget)).toMatchObject({ stdout: '' });
    expect(stop()).toMatchObject({ stdout: '' });
    known();
    run('ls -la | sh', () => undefined);
    for (const [command, act] of [
      ['sh x.sh', forget],
      ['git remote prune origin', () => undefined],
    ] as const)
      run(command, act);
    expect(reason(stop(false, { prompt_id: 'p2' }))).toContain('deleted the protected branch origin/main');
  });

  it('is free for what it was always free for', () => {
    const { rig } = open(RULES.replace(/ {2}(?:plan|review).*\n/g, ''));
    rig.git('checkout', '-q', 'main');
    for (const command of [
      'git status',
      'git pull',
      'git checkout -b x',
      'npm test',
      'git push origin HEAD:x',
      'git switch -c x && sed -i s/one/two/ src/a.js && git commit -am x',
    ])
      expect(attempt(command, `toolu_${command}`)).toMatchObject({ stdout: '' });
    rig.git('branch', 'there');
    for (const command of [
      'sed -i s/one/two/ src/a.js',
      'git commit -am x',
      // It may not have left the branch, or comes back, or has changed something before.
      'git switch -c there; sed -i s/one/two/ src/a.js',
      'git switch -c x || sed -i s/one/two/ src/a.js',
      'git switch -c x && git switch main && sed -i s/one/two/ src/a.js',
      'sed -i s/one/two/ src/a.js && git switch -c x && touch src/b.js',
      'cd nowhere; cd nor; cd here; cd either; cd q; git commit -am x',
    ])
      deniedBecause(attempt(command, `toolu_${command}`));
  });
});

it('what is satisfied on a branch counts for a line that works there, not for one that switches first', () => {
  const { rig, satisfy } = open(
    'requirements: {design: {enabled: true, on: [edit, commit], scope: branch}}\n',
  );
  satisfy('design', '--session', KEY);
  const lines = (branch: string): string[] => [
    `git switch ${branch} && git commit -am x`,
    `git switch ${branch} && sed -i s/one/two/ src/a.js`,
    `git checkout -q -b new-${branch} ${branch} && git add -A && git commit -m x && git push`,
  ];
  for (const command of [
    'git commit -am x',
    'sed -i s/one/two/ src/a.js && git commit -am x',
    'git switch main',
    'git stash; git switch main; git pull; git switch feature/auth; git merge main; git commit -am x',
  ])
    expect(attempt(command, `toolu_${command}`)).toMatchObject({ stdout: '' });
  for (const command of lines('main')) {
    const branch = command.includes('new-') ? 'new-main' : 'main';
    const told = deniedBecause(attempt(command, `toolu_${command}`));
    expect(told).toContain(`req satisfy design --session ${KEY} --branch ${branch}\``);
    satisfy('design', '--session', KEY, '--branch', branch);
    expect(attempt(command, `toolu_again_${command}`)).toMatchObject({ stdout: '' });
    rig.req(['clear', 'design', '--branch', branch]);
  }
  const unnamed = deniedBecause(attempt('git switch -c "fix/$NAME" && git commit -am x', 'toolu_unnamed'));
  expect(unnamed).toContain('is not satisfied on branch fix/$NAME');
  expect(unnamed).toContain('Write out the name of the branch.');
  expect(unnamed).not.toContain('--branch');
});

it('what is satisfied on a detached HEAD counts for commits there', () => {
  const { rig, satisfy } = open('requirements: {design: {enabled: true, on: commit, scope: branch}}\n');
  const detaching = 'git switch --detach && git commit --allow-empty -m x';
  satisfy('design', '--session', KEY);
  expect(deniedBecause(attempt(detaching, 'toolu_1'))).toContain('--branch _detached`');
  rig.git('switch', '-q', '--detach');
  satisfy('design', '--session', KEY);
  expect(attempt('git commit --allow-empty -m x', 'toolu_2')).toMatchObject({ stdout: '' });
  rig.git('switch', '-q', 'feature/auth');
  expect(attempt(detaching, 'toolu_3')).toMatchObject({ stdout: '' });
});

it('what git ignores is free, by its name and by a pattern', () => {
  const { rig } = open();
  rig.write('.gitignore', '*.log\n');
  for (const name of ['a.log', 'a.txt']) rig.write(name, '');
  for (const command of ['rm a.log', 'rm -f *.log', 'rm -rf **/*.log'])
    expect(attempt(command, `toolu_${command}`)).toMatchObject({ stdout: '' });
  deniedBecause(attempt('rm -f *.txt', 'toolu_t'));
});

it('the files of the older program keep their meaning', () => {
  project = projectWith(
    '{inherit: false, requirements: {protected_branch: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: ["feature/*"]}}}',
  );
  expect(attempt('git commit -m x', 'toolu_1')).toMatchObject({ stdout: '' });
  expect(attempt('sed -i s/a/b/ a', 'toolu_2')).toMatchObject({ stdout: '' });
  deniedBecause(project.edit());
});

it('nothing is kept of a session whose rules are satisfied, nor after its end', () => {
  const { rig, satisfy } = open('requirements: {plan: {enabled: true, on: [edit]}}');
  const file = join(rig.repo, `.git/holdpoint/changes/${KEY}.json`);
  const calls = (): unknown => at(JSON.parse(readFileSync(file, 'utf8')), 'calls');
  run('TOKEN=secret deploy --key secret', () => undefined);
  expect(JSON.stringify(calls())).not.toContain('secret');
  stop();
  satisfy('plan', '--session', KEY);
  run('sh x.sh', () => undefined);
  expect(calls()).toEqual([]);
  project.send('SessionEnd', { reason: 'clear' });
  expect(existsSync(file)).toBe(false);
});

it('a wrong word is an error with its place and the one that was meant', () => {
  project = projectWith(
    'requirements:\n  plan: {enabled: true, on: [edit, comit]}\n',
    '.holdpoint/config.yaml',
  );
  const shown = project.rig.holdpoint(['config']);
  expect(shown.stdout + shown.stderr).toMatch(
    /config\.yaml:2:\d+: error: `on\[1\]` must be one of edit, commit, push[\s\S]*did you mean `commit`\?/,
  );
});

it('says that files change where no single one can be named', () => {
  open();
  expect(deniedBecause(attempt('find . -name "*.js" -delete', 'toolu_found'))).toContain(
    'Bash (it changes files) is held',
  );
});

/** A command line with its work inside more groups than the parser takes, or behind more text. */
const TOO_MUCH: [string, (command: string) => string][] = [
  ['deep', (command) => `${'{ '.repeat(400)}${command}${'; }'.repeat(400)}`],
  ['long', (command) => `: ${'x'.repeat(2e6)}; ${command}`],
];

describe.each(TOO_MUCH)('a line too %s to be read is held as everything that it may do', (_, wrapped) => {
  it.each([
    ['edit', 'on: edit', 'echo x > src/a.js'],
    ['edit below `src`', 'on: edit, paths: ["src/**"]', 'echo x > src/a.js'],
    ['deletion', 'on: delete', 'rm src/a.js'],
    ['push', 'on: push', 'git pu""sh'],
    [
      'push to a protected branch',
      'type: guard, guard_type: protected_branch, protected_branches: [main]',
      'git push',
    ],
  ])('%s', (_, rule, command) => {
    open(`requirements: {plan: {enabled: true, ${rule}}}\n`);
    expect(deniedBecause(attempt(wrapped(command), 'toolu_much'))).toContain(
      'Bash (too long, or nested too deeply, to be read) is held',
    );
  });
});

it.each([
  [
    'git clone git@forge.test:me/app /k/c && cd /k/c && git push origin HEAD:main',
    'branch main is protected',
  ],
  [
    'cd $(mktemp -d); git clone -q git@forge.test:me/app.git r; cd r; git commit -am x; git push',
    'does not tell',
  ],
  ['git clone -b fix git@forge.test:me/app.git c && cd c && git commit -am x && git push', ''],
  ['git clone git@forge.test:me/other.git /k/c && cd /k/c && git push origin HEAD:main', ''],
  ['git -C ../there push origin HEAD:main', 'branch main is protected'],
  ['cd ../there && git commit -am x && git push', 'branch main is protected'],
  ['cd ../there && git push', ''],
  ['cd ../there && git switch -c fix && git commit -am x && git push -u origin fix', ''],
  ['cd ../other && git commit -am x && git push', ''],
])('a clone of the remote pushes to its protected branches as well: %s', (command, why) => {
  const { rig } = open(
    'requirements: {main: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [main]}}\n',
  );
  rig.git('remote', 'add', 'origin', 'git@forge.test:me/app.git');
  for (const [dir, name] of [
    ['there', 'app'],
    ['other', 'lib'],
  ] as const) {
    const git = (...args: string[]) => rig.git('-C', join(rig.dir, dir), ...args);
    rig.git('init', '-q', '-b', 'main', join(rig.dir, dir));
    git('commit', '-q', '--allow-empty', '-m', 'x');
    git('remote', 'add', 'origin', `git@forge.test:me/${name}`);
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    for (const key of ['branch.main.remote', 'branch.main.merge'])
      git('config', key, key.endsWith('remote') ? 'origin' : 'refs/heads/main');
  }
  const { stdout } = attempt(command, 'toolu_clone');
  if (why === '') expect(stdout).toBe('');
  else expect(stdout).toContain(why);
});

describe('a rule for each branch', () => {
  const onBranch = (): void => {
    open('requirements: {review: {enabled: true, scope: branch, on: commit}}\n');
    project.satisfy('review', '--session', SESSION);
  };
  const go = (...to: string[]): void => void project.rig.git('switch', '-q', ...to);
  const here = 'feature/auth';

  it.each([
    ['goes to another branch', [() => go('main'), commit], ''],
    ['makes a branch', [() => go('-c', 'new'), commit], ''],
    ['comes back', [() => go('main'), commit, () => go(here)], ' --branch main'],
  ])('holds the turn after a commit of a script that %s', (_what, acts, option) => {
    onBranch();
    const ended = run('sh x.sh', () => {
      for (const act of acts) act();
    });
    const branch = /committed on (\S+) while `review` was open/.exec(told(ended))?.[1] ?? '';
    expect(reason(stop())).toContain(`committed on ${branch} while \`review\` was open`);
    expect(reason(stop(false, { prompt_id: 'p2' }))).toContain(
      `\`req satisfy review --session ${KEY}${option}\``,
    );
    project.satisfy('review', '--session', SESSION, '--branch', branch);
    expect(stop(false, { prompt_id: 'p3' })).toMatchObject({ stdout: '' });
  });

  it.each([
    ['goes on elsewhere', () => go('main')],
    ['makes a branch of it', () => go('-c', 'new')],
    ['renames the branch', () => void project.rig.git('branch', '-m', 'new')],
    ['looks at the commit', () => go('--detach')],
  ])('holds nobody who commits where it is satisfied, and then %s', (_what, act) => {
    onBranch();
    run('sh x.sh', commit);
    expect(run('sh y.sh', act)).toMatchObject({ stdout: '' });
    expect(stop()).toMatchObject({ stdout: '' });
  });

  const forEdits = (): void => {
    open('requirements: {plan: {enabled: true, scope: branch, on: edit}}\n');
    project.satisfy('plan', '--session', SESSION);
  };

  it('holds the turn after an edit of a script that goes to another branch', () => {
    forEdits();
    run('sh x.sh', () => {
      go('main');
      project.rig.write('src/a.js', 'two\n');
    });
    expect(reason(stop())).toContain('changed src/a.js while `plan` was open');
    project.satisfy('plan', '--session', SESSION);
    expect(stop(false, { prompt_id: 'p2' })).toMatchObject({ stdout: '' });
  });

  it('holds nobody who edits by a script where it is satisfied, and then goes elsewhere', () => {
    forEdits();
    run('sh x.sh', edit);
    run('sh y.sh', () => void project.rig.git('checkout', '-q', '--detach'));
    expect(stop()).toMatchObject({ stdout: '' });
  });

  it('judges an edit on the branch that it was committed on, not on the one where the turn ends', () => {
    forEdits();
    const editAndLeave = (message: string): void => {
      edit();
      project.rig.git('commit', '-qam', message);
      go('main');
    };
    run('sh x.sh', () => editAndLeave('x'));
    expect(stop()).toMatchObject({ stdout: '' });
    run('sh y.sh', () => {
      go('-c', 'new');
      editAndLeave('y');
    });
    expect(reason(stop(false, { prompt_id: 'p2' }))).toContain(' --branch new`');
  });

  it('a protected branch may be where a turn ends whose work is committed on another', () => {
    open(
      'requirements: {main: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [main]}}\n',
    );
    project.rig.git('branch', '-f', 'main');
    run('sh x.sh', () => {
      edit();
      project.rig.git('commit', '-qam', 'x');
      go('main');
    });
    expect(stop()).toMatchObject({ stdout: '' });
    run('sh y.sh', () => project.rig.write('src/a.js', 'three\n'));
    expect(reason(stop(false, { prompt_id: 'p2' }))).toContain('changed src/a.js while `main` was open');
  });

  it('holds nobody who begins elsewhere', () => {
    onBranch();
    go('main');
    run('sh x.sh', () => undefined);
    run('git switch feature/auth', () => go(here));
    run('git commit -qm x', commit);
    expect(run('git switch main', () => go('main'))).toMatchObject({ stdout: '' });
    expect(stop()).toMatchObject({ stdout: '' });
  });
});
