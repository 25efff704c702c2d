import { describe, expect, test } from 'vitest';
import { lookAfter, lookBefore } from '../../../src/guards/workflow/command-look';
import { RUNNERS, taskRunners } from '../../../src/shell/test-runner-table';

const ELSEWHERE = { branch: true, ownBranch: undefined };
const AT_HOME = { branch: true, ownBranch: 'feature/x' };
const NO_BRANCH = { branch: false, ownBranch: undefined };

describe('before a command, the model of the shell is not loaded for', () => {
  test.each([
    'ls -la',
    'git status',
    'git diff --stat && git log --oneline -5',
    'git add -A && git status 2>&1 | head -5',
    'cd sub && git status',
    'npm test',
    'npm run build 2>&1 | tail -20',
    'cat src/a.ts',
    'rm -rf dist',
    'echo "$HOME"',
  ])('%s', (command) => {
    expect(lookBefore(command, AT_HOME)).toBe(false);
    expect(lookBefore(command, ELSEWHERE)).toBe(false);
  });

  test.each([
    'git commit -m "fix: the thing"',
    "git add -A && git commit -am 'x'",
    'git add . && git commit -m "$(cat <<\'EOF\'\nfeat: x\n\nWhy $it was done, `really`.\nEOF\n)"',
    'git push',
    'git push -u origin feature/x',
    'git commit -m x && git push origin HEAD 2>&1',
  ])('%s, on the branch of the workflow', (command) => {
    expect(lookBefore(command, AT_HOME)).toBe(false);
    expect(lookBefore(command, ELSEWHERE)).toBe(true);
  });

  test.each(['git push origin main', 'git commit -m x', 'eval "$X"'])('%s, without a branch', (command) => {
    expect(lookBefore(command, NO_BRANCH)).toBe(false);
    expect(lookBefore(command, ELSEWHERE)).toBe(true);
  });
});

describe('before a command, it is loaded for', () => {
  test.each([
    'git push origin HEAD:main',
    'git push origin feature/y',
    'git push --force origin main',
    'git push --all',
    'git push origin feature/x main',
    'cd ../other && git commit -m x',
    'git -C ../other commit -m x',
    'git commit -m "$x"',
    '"git" push origin main',
    "bash -c 'git push origin main'",
    'gh pr merge 1',
    'git checkout main && git commit -m x',
    'echo {} > .isdlc/state.json',
    'cd .isdlc && rm *',
    'rm -rf .isd*',
    'rm -rf ..',
    'mv "$DIR" /tmp',
    'rm -rf .git',
  ])('%s', (command) => {
    expect(lookBefore(command, AT_HOME)).toBe(true);
  });
});

describe('after a command', () => {
  test.each([...RUNNERS])('%s is looked at', (runner) => {
    expect(lookAfter(runner, [])).toBe(true);
  });

  const tasks = [...taskRunners()].flatMap(([program, { tasks: names }]) =>
    names.map((name) => `${program} ${name}`),
  );
  test.each(tasks)('%s is looked at', (command) => {
    expect(lookAfter(command, [])).toBe(true);
  });

  test.each(['git commit -m x', 'python -m unittest', 'node --test', 'bin/gate'])('%s too', (command) => {
    expect(lookAfter(command, ['bin/gate all'])).toBe(true);
  });

  test.each(['ls', 'git status', 'npm run build', 'cat a.ts'])('%s is not', (command) => {
    expect(lookAfter(command, ['bin/gate all'])).toBe(false);
  });
});
