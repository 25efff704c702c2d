import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainCommands } from '../../src/core/plain-command';
import { commandLines } from '../../src/shell';

const PLAIN: readonly string[] = [
  'ls',
  'git commit -m x',
  'git commit -m "fix: the thing"',
  "git commit -m 'a && b; c'",
  'cd src && git add . && git commit -m "x y"',
  'npm test 2>&1 | tail -5',
  '/usr/bin/git push origin main',
  'echo "git commit"',
  'ls||pwd;date',
  `vitest run "a b"'c d'e`,
  'true;',
  "printf ''",
  `git commit -m "$(cat <<'EOF'\nfeat: a parser\n\nIt reads "lines" of $x \`y\`.\nEOF\n)"`,
  `git add -A && git commit -m "$(cat <<'END'\nEOF\n)"\n END\nEND\n)" && git push`,
  `git commit -m "$(cat <<'EOF'\n\nEOF\n)" --no-verify`,
  `git commit -m "$(cat <<'EOF'\nEOF\n)"`,
  `git commit -m "$(cat <<'EOF'\nx\nEOF\n \t)"`,
];

describe('a plain line is taken apart as the parser does it', () => {
  test.each(PLAIN)('%s', (line) => {
    expect(plainCommands(line)).toEqual(commandLines(line, '/w'));
  });
});

test.each([
  `git commit -m "$(cat <<'EOF'\nx\nEOF\ngit push\ncat <<'EOF'\ny\nEOF\n)"`,
  `git commit -m "$(cat <<'EOF'\nx\nEOF\n git push)"`,
  `git commit -m "$(cat <<EOF\n$(git push)\nEOF\n)"`,
  `git commit -m "$(cat <<'EOF'; git push\nx\nEOF\n)"`,
  `git commit -m"$(cat <<'EOF'\nx\nEOF\n)"`,
  `git commit -m "$(cat <<'EOF'\nx\nEOF\n)"x`,
  `git commit -m "$(cat <<'EOF'\nx\nEOF\n)"; git push`,
  `git commit -m "$(cat <<'EOF'\nx\nEOF\n)"\ngit push`,
  `git commit -m "$(cat <<'EOF'\nx\nEOF`,
  `git commit -m "$(cat <<'EOF'\nEOF\ngit push\nEOF\n)"`,
  `git commit -m "$(cat <<'EOF'\nx\nEOF git push origin main)"; : "\nEOF\n)"`,
  `git commit -m "$(cat <<'EOF'\nx\nEOF)"; git push origin main; : "\nEOF\n)"`,
  `git commit -m "$(cat <<'EOF'\nEOFx\nEOF\n)"`,
  'GIT_DIR=/x/echo git push origin main',
  'A=/bin/ls rm -rf /',
  'git -C x commit',
  'sudo git commit',
  'X=1 git commit',
  'echo $(git commit)',
  'echo `git commit`',
  'git commit # later',
  'cat <<EOF\ngit commit\nEOF',
  'echo "$x"',
  'if true; then git commit; fi',
  '(git commit)',
  'git commit > log',
  'git commit &',
  'echo a\\ b',
  'ls *.ts',
  'ls ~/x',
  'echo {a,b}',
  'x() { git commit; }; x',
  'a2>&1',
  "git commit -m 'open",
  'bash -c "git commit"',
  "su -c 'git commit'",
  "ksh -c 'git commit'",
  "npx -c 'git commit'",
  "npm exec -c 'git commit'",
  "taskset 1 bash -c 'git commit'",
  "poetry run bash -c 'git commit'",
  "echo 'git commit' | sh",
  'unknown-wrapper git commit',
  'ls 2>&1b',
  'ls;;ls',
  'ls &&',
  '| ls',
])('a line that a shell makes more of is left to the parser: %s', (line) => {
  expect(plainCommands(line)).toBeUndefined();
});

/** What lines are made of in which a command may hide. */
const PIECES = [
  ...[
    'git commit',
    'git push',
    'git',
    'push',
    'echo',
    'ls',
    'rm',
    '-m',
    'x',
    'EOF',
    'A=',
    '/bin/',
    'npm',
    'run',
  ],
  ...[' ', ' ', '\n', '\t', ';', '&&', '||', '|', '"', "'", '2>&1', '>', '$(', ')', '\\', '#', '=', '/'],
  ...[`"$(cat <<'EOF'\n`, '\nEOF\n)"', '\nEOF', ')"', `cat <<'EOF'\n`],
];

test('whatever the parser finds in a line that is taken for plain is found there too', () => {
  const line = fc
    .array(fc.constantFrom(...PIECES), { minLength: 2, maxLength: 16 })
    .map((all) => all.join(''));
  let plain = 0;
  fc.assert(
    fc.property(line, (text) => {
      const found = plainCommands(text);
      if (found === undefined) return;
      plain++;
      const named = found.map((words) => words.join(' '));
      const parsed = commandLines(text, '/w');
      expect(parsed, text).toBeDefined();
      for (const words of parsed ?? []) expect(named, text).toContain(words.join(' '));
    }),
    { numRuns: 20_000 },
  );
  expect(plain).toBeGreaterThan(200);
});
