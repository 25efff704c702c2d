import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cannotFail, withScripts } from '../../../src/guards/gates/weaker/definitions';
import { isWatched, weakerBy } from '../../../src/guards/gates/weaker/facts';
import type { FileChange } from '../../../src/guards/gates/weaker/settings';

const CHECKS = [
  { name: 'test', command: 'npm run test' },
  { name: 'lint', command: 'make -s lint' },
  { name: 'own', command: 'node tools/check.mjs --all' },
];
const change = (path: string, before: string | undefined, after: string | undefined): FileChange => ({
  path,
  ...(before !== undefined && { before }),
  ...(after !== undefined && { after }),
});
const facts = (...changes: readonly FileChange[]): readonly string[] => weakerBy(changes, CHECKS).facts;

describe('what defines the checks', () => {
  const scripts = (test: string, more = '{}') =>
    `{"scripts":{"test":"${test}","build":"tsc"},"jest":${more}}`;
  it.each<readonly [string, string, string | undefined, string | undefined, readonly string[]]>([
    ['a script', 'package.json', scripts('vitest'), scripts('true'), ['`test` script now `true`']],
    ...['vitest && tsc && eslint .', 'npm run lint && vitest', 'vitest --coverage --reporter=dot'].map(
      (more) => [more, 'package.json', scripts('vitest'), scripts(more), []] as const,
    ),
    ...['&& tsc || true', '&& tsc; true', '&& tsc & true', '-t x', '&& $X'].map((more) => {
      const to = `vitest ${more}`;
      const how = /[|;]/.test(more) ? 'now' : 'changed to';
      const expected = [`\`test\` script ${how} \`${to}\``];
      return [to, 'package.json', scripts('vitest'), scripts(to), expected] as const;
    }),
    [
      'a script that begins with something else',
      'package.json',
      scripts('vitest'),
      scripts('exit 0 && vitest'),
      ['`test` script changed to `exit 0 && vitest`'],
    ],
    [
      'of a package',
      'packages/a/package.json',
      scripts('vitest'),
      scripts('vitest || true'),
      ['`test` script now `vitest || true` in packages/a/package.json'],
    ],
    [
      'a script that cannot fail, whoever runs it',
      'package.json',
      '{"scripts":{"build":"tsc"}}',
      '{"scripts":{"build":"exit 0"}}',
      ['`build` script now `exit 0`'],
    ],
    ['a script deleted', 'package.json', scripts('vitest'), '{"jest":{}}', ['`test` script deleted']],
    [
      'a tool in package.json',
      'package.json',
      scripts('vitest'),
      scripts('vitest', '{"roots":["a"]}'),
      ['`jest` in package.json changed'],
    ],
    [
      'a stricter tool in package.json',
      'package.json',
      scripts('vitest', '{"coverageThreshold":{"lines":80}}'),
      scripts('vitest', '{"coverageThreshold":{"lines":90},"testEnvironment":"jsdom"}'),
      [],
    ],
    [
      'tests that are no longer run',
      '.mocharc.json',
      '{"require": "a"}',
      '{"require": "a", "dry-run": true}',
      ['.mocharc.json changed'],
    ],
    ['a last step', 'jest.config.js', '{}', '{ globalTeardown: "./end.js" }', ['jest.config.js changed']],
    ['a library', 'vitest.config.ts', '{}', '{ alias: { chai: "./fake" } }', ['vitest.config.ts changed']],
    ['a module less', 'go.work', 'use ./a\nuse ./b', 'use ./a', ['go.work changed']],
    ['another module', 'go.work', 'use .', 'use .\nreplace example.com/c => ./c', ['go.work changed']],
    ['more modules', 'go.work', 'go 1.22\n\nuse (\n\t./a\n)\n', 'go 1.23\n\nuse (\n\t./a\n\t./b\n)\n', []],
    ['a workspace', 'go.work', undefined, 'use ./other', ['go.work replaces what tests use']],
    [
      'a fake',
      'vitest.config.ts',
      undefined,
      '{ alias: { "./a": "./b" } }',
      ['vitest.config.ts replaces what tests use'],
    ],
    ['an alias of the sources', 'vitest.config.ts', '{}', '{ alias: { "@": "./src" } }', []],
    [
      'a fake dependency',
      'go.mod',
      'module a\n',
      'module a\nreplace b => ./b\n',
      ['what go.mod leaves out changed'],
    ],
    ['a target', 'Makefile', 'lint:\n\teslint .\n', 'lint:\n\ttrue\n', ['`make lint` changed']],
    ...['lint: types', 'lint:'].map(
      (head) => [head, 'Makefile', 'lint:\n\tpytest\n', `${head}\n\tuv run pytest -v\n`, []] as const,
    ),
    ['only the version', 'Makefile', 'lint:\n\tjest\n', 'lint:\n\tjest -v\n', ['`make lint` changed']],
    [
      'an environment of its own',
      'vitest.config.ts',
      "{ environment: 'node' }\n",
      "{ environment: './fake.ts' }\n",
      ['vitest.config.ts changed'],
    ],
    [
      'a usual environment',
      'vitest.config.ts',
      "{ environment: 'node' }\n",
      "{ environment: 'jsdom' }\n",
      [],
    ],
    ['a target with a minus', 'Makefile', 'lint:\n\tx\n', 'lint:\n\t-x\n', ['`make lint` changed']],
    [
      'a script in two',
      'package.json',
      '{"scripts":{"test":"vitest"}}',
      '{"scripts":{"test":"npm run unit && npm run e2e","unit":"vitest run","e2e":"playwright test"}}',
      [],
    ],
    ['steps in one', '.github/workflows/ci.yml', '- run: npm test\n', '- run: |\n    pnpm test\n', []],
    [
      'no test step',
      '.github/workflows/ci.yml',
      '- run: npm test\n',
      '- name: npm test\n',
      ['checks in .github/workflows/ci.yml changed'],
    ],
    [
      'disabled tests of Gradle',
      'build.gradle.kts',
      'tasks.test {}',
      'tasks.test { isEnabled = false }',
      ['what build.gradle.kts leaves out changed'],
    ],
    [
      'what a target needs',
      'Makefile',
      'lint: all\nall:\n\teslint .\n',
      'lint: all\nall:\n\ttrue\n',
      ['`make all` changed'],
    ],
    [
      'the shell of targets',
      'Makefile',
      'lint:\n\teslint .\n',
      'SHELL=/bin/true\nlint:\n\teslint .\n',
      ['the shell of Makefile changed'],
    ],
    [
      'a new runner that does nothing',
      '.mocharc.json',
      undefined,
      '{"dry-run":true}',
      ['.mocharc.json leaves tests out'],
    ],
    [
      'a new list of what linters ignore',
      '.eslintignore',
      undefined,
      'src',
      ['.eslintignore leaves files out'],
    ],
    [
      'another shell for scripts',
      '.npmrc',
      '',
      'script-shell=/bin/true\n',
      ['what .npmrc leaves out changed'],
    ],
    [
      'no tests in a build',
      'pom.xml',
      '<a/>',
      '<skipTests>true</skipTests>',
      ['what pom.xml leaves out changed'],
    ],
    [
      'what the strictness comes from',
      'tsconfig.json',
      '{"extends":"./strict.json"}',
      '{}',
      ['strictness in tsconfig.json changed'],
    ],
    [
      'a new section that leaves out',
      'pyproject.toml',
      undefined,
      '[tool.pytest]\naddopts="--ignore=a"\n',
      ['pyproject.toml leaves tests out'],
    ],
    ['a target deleted', 'Makefile', 'lint: a\n\teslint .\n', 'other:\n', ['`make lint` deleted']],
    [
      'what a check runs',
      'tools/check.mjs',
      'a',
      'b',
      ['tools/check.mjs changed, which the check `own` runs'],
    ],
    ['a runner', 'vitest.config.ts', 'a', 'b', ['vitest.config.ts changed']],
    ['a runner deleted', 'jest.config.js', 'a', undefined, ['jest.config.js deleted']],
    [
      'a runner that leaves tests out',
      'vitest.config.ts',
      undefined,
      'exclude: ["**"]',
      ['vitest.config.ts leaves tests out'],
    ],
    ['a linter', '.eslintrc.json', '{}', '{"rules":{"eqeqeq":"off"}}', ['.eslintrc.json changed']],
    ['a stricter linter', '.eslintrc.json', '{"rules":{}}', '{"rules":{"eqeqeq":"error"}}', []],
    ['a rule that only warned', '.eslintrc.json', '{"eqeqeq":"warn"}', '{"eqeqeq":"error"}', []],
    ['more coverage', 'vitest.config.ts', 'thresholds: { lines: 80 }', 'thresholds: { lines: 90 }', []],
    [
      'less coverage',
      'vitest.config.ts',
      'thresholds: { lines: 80 }',
      'thresholds: { lines: 9 }',
      ['vitest.config.ts changed'],
    ],
    [
      'a stricter compiler',
      'tsconfig.json',
      '{"include":["src"]}',
      '{"include":["src","test"],"strict":true}',
      [],
    ],
    [
      'a variable of a recipe',
      'Makefile',
      'RUN = node\nlint:\n\t$(RUN) x\n',
      'RUN = true\nlint:\n\t$(RUN) x\n',
      ['`make lint` changed'],
    ],
    [
      'a second recipe',
      'Makefile',
      'lint:\n\tnode x\n',
      'lint:\n\tnode x\nlint:\n\ttrue\n',
      ['`make lint` changed'],
    ],
    [
      'errors that count for nothing',
      'Makefile',
      'lint:\n\tnode x\n',
      '.IGNORE:\nlint:\n\tnode x\n',
      ['what Makefile includes or ignores changed'],
    ],
    [
      'another Makefile',
      'GNUmakefile',
      undefined,
      't:\n\ttrue\n',
      ['GNUmakefile takes the place of the usual file'],
    ],
    ...(
      [
        ['a recipe of several targets', 'lint:\n\tnode x\n', 'lint:\n\tnode x\nx lint:\n\ttrue\n'],
        ['a target under a condition', 'lint:\n\tnode x\n', 'ifdef N\nlint:\n\tnode x\nendif\n'],
        ['a variable of a variable', 'A = x\nB = $A\nlint:\n\t$(B)\n', 'A = y\nB = $A\nlint:\n\t$(B)\n'],
        ['a variable in two lines', 'A = x\nlint:\n\t$(A)\n', 'override A = true\nlint:\n\t$(A)\n'],
        ['a block', 'define A\nx\nendef\nlint:\n\t$(A)\n', 'define A\ntrue\nendef\nlint:\n\t$(A)\n'],
        ['a target that a file may stand for', '.PHONY: lint\nlint:\n\tx\n', 'lint:\n\tx\n'],
      ] as const
    ).map(([name, before, after]) => [name, 'Makefile', before, after, ['`make lint` changed']] as const),
    ...['.SHELLFLAGS = -c true', 'SHELL = /tmp/sh', '.SHELLFLAGS = -n -c'].map(
      (line) =>
        [
          line,
          'Makefile',
          'lint:\n\tx\n',
          `${line}\nlint:\n\tx\n`,
          ['the shell of Makefile changed'],
        ] as const,
    ),
    ...['export PATH := /tmp:$(PATH)', '$(T):\n\ttrue'].map(
      (line) =>
        [
          line,
          'Makefile',
          'lint:\n\tx\n',
          `lint:\n\tx\n${line}\n`,
          ['what Makefile includes or ignores changed'],
        ] as const,
    ),
    ['a file for a target', 'lint', undefined, '', ['the file lint may keep `make lint` from running']],
    [
      'packages left out by a linter',
      '.eslintignore',
      'dist\n',
      'dist\nsrc\n',
      ['.eslintignore leaves files out'],
    ],
    [
      'a first config that switches off',
      'biome.json',
      undefined,
      '{"linter":{"enabled":false}}',
      ['biome.json leaves something out'],
    ],
    [
      'a rule in a comment',
      'eslint.config.js',
      'x = [\n{a: 1},\n]',
      'x = [\n/* {a: 1}, */\n]',
      ['eslint.config.js changed'],
    ],
    ['a level', 'phpstan.neon', 'level: 9\n', 'level: 0\n', ['phpstan.neon changed']],
    [
      'tests that are only listed',
      'pytest.ini',
      undefined,
      '[pytest]\naddopts = --co\n',
      ['pytest.ini leaves tests out'],
    ],
    [
      'some tests',
      'pyproject.toml',
      '[project]\n',
      '[project]\n[tool.pytest.ini_options]\naddopts = "-m x"\n',
      ['test and lint settings in pyproject.toml changed'],
    ],
    [
      'no tests of Rust',
      'Cargo.toml',
      '[lib]\nname="a"\n',
      '[lib]\nname="a"\ntest = false\n',
      ['what Cargo.toml leaves out changed'],
    ],
    [
      'another program for tests of Rust',
      '.cargo/config.toml',
      undefined,
      '[target.x]\nrunner = "true"\n',
      ['what .cargo/config.toml leaves out changed'],
    ],
    [
      'tests left out by Maven',
      'pom.xml',
      '<p/>',
      '<p><exclude>**/*</exclude></p>',
      ['what pom.xml leaves out changed'],
    ],
    ...['<phase>none</phase>', '<test>A</test>', '<testSourceDirectory>x</testSourceDirectory>'].map(
      (text) => [text, 'pom.xml', '<p/>', `<p>${text}</p>`, ['what pom.xml leaves out changed']] as const,
    ),
    [
      'failures ignored by an option of Maven',
      '.mvn/maven.config',
      undefined,
      '-Dmaven.test.failure.ignore=true\n',
      ['what .mvn/maven.config leaves out changed'],
    ],
    ['what nobody lints', '.prettierignore', 'a\n', 'a\ndist/\n.next\npackage-lock.json\n', []],
    [
      'a stricter compiler than before',
      'tsconfig.json',
      '{"compilerOptions":{"strict":false}}',
      '{"compilerOptions":{"strict":true}}',
      [],
    ],
    [
      'a compiler that looks at less',
      'tsconfig.json',
      '{"compilerOptions":{"skipLibCheck":false}}',
      '{"compilerOptions":{"skipLibCheck":true}}',
      ['strictness in tsconfig.json changed'],
    ],
    [
      'a step with a name',
      '.github/workflows/ci.yml',
      '- run: npm test\n',
      '- name: T\n  run: npm test\n',
      [],
    ],
    [
      'tests left out by an option of Maven',
      '.mvn/maven.config',
      undefined,
      '-DskipTests\n',
      ['what .mvn/maven.config leaves out changed'],
    ],
    [
      'tests left out by Gradle',
      'build.gradle',
      'test {}',
      'test { onlyIf { false } }',
      ['what build.gradle leaves out changed'],
    ],
    [
      'no project of tests',
      't/t.csproj',
      '<P/>',
      '<P><IsTestProject>false</IsTestProject></P>',
      ['what t/t.csproj leaves out changed'],
    ],
    [
      'an option in a comment',
      'tsconfig.json',
      '{"compilerOptions":{"strict":true}}',
      '{"compilerOptions":{/* "strict":true */}}',
      ['strictness in tsconfig.json changed'],
    ],
    [
      'an option with an escape',
      'tsconfig.json',
      '{"compilerOptions":{"strict":true}}',
      '{"compilerOptions":{"strict":true,"\\u0073trictNullChecks":false}}',
      ['strictness in tsconfig.json changed'],
    ],
    [
      'a step that may fail',
      '.github/workflows/ci.yml',
      '- run: npm test\n',
      '- run: npm test\n  continue-on-error: true\n',
      ['checks in .github/workflows/ci.yml changed'],
    ],
    [
      'a step deleted',
      '.github/workflows/ci.yml',
      '- run: npm test\n',
      '- run: echo\n',
      ['checks in .github/workflows/ci.yml changed'],
    ],
    ['yet another', 'makefile', undefined, 'x:\n', ['makefile takes the place of the usual file']],
    [
      'pytest',
      'pyproject.toml',
      '[tool.pytest.ini_options]\na=1\n',
      '[tool.pytest.ini_options]\na=2\n',
      ['test and lint settings in pyproject.toml changed'],
    ],
    [
      'strictness',
      'tsconfig.json',
      '{"strict": true}',
      '{"strict": false}',
      ['strictness in tsconfig.json changed'],
    ],
    [
      'our config',
      '.holdpoint/config.yaml',
      'gates:\n  checks: {t: {command: npm test}}\n',
      'gates:\n  checks: {t: {command: exit 0}}\n',
      ['gates in .holdpoint/config.yaml changed: a check is now `exit 0`'],
    ],
    [
      'an old check',
      '.gauntlet/checks/t.yml',
      'command: a\n',
      'command: b\n',
      ['.gauntlet/checks/t.yml changed'],
    ],
  ])('%s', (_sentence, path, before, after, expected) => {
    expect(isWatched(path, CHECKS)).toBe(true);
    expect(facts(change(path, before, after))).toEqual(expected);
  });

  const vitest = (more: string): string =>
    `export default {\n  test: {\n    globals: true,\n${more}  },\n};\n`;
  const pytest = (more: string): string => `[pytest]\naddopts = -q\n${more}`;
  it.each<readonly [path: string, before: string, after: string, isWeaker: boolean]>([
    ...['testNamePattern', 'testRegex', 'roots', 'runner'].map(
      (key) => ['jest.config.json', '{"globals": {}}', `{"globals": {}, "${key}": "x"}`, true] as const,
    ),
    ['vitest.config.ts', vitest(''), vitest("    testNamePattern: 'adds',\n"), true],
    ['vitest.config.ts', vitest(''), vitest("    dir: 'test/unit',\n"), true],
    ['playwright.config.ts', vitest(''), vitest('    grepInvert: /slow/,\n'), true],
    ['cypress.config.js', vitest(''), vitest("    specPattern: 'a.cy.js',\n"), true],
    ['pytest.ini', pytest(''), pytest('norecursedirs = tests\n'), true],
    ['pytest.ini', pytest(''), pytest('python_files = a.py\n'), true],
    [
      'pyproject.toml',
      `[tool.${pytest('').slice(1)}`,
      `[tool.${pytest('python_files = "a.py"\n').slice(1)}`,
      true,
    ],
    ['vitest.config.ts', vitest(''), vitest("    environment: 'jsdom',\n    setupFiles: ['a.ts'],\n"), false],
    [
      'vitest.config.ts',
      vitest(''),
      vitest("    coverage: { include: ['src/**'], reporter: ['text'] },\n"),
      false,
    ],
    ['jest.config.json', '{"globals": {}}', '{"globals": {}, "testRunner": "jest-circus/runner"}', false],
    ['jest.config.json', '{"roots": ["src"]}', '{"roots": ["src", "test"]}', false],
    [
      'pytest.ini',
      pytest('python_files = test_*.py\n'),
      pytest('python_files = test_*.py *_test.py\n'),
      false,
    ],
    ['pytest.ini', pytest(''), pytest('markers =\n  slow: takes long\n'), false],
    ['eslint.config.js', 'x = [\n]', 'x = [\n{ files: ["src"] },\n]', false],
    ...['rootDir', 'filter', 'shard'].map(
      (key) => ['jest.config.json', '{"globals": {}}', `{"globals": {}, "${key}": "x"}`, true] as const,
    ),
    ['jest.config.json', '{"lines": 90}', '{"lines": 80}', true],
    ['jest.config.json', '{"maxWorkers": 1}', '{"maxWorkers": 2}', true],
    ['.eslintrc.json', '{"eqeqeq": "error"}', '{"eqeqeq": "warn"}', true],
    ['.eslintrc.json', '{"max-len": ["warn", 80]}', '{"max-len": ["error", 120]}', true],
    ['pyproject.toml', '[tool.mypy]\nignore_errors = false\n', '[tool.mypy]\nignore_errors = true\n', true],
    ['jest.config.json', '{"lines": 90}', '{"lines": 95}', false],
    [
      'vitest.config.ts',
      vitest('    coverage: { thresholds: { lines: 90, branches: 80 } },\n'),
      vitest('    coverage: { thresholds: { lines: 92, branches: 80 } },\n'),
      false,
    ],
    [
      'vitest.config.ts',
      vitest("    coverage: { include: ['src'] },\n"),
      vitest('    coverage: {\n      include: ["src"],\n    },\n'),
      false,
    ],
    ['.coveragerc', '[report]\nfail_under = 80\n', '[report]\nfail_under = 85\n', false],
    ['biome.json', '{"lineWidth": 80}', '{"lineWidth": 100}', false],
    ['.pre-commit-config.yaml', 'rev: v1.0\n', 'rev: v2.0\n', false],
    ['eslint.config.js', 'x = [\n]', "x = [\n{ ignores: ['dist/**'] },\n]", false],
    ['eslint.config.js', 'x = [\n]', "x = [\n{ ignores: ['dist/**', 'src'] },\n]", true],
    ['eslint.config.js', 'x = [\n]', 'x = [\n{ rules: { indent: "off" } },\n]', true],
    ['playwright.config.ts', 'use: {}', "use: { trace: 'on-first-retry' }", false],
    ['playwright.config.ts', 'use: {}', 'use: {}, retries: 3', true],
    ['.rspec', '--color\n', '--color\n--tag ~slow\n', true],
    ['deno.json', '{"test": "deno test"}', '{"test": "deno test || true"}', true],
    ['phpstan.neon', 'level: 5\n', 'level: 6\n', false],
    ['.eslintrc.json', '{"eqeqeq": "off"}', '{"eqeqeq": "warn"}', false],
    ['.eslintrc.json', '{"no-only-tests": "warn"}', '{"no-only-tests": "error"}', false],
    [
      'pyproject.toml',
      '[tool.mypy]\nstrict = false\n',
      '[tool.mypy]\nstrict = true\ndisallow_any_generics = true\nwarn_unused_ignores = true\n',
      false,
    ],
  ])('%s with other keys: %j and %j', (path, before, after, isWeaker) => {
    const is = path === 'pyproject.toml' ? 'test and lint settings in pyproject.toml' : path;
    expect(facts(change(path, before, after))).toEqual(isWeaker ? [`${is} changed`] : []);
  });

  const withTest = (more: object, test: unknown = 'node --test'): string =>
    JSON.stringify({ scripts: { test, ...more } });
  const added = (name: string, text: string): readonly string[] => [
    ['', name, ' script added: ', text, ''].join('`'),
  ];
  const COMPOSER = [{ name: 'test', command: 'composer test' }];
  const composer = (test: unknown, unit = 'phpunit'): string => JSON.stringify({ scripts: { test, unit } });
  const hooks = 'npm test\nnpx lint-staged\n';
  it.each<readonly [path: string, before: string, after: string | undefined, told: readonly string[]]>([
    [
      'package.json',
      withTest({}),
      withTest({ pretest: 'rm test/b.test.js' }),
      added('pretest', 'rm test/b.test.js'),
    ],
    [
      'package.json',
      withTest({}),
      withTest({ pretest: 'npm run x', x: 'git checkout test' }),
      added('x', 'git checkout test'),
    ],
    [
      'package.json',
      withTest({}),
      withTest({ posttest: 'git restore spec' }),
      added('posttest', 'git restore spec'),
    ],
    [
      'package.json',
      withTest({ pretest: 'eslint .' }),
      withTest({ pretest: 'tsc' }),
      ['`pretest` script changed to `tsc`'],
    ],
    [
      'package.json',
      withTest({}),
      withTest({ pretest: 'npm run lint && rimraf dist coverage', lint: 'eslint test' }),
      [],
    ],
    ['package.json', withTest({}), withTest({ prelint: 'rm test/b.test.js' }), []],
    [
      'package.json',
      withTest({}),
      withTest({ pretest: 'rm -rf test/output test-results test/fixtures/tmp' }),
      [],
    ],
    ['composer.json', composer('a'), composer('b'), []],
    ['.husky/pre-commit', hooks, '', ['checks in .husky/pre-commit deleted']],
    ['.husky/pre-commit', hooks, undefined, ['checks in .husky/pre-commit deleted']],
    ['.husky/pre-commit', hooks, `# Fast.\n${hooks}npm run types\n`, []],
    [
      'lefthook.yml',
      'pre-commit:\n  commands:\n    a:\n      run: npm test\n',
      '',
      ['checks in lefthook.yml deleted'],
    ],
    [
      'lefthook.yml',
      'pre-commit:\n  commands:\n    a:\n      run: npm test\n',
      'pre-commit:\n  parallel: true\n  commands:\n    a:\n      run: npm test\n',
      [],
    ],
  ])('%s: %j and %j', (path, before, after, expected) => {
    expect(isWatched(path, CHECKS)).toBe(true);
    expect(facts(change(path, before, after))).toEqual(expected);
  });

  it.each<readonly [path: string, before: string, after: string | undefined, told: readonly string[]]>([
    [
      'composer.json',
      composer(['@unit']),
      composer(['@unit'], 'true'),
      ['`unit` script now `true` in composer.json'],
    ],
    [
      'composer.json',
      composer(['@unit', 'phpstan']),
      composer(['phpstan']),
      ['`test` script changed to `phpstan` in composer.json'],
    ],
    ['composer.json', composer(['@unit']), composer(['@unit', 'phpstan']), []],
    ['package.json', withTest({}), withTest({}, 'node --test x'), []],
  ])('%s with composer: %j and %j', (path, before, after, expected) => {
    expect(weakerBy([change(path, before, after)], COMPOSER).facts).toEqual(expected);
  });

  it('a script that the script of a check runs is what the check runs, and no other file', () => {
    const root = mkdtempSync(join(tmpdir(), 'holdpoint-'));
    mkdirSync(join(root, 'tools'));
    writeFileSync(
      join(root, 'tools/check.sh'),
      '#!/bin/sh\nset -e\nsh tools/unit.sh\n# Not tools/old.sh.\n"$(dirname "$0")/lint.sh" --all\nnode src/main.js\n',
    );
    const checks = withScripts(root, [{ name: 'all', command: 'sh tools/check.sh' }]);
    const told = (path: string): readonly string[] => weakerBy([change(path, 'a', 'b')], checks).facts;
    expect(told('tools/unit.sh')).toEqual(['tools/unit.sh changed, which the check `all` runs']);
    expect(told('tools/lint.sh')).toEqual(['tools/lint.sh changed, which the check `all` runs']);
    expect([...told('src/main.js'), ...told('tools/old.sh')]).toEqual([]);
    rmSync(root, { recursive: true });
  });

  it('knows commands that cannot fail', () => {
    const empty = [
      'true',
      ':',
      'exit 0',
      'echo ok',
      '',
      'npm test || true',
      'npm test; exit 0',
      'a || echo failed',
    ];
    expect(empty.filter((command) => !cannotFail(command))).toEqual([]);
    const real = [
      'npm test',
      'true && npm test',
      'echo a; npm test',
      'exit 1',
      'test -f a || exit 1',
      'a || b',
    ];
    expect(real.filter(cannotFail)).toEqual([]);
  });
});

