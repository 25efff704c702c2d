import { describe, expect, test } from 'vitest';
import { dangerOf, matchesCommand } from '../../../src/guards/requirements/judge';
import { commandLines } from '../../../src/shell';
import { blocking, decide, HOME, permission, ROOT } from './context';

const COMMIT = 'git\\s+commit';
const PUSH = 'git\\s+push';

test.each<[string, string, string, boolean]>([
  ['a command', COMMIT, 'git commit -m x', true],
  ['a command in any case', 'GIT COMMIT', 'git commit', true],
  ['the second of two commands', COMMIT, 'cd x && git commit', true],
  ['a command in a pipe', 'gh\\s+pr\\s+create', 'cat body | gh pr create -F -', true],
  ['a command with its directory', COMMIT, '/usr/bin/git commit', true],
  ['a command with options before the verb', COMMIT, 'git -C x commit', true],
  ['a command with settings before the verb', COMMIT, 'git -c user.name=x commit', true],
  ['a command behind a wrapper', PUSH, 'sudo env A=1 timeout 5 git push', true],
  ['a command behind a variable', PUSH, 'GIT_TRACE=1 git push', true],
  ['a program with its directory', '\\./deploy\\.sh', 'cd ops && ./deploy.sh prod', true],
  ['a quoted text, from before it on', 'psql.*drop table', 'psql -c "drop table users"', true],
  ['a wrapper', '^sudo\\b', 'ls && sudo -u me make install', true],
  ['a wrapper and what it runs', 'npx prisma migrate', 'npx prisma migrate deploy', true],
  ['a variable before a command', 'HUSKY=0', 'HUSKY=0 git commit -m x', true],
  ['a command in a shell of its own', PUSH, 'bash -c "git push"', true],
  ['a command in a substitution', PUSH, 'echo $(git push)', true],
  ['a command that find runs', PUSH, 'find . -exec git push \\;', true],
  ['a command that runs elsewhere', PUSH, 'ssh host git push', true],
  ['a command whose words are quoted', PUSH, "git 'push'", true],
  ['a command on the second line', PUSH, 'ls\ngit push', true],
  ['a subcommand by its own name', 'pr\\s+create', 'gh pr create', true],
  ['a word that follows', 'deploy', 'npm run deploy', true],
  ['an option', '--force', 'git push --force', true],
  ['an option after a quoted text that has it too', '--force', 'git push -o "no --force here" --force', true],
  ['one of two', '(?:git|hub)\\s+push', 'hub push', true],
  ['a beginning', '^git\\b', 'git status', true],
  ['a word by its edge', '\\bcommit\\b', 'git commit', true],
  ['everything', '.*', 'ls', true],
  ['text that does not parse, as it stands', PUSH, 'echo "git push', true],
  ['another command', COMMIT, 'git status', false],
  ['what echo says', PUSH, 'echo "git push"', false],
  ['what echo says without quotes', PUSH, 'echo git push', false],
  ['what echo says after an assignment', PUSH, 'A=1 echo git push', false],
  ['what printf says', PUSH, "printf '%s' git push", false],
  ['a comment', PUSH, 'ls # then git push', false],
  ['a message', PUSH, 'git commit -m "then git push"', false],
  ['an option in a message', '--force', 'git commit -m "never --force again"', false],
  ['a text that is searched for', PUSH, 'grep -r "git push" .', false],
  ['a document in the command', PUSH, 'cat <<END\ngit push\nEND', false],
  ['a document with a quoted end', PUSH, "cat > notes <<'END'\ngit push\nEND", false],
  ['the middle of a word', 'git', 'legit check', false],
  ['the end of a path', 'commit', 'cat docs/recommit', false],
])('a pattern speaks of %s or not', (_what, pattern, command, expected) => {
  expect(matchesCommand(pattern, command, commandLines(command, '/w', true))).toBe(expected);
});

const DANGEROUS = `
  rm -rf /
  rm -rf /*
  rm -fr /etc
  rm -r -f ~
  rm -rf ~/x
  rm -rf ~/*
  rm -rf "$HOME"
  rm -rf \${HOME}/x
  rm -rf ${HOME}
  rm -rf ${HOME}/x
  rm --recursive --force ..
  rm -rf .
  rm -rf ../..
  sudo rm -rf /usr
  ls && rm -rf ~
  bash -c "rm -rf /"
  git push --force
  git push -f origin main
  git push origin -f
  git push -uf origin main
  git push origin +main
  git -C x push --force
  git reset --hard origin/main
  git clean -fd
  git clean --force -d
  git clean -fdx
  git clean -fdX -e '*.js'
  git clean -f -- -X
  git push --force -o '--dry-run'
  git push -fon origin main
  git push --force --dry-run --no-dry-run
  sqlite3 app.db 'drop table a'
  sqlite3 :memory: "attach 'app.db' as a; drop table a.b"
  sqlite3 :memory: ".open app.db" "drop table a"
  psql -c "DROP TABLE users"
  mysql -e "truncate users"
  dd if=x of=/dev/sda
  mkfs.ext4 /dev/sda1`;

const HARMLESS = `
  git push origin feature-f
  git push -u origin main
  git push --force-with-lease
  git push --follow-tags
  rm /etc/x
  rm -f ~/x
  rm -rf build
  rm -rf ./build
  rm -rf node_modules dist
  rm -rf /tmp/x/y
  rm -rf ~/code/project/build
  rm -rf .cache
  rm -rf ...
  rmdir /
  echo "rm -rf /"
  git commit -m "rm -rf / and git push --force"
  git reset --hard
  git reset --hard HEAD~1
  git clean -n
  git clean -nfd
  git clean --dry-run -f
  git clean -fdX
  git clean -q -X -f
  git push --force --dry-run
  git push -nf origin main
  sqlite3 :memory: 'create table a(b); drop table a'
  psql -c "select 1"
  grep -r "DROP TABLE" .
  dd if=/dev/zero of=x
  dd if=x of=/dev/null`;

describe('a command that nobody takes back', () => {
  const dangers = (list: string) =>
    list
      .trim()
      .split('\n')
      .filter((line) => dangerOf(commandLines(line.trim(), ROOT) ?? [], HOME) !== undefined);

  test('is told from one that a person may well allow', () => {
    expect(dangers(DANGEROUS)).toEqual(DANGEROUS.trim().split('\n'));
    expect(dangers(HARMLESS)).toEqual([]);
  });

  test('is denied on a request for permission, in a line that says why and who may', async () => {
    const { verdict, reason } = await decide(permission('git push --force'), [blocking('plan')]);
    const rule = 'hooks.permission_request.auto_deny_dangerous';
    expect(verdict).toMatchObject({ kind: 'deny', grounds: [{ rule }] });
    expect(reason).toMatch(/^`git push` rewrites a branch[^\n]*a person can run the command[^\n]*$/);
  });

  test.each([
    ['it does not parse', 'rm -rf "', true],
    ['the config says so', 'rm -rf /', false],
  ])('is left to the person where %s', async (_what, command, denyDangerous) => {
    expect((await decide(permission(command), [blocking('plan')], {}, { denyDangerous })).kind).toBe(
      'nothing',
    );
  });
});
