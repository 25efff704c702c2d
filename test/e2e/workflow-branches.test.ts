import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, type Ended } from './rig';
import {
  bash,
  expectAllowed,
  expectDenied,
  inPhase,
  STATE_FILE,
  type WorkflowProject,
  workflowProject,
} from './workflow-project';

/** A line may have 5,000 commands; what has more cannot be read. */
const MANY = 900;

const STATE = inPhase('06-implementation', { git_branch: { name: 'feature/x', status: 'active' } });

/** A clone on `main`, with `ahead` one commit before it and `feature/x`; git ignores the workflow's directory. */
function branchProject(): WorkflowProject {
  const project = workflowProject();
  const { rig } = project;
  rig.write('.gitignore', '.isdlc\ndocs\n');
  rig.write('Makefile', 'all:\n');
  rig.write('package.json', '{"name": "x", "version": "1.0.0"}\n');
  rig.git('switch', '-q', '-c', 'main');
  rig.git('add', '.');
  rig.git('commit', '-q', '-m', 'second');
  rig.git('init', '-q', '--bare', '../tmp/remote.git');
  rig.git('remote', 'add', 'origin', '../tmp/remote.git');
  rig.git('push', '-q', '-u', 'origin', 'main');
  rig.git('switch', '-q', '-c', 'ahead');
  rig.git('commit', '-q', '--allow-empty', '-m', 'third');
  rig.git('branch', 'feature/x', 'main');
  rig.git('switch', '-q', 'main');
  project.state(STATE);
  return project;
}

function expectAsked({ json, stdout }: Ended): void {
  expect(at(json, 'hookSpecificOutput', 'permissionDecision'), stdout).toBe('ask');
}

let project: WorkflowProject;
beforeAll(() => {
  project = branchProject();
});
afterAll(() => project.rig.remove());

const judge = (command: string, cwd = project.rig.repo) => project.hook(bash(command, { cwd }));
const expectHeld = (command: string, cwd?: string) =>
  expectDenied(judge(command, cwd), 'COMMIT TO MAIN BLOCKED', "'main'");

describe('on main', () => {
  it.each([
    ['a merge without commit that moves main forward', 'git merge --no-commit ahead'],
    ['a push by force to the upstream', 'git push --force'],
    ['a version of npm', 'npm version patch'],
    ['a release of another program', 'npx release-it --ci'],
    ['a commit after a file was checked out', 'git checkout Makefile && git commit -am x'],
    ['a commit after a deleted file was checked out', 'rm Makefile; git checkout Makefile; git commit -am x'],
    ['a commit after pushd and popd', 'pushd ..; ls; popd; git commit -am x'],
    ['a commit after a branch that could not be made', 'git checkout -b feature/x\ngit commit -am x'],
    ['a commit in a line of 100 kB', `echo ${'x'.repeat(100_000)}\ngit commit -m x`],
    ['a commit with a message of 100 kB', `git commit -m '${'git status; '.repeat(9000)}'`],
  ])('is held: %s', (_, command) => expectHeld(command));

  it('what to do instead: a commit belongs to the other branch, a merge to the end of the workflow', () => {
    expectDenied(judge('git commit -m x'), 'Next: run `git switch feature/x` and do it there.');
    expectDenied(
      judge('git merge --no-ff ahead'),
      'Next: run `git switch feature/x` and work there; you can merge it when the workflow is finished.',
    );
    expectDenied(judge('git reset --hard HEAD~1'), 'Next: run `git switch feature/x` and work there;');
    project.rig.git('branch', '-m', 'feature/x', 'feature/y');
    const renamed = 'run `git switch -c feature/x`, or `git branch -m NEW feature/x` if it was renamed,';
    expectDenied(judge('git commit -m x'), `Next: ${renamed} and do it there.`);
    project.rig.git('branch', '-m', 'feature/y', 'feature/x');
  });

  it('is held: a commit after very many commands, or if that takes too long, the line for its length', () => {
    const ended = judge(`${'ls;'.repeat(4 * MANY)}${'true && '.repeat(MANY)}git commit -m x`);
    const isTooLong = ended.stdout.includes('too long to be checked in time');
    expectDenied(ended, isTooLong ? 'Split it into shorter commands.' : 'COMMIT TO MAIN BLOCKED');
  });

  it.each([
    ['a merge without commit of nothing new', 'git merge --no-commit feature/x'],
    ['a push of what the remote has already', 'git push'],
    ['a version of npm without commit', 'npm version patch --no-git-tag-version'],
    ['a commit on a branch that is made on the line before', 'git checkout -b feature/y\ngit commit -am x'],
    ['code that only prints', `node -e "console.log('git commit')"`],
    ['a heredoc that only prints', `python3 - <<'EOF'\nprint("git commit -m x")\nEOF`],
    ['very many commands without a commit', 'echo git commit;'.repeat(MANY)],
  ])('is not held: %s', (_, command) => expectAllowed(judge(command)));

  it.each([
    ['code that starts a program', `node -e "require('child_process').execSync('git commit -am x')"`],
    ['a commit after a checkout that may fail', 'git checkout feature/x\ngit commit -am x'],
    ['a merge without commit of an unknown branch', 'git merge --no-commit "$BRANCH"'],
    ['a commit after more commands than can be read', `${'ls;'.repeat(6 * MANY)}git commit -m x`],
  ])('is asked about: %s', (_, command) => expectAsked(judge(command)));

  it('a long line is judged in time', () => {
    const start = Date.now();
    expectHeld(`${'ls || '.repeat(3 * MANY)}git commit -m x`);
    expect(Date.now() - start).toBeLessThan(30_000);
  });
});