const TEST = "test('adds', () => expect(add(1, 2)).toBe(3));\n";

it('reads settings of any content in a short time', () => {
  const many = (part: (at: number) => string): string =>
    Array.from({ length: 20_000 }, (_, at) => part(at)).join('');
  const lint = 'lint:\n\tx\n';
  const pairs: readonly (readonly [path: string, before: string, after: string])[] = [
    ['Makefile', lint, `lint:\n\t${many((at) => `$(A${at})`)}`],
    ['Makefile', `lint: ${many((at) => ` a${at}`)}\n\tx\n`, lint],
    ['Makefile', lint, many(() => 'lint:\nifdef A\n')],
    ['Makefile', lint, many(() => 'lint ')],
    ['Makefile', lint, many(() => '     ')],
    ['tsconfig.json', '{}', many(() => '"strict":[,')],
    ['tsconfig.json', '{}', many(() => '"\\')],
    ['biome.json', '{}', many(() => 'ignore=[')],
    ['eslint.config.js', many((at) => `a${at}\n`), many((at) => `a${at} b\n`)],
    ['eslint.config.js', many(() => 'a '), many(() => 'a b ')],
    ['package.json', '{"scripts":{"test":"x"}}', `{"scripts":{"test":"${many(() => '   ')}x"}}`],
    ['package.json', `{"scripts":{"test":"npm ${many(() => 'a ')}"${many((at) => `,"b${at}":""`)}}}`, '{}'],
    ['package.json', '{"scripts":{"test":"x"}}', `{"scripts":{"test":"${many(() => 'npm run test ')}"}}`],
    ['build.gradle', '', many(() => 'npx ')],
    ['Cargo.toml', '', many(() => '\n   ')],
  ];
  const before = process.cpuUsage();
  for (const pair of pairs) facts(change(...pair));
  facts(
    ...Array.from({ length: 400 }, (_, at) =>
      change(`a${at}.test.js`, `${TEST.repeat(40)}//${at}`, TEST.replaceAll("'", `'${at}`)),
    ),
  );
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
}, 300_000);
