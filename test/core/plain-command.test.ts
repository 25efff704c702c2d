import { describe, expect, test } from 'vitest';
import { isReadingCall, plainKind } from '../../src/core/plain-command';

const reads = (command: unknown): boolean => isReadingCall({ tool_input: { command } } as never);

describe('a command line that only reads', () => {
  test.each([
    'ls',
    'ls -la src && cat src/a.js | head -20',
    'git status',
    'git diff main -- src/a.js',
    'git log --oneline -5; git branch --show-current',
    'cd src && grep -rn foo .',
    'find . -name a.js',
    'git stash list',
    `grep -rn "a\\|b$" src 2>/dev/null | sort -u | head -5`,
    `find . -name '*.ts' -not -path "./node_modules/*" 2>&1`,
    `sed -n '10,20p' src/a.js; echo "--- $HOME" >&2`,
    `git --no-pager log --oneline -5 HEAD~3 -- 'src/a b.js'`,
    `jq '.scripts["test"]' package.json || true`,
    'ls src/*.ts | wc -l',
    'git ls-files --others --exclude-standard',
  ])('is known by its words: %s', (command) => {
    expect(reads(command)).toBe(true);
  });

  test.each([
    '',
    'npm test',
    'ls > out',
    'ls "$(rm -rf src)"',
    'cat a | tee b',
    'cat a && sh b',
    'FOO=1 ls',
    './ls',
    'find . -delete',
    'find . -exec rm x',
    'git diff --output=x',
    'git branch -D x',
    'git branch x',
    'git stash',
    'git -c alias.status=x status',
    'git tag x',
    'xargs rm',
    'sort -o a b',
    'l\\s',
    'find src\t-name\ta.js\t-delete',
    `find src "-delete"`,
    'find src -name a $X',
    'find src -name a {-delete,}',
    'sort "-oa" b',
    'sort --outp=a b',
    'uniq a b',
    `sed -n 1p -e'w a' b`,
    'sed -n 2p --in-pl a',
    'printf -v PATH /tmp/b\nls',
    'printf "$X" /tmp/b',
    'for PATH in /tmp/b; do ls; done',
    'read PATH <<< /tmp/b; ls',
    'x.sh -h',
    'sh -v',
    'python3 --version',
    'rg --pre /tmp/x.sh a',
    'git lfs',
    'git -C /tmp/b status',
    'git diff --outp=x',
    'git log --ext-d',
    'git grep -nOx a',
    'git ls-remote --upload-pack=x .',
    `cat "$(rm a)"`,
    'cat "`rm a`"',
    'cat $(rm a)',
    `cat \${a[x]}`,
    "cat $'\\x61'",
    'echo x >> /dev/fd/../cwd/a',
    'echo x > /dev/nullx',
    'cat < a',
    '"cat cd" a',
    'ls() { rm a; }; ls',
    `cat "${'$a'.repeat(5000)}`,
    'ls\nrm a',
    undefined,
  ])('is no other: %s', (command) => {
    expect(reads(command)).toBe(false);
  });
});

test.each([
  ['git status 2>&1 | head', 'reads'],
  ['npm test 2>&1 | tail -20', 'runs'],
  ['cd src && npm run build:all', 'runs'],
  ['make -j4 test', 'runs'],
  ['npx tsc', 'runs'],
  ['npx prettier --write src', undefined],
  ['npm install', undefined],
  ['npm version patch', undefined],
  ['npm test > out', undefined],
  ['npm test; git commit', undefined],
  ['cargo fmt', undefined],
])('%s: %s', (command, kind) => {
  expect(plainKind(command)).toBe(kind);
});