describe('from another branch', () => {
  beforeAll(() => void project.rig.git('switch', '-q', 'feature/x'));
  afterAll(() => void project.rig.git('switch', '-q', 'main'));

  it.each([
    ['a checkout of main on the line before', 'git checkout main\ngit commit -m x'],
    ['a checkout of main through a pipe', 'git checkout main 2>&1 | tail -1; git commit -m x'],
    ['the branch that was left last', 'git switch - && git commit -m x'],
    [
      'an upstream that push.default follows',
      'git branch -u origin/main; git -c push.default=upstream push -f',
    ],
  ])('is held: %s', (_, command) => expectHeld(command));

  it('an upstream in the settings counts as git reads it', () => {
    project.rig.git('branch', '-q', '-u', 'origin/main');
    // With git's default a branch is not pushed to one of another name.
    expectAllowed(judge('git push --force'));
    project.rig.git('config', 'push.default', 'upstream');
    expectHeld('git push --force');
    project.rig.git('config', '--unset', 'push.default');
  });

  it('an alias stands for what the settings say', () => {
    project.rig.git('config', 'alias.up', 'push origin HEAD:main');
    expectHeld('git up');
  });
});

describe('in a linked work tree, where git ignores the directory of the workflow', () => {
  let there: string;
  beforeAll(() => {
    there = join(project.rig.dir, 'linked');
    project.rig.git('worktree', 'add', '-q', '-b', 'side', there);
    mkdirSync(join(there, 'src'));
  });
  afterAll(() => rmSync(there, { recursive: true, force: true }));
  const env = () => ({ CLAUDE_PROJECT_DIR: there });

  it('the workflow of the main one counts', () => {
    const ended = project.hook(bash('git push origin HEAD:main', { cwd: join(there, 'src') }), {
      env: env(),
    });
    expectDenied(ended, 'COMMIT TO MAIN BLOCKED', 'Current branch: side');
  });

  it('a commit in the main one is judged there, one here is judged here', () => {
    const main = project.rig.repo;
    const held = project.hook(bash(`git -C ${main} commit -m x`, { cwd: there }), { env: env() });
    expectDenied(held, 'COMMIT TO MAIN BLOCKED', "'main'");
    expectDenied(
      project.hook(bash(`cd ${main} && git commit -m x`, { cwd: there }), { env: env() }),
      "'main'",
    );
    expectAllowed(project.hook(bash('git commit -m x', { cwd: there }), { env: env() }));
  });

  it('without a workflow there, nothing is held', () => {
    project.state({});
    expectAllowed(project.hook(bash('git push origin HEAD:main', { cwd: there }), { env: env() }));
    writeFileSync(join(project.rig.repo, STATE_FILE), JSON.stringify(STATE));
  });
});
