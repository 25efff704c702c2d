import { describe, expect, test } from 'vitest';
import { matchesCommand } from '../../../src/guards/requirements/triggers';
import { commandLines } from '../../../src/shell';

const COMMIT = 'git\\s+commit';
const PUSH = 'git\\s+push';

function matches(pattern: string, command: string): boolean {
  return matchesCommand(pattern, command, commandLines(command, '/w'));
}

describe('a pattern speaks of', () => {
  test.each([
    ['a command', COMMIT, 'git commit -m x'],
    ['a command in any case', 'GIT COMMIT', 'git commit'],
    ['the second of two commands', COMMIT, 'cd x && git commit'],
    ['a command in a pipe', 'gh\\s+pr\\s+create', 'cat body | gh pr create -F -'],
    ['a command with its directory', COMMIT, '/usr/bin/git commit'],
    ['a command with options before the verb', COMMIT, 'git -C x commit'],
    ['a command with settings before the verb', COMMIT, 'git -c user.name=x commit'],
    ['a command behind a wrapper', PUSH, 'sudo env A=1 timeout 5 git push'],
    ['a command behind a variable', PUSH, 'GIT_TRACE=1 git push'],
    ['a command in a shell of its own', PUSH, 'bash -c "git push"'],
    ['a command in a substitution', PUSH, 'echo $(git push)'],
    ['a command that find runs', PUSH, 'find . -exec git push \\;'],
    ['a command that runs elsewhere', PUSH, 'ssh host git push'],
    ['a command whose words are quoted', PUSH, "git 'push'"],
    ['a command on the second line', PUSH, 'ls\ngit push'],
    ['a subcommand by its own name', 'pr\\s+create', 'gh pr create'],
    ['a word that follows', 'deploy', 'npm run deploy'],
    ['an option', '--force', 'git push --force'],
    ['an option after a quoted text that has it too', '--force', 'git push -o "no --force here" --force'],
    ['one of two', '(?:git|hub)\\s+push', 'hub push'],
    ['a beginning', '^git\\b', 'git status'],
    ['a word by its edge', '\\bcommit\\b', 'git commit'],
    ['everything', '.*', 'ls'],
    ['text that does not parse, as it stands', PUSH, 'echo "git push'],
  ])('%s', (_sentence, pattern, command) => {
    expect(matches(pattern, command)).toBe(true);
  });
});

describe('a pattern does not speak of', () => {
  test.each([
    ['another command', COMMIT, 'git status'],
    ['what echo says', PUSH, 'echo "git push"'],
    ['what echo says without quotes', PUSH, 'echo git push'],
    ['what printf says', PUSH, "printf '%s' git push"],
    ['a comment', PUSH, 'ls # then git push'],
    ['a message', PUSH, 'git commit -m "then git push"'],
    ['an option in a message', '--force', 'git commit -m "never --force again"'],
    ['a text that is searched for', PUSH, 'grep -r "git push" .'],
    ['a document in the command', PUSH, 'cat <<END\ngit push\nEND'],
    ['a document with a quoted end', PUSH, "cat > notes <<'END'\ngit push\nEND"],
    ['the middle of a word', 'git', 'legit check'],
    ['the end of a path', 'commit', 'cat docs/recommit'],
  ])('%s', (_sentence, pattern, command) => {
    expect(matches(pattern, command)).toBe(false);
  });
});
