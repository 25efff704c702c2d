import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isReadingCall, plainKind } from '../../src/core/plain-command';
import { times } from '../stress';

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
    'uniq -- -a b',
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

describe('what is taken for reading', () => {
  const PIECES = [
    ...String.raw`cat ls echo printf test find sed sort uniq git grep head touch tee rm a.txt b.txt new . $X "$X" '$X'
      -delete "-delete" -exec {} \; -fprint -o "-onew" --output=new --outp=new -n 1p -e -i --in-pl -v PATH X=1 PATH=. -c
      diff log status commit --allow-empty -m tag branch stash -O --ext-diff | || && ; & > >> < <<< 2>&1 >/dev/null >|
      &> * ? [ab]* {-delete,new} ( ) ! # \ " ' ~ % =`.split(/\s+/),
    ...[
      '$(touch new)',
      '`touch new`',
      '"$(touch new)"',
      "'w new'",
      'alias.diff=!touch new',
      '\n',
      '2> /dev/null',
    ],
    `\${X}`,
  ];
  const word = fc.constantFrom(...PIECES);
  const gap = fc.constantFrom(' ', ' ', ' ', '\t', '');
  const program = fc.constantFrom(
    'cat',
    'find',
    'sed -n',
    'sort',
    'uniq',
    'git',
    'git diff',
    'printf',
    'test',
    'ls',
  );
  const line = fc
    .tuple(program, fc.array(fc.tuple(gap, word), { minLength: 1, maxLength: 6 }))
    .map(([first, rest]) => first + rest.map((part) => part.join('')).join(''));

  test('changes nothing in a real shell', () => {
    const lines = fc
      .sample(line, { seed: 7, numRuns: times(2000, 6000) })
      .filter((one) => plainKind(one) === 'reads');
    expect(lines.length).toBeGreaterThan(times(100, 300));
    const dir = mkdtempSync(join(tmpdir(), 'reads-'));
    const files = (): unknown =>
      readdirSync(dir, { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile() && one.name !== 'index')
        .map((one) => [one.name, readFileSync(join(one.parentPath, one.name), 'latin1')])
        .sort();
    const env = { PATH: process.env['PATH'], HOME: dir, X: '-delete', GIT_CONFIG_NOSYSTEM: '1' };
    const bash = (script: string): string =>
      execFileSync('bash', ['-c', script], {
        cwd: dir,
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    bash(
      'git init -q; echo 1 > a.txt; echo 2 > b.txt; git add -A; git -c user.name=a -c user.email=a@b commit -qm x',
    );
    const before = files();
    // One after the other; the first that changes something is named.
    const changed = lines.filter((one, at) => {
      if (at % 40 !== 0) return false;
      const some = lines.slice(at, at + 40);
      const quoted = some.map((text) => `'${text.replaceAll("'", "'\\''")}'`).join(' ');
      bash(`for line in ${quoted}; do (eval "$line") </dev/null >/dev/null 2>&1; done; true`);
      return JSON.stringify(files()) !== JSON.stringify(before) && one !== '';
    });
    rmSync(dir, { recursive: true, force: true });
    expect(changed).toEqual([]);
  });
});
