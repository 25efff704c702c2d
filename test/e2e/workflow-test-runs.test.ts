import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { at } from './rig';
import { bashed, bashFailed, inPhase, told, type WorkflowProject, workflowProject } from './workflow-project';

const PHASE = '06-implementation';
let project: WorkflowProject;

beforeAll(() => {
  project = workflowProject();
});

beforeEach(() => project.state(inPhase(PHASE)));

afterAll(() => project.rig.remove());

const tests = (): unknown =>
  at(project.stored(), 'phases', PHASE, 'iteration_requirements', 'test_iteration');

/** Each command in a fresh state; those that were not recorded as they should be. */
function otherThan(
  result: string | undefined,
  commands: readonly string[],
  output = 'fine',
): readonly string[] {
  return commands.filter((command) => {
    project.state(inPhase(PHASE));
    project.hook(bashed(command, output));
    return at(tests(), 'last_test_result') !== result;
  });
}

describe('a test run counts only if tests ran, here', () => {
  it('one that lists, compiles, prints or skips them is inconclusive', () => {
    const commands = [
      'cargo test --no-run',
      'go test -c ./pkg',
      'make -n test',
      'mvn test -DskipTests',
      'gradle test --dry-run',
      './gradlew check -x test',
      'npx playwright test --list',
      'dotnet test --list-tests',
      'npx jest --listTests',
      'ctest -N',
      'pytest --collect-only',
      'docker compose run app pytest --collect-only',
    ];
    expect(otherThan('inconclusive', commands)).toEqual([]);
    const { rig } = project;
    expect(told(project.hook(bashed('cargo test --no-run', 'Finished test profile')))).toBe(
      'TESTS INCONCLUSIVE (iteration 0/10): with `--no-run` no test runs. Run them without it.',
    );
    expect(rig.holdpoint(['flow', 'status']).stdout).toContain('no tests have run in this phase');
  });

  it('a script of another purpose is none, whatever its name begins with', () => {
    const commands = ['npm run test:lint', 'npm run test:types', 'yarn test:tsc', './gradlew testClasses'];
    expect(otherThan(undefined, commands)).toEqual([]);
  });

  it.each([
    ['jest', 'npx jest --passWithNoTests', 'No tests found, exiting with code 0'],
    ['jest, all skipped', 'npx jest', 'Tests:       3 skipped, 3 total'],
    ['jest, all to do', 'npx jest', 'Tests:       2 todo, 2 total'],
    ['vitest', 'npx vitest run --passWithNoTests', 'No test files found, exiting with code 0'],
    ['vitest, all skipped', 'npx vitest run', ' Test Files  1 skipped (1)\n      Tests  3 skipped (3)'],
    ['pytest', 'pytest || true', '===== no tests ran in 0.01s ====='],
    ['pytest, all skipped', 'pytest', '===== 3 skipped in 0.01s ====='],
    ['pytest, all deselected', 'pytest -k x', '===== 5 deselected in 0.01s ====='],
    ['unittest', 'python -m unittest', 'Ran 0 tests in 0.000s\n\nOK'],
    ['unittest, newer', 'python -m unittest', 'Ran 0 tests in 0.000s\n\nNO TESTS RAN'],
    ['unittest, all skipped', 'python -m unittest', 'Ran 3 tests in 0.000s\n\nOK (skipped=3)'],
    ['go', 'go test ./...', '?   \texample.com/a\t[no test files]'],
    ['go -v, all skipped', 'go test -v ./a', '--- SKIP: TestA (0.00s)\nPASS\nok  \ta\t0.1s'],
    ['go -run', 'go test -run X ./...', 'ok  \texample.com/a\t0.003s [no tests to run]'],
    [
      'cargo',
      'cargo test x',
      'running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured',
    ],
    ['cargo, all ignored', 'cargo test', 'test result: ok. 0 passed; 0 failed; 3 ignored; 0 measured'],
    ['mocha', 'npx mocha', '  0 passing (1ms)\n'],
    ['mocha, all pending', 'npx mocha', '  0 passing (1ms)\n  3 pending\n'],
    ['node', 'node --test', '# tests 0\n# pass 0\n# fail 0'],
    ['node, all skipped', 'node --test', 'ℹ tests 2\nℹ pass 0\nℹ fail 0\nℹ skipped 2'],
    ['bun', 'bun test', ' 0 pass\n 3 skip\n 0 fail'],
    ['playwright', 'npx playwright test', '  3 skipped'],
    ['rspec', 'rspec', 'No examples found.\n\n0 examples, 0 failures'],
    ['rspec, all pending', 'rspec', '3 examples, 0 failures, 3 pending'],
    ['phpunit', 'vendor/bin/phpunit', 'No tests executed!'],
    [
      'phpunit, all skipped',
      'phpunit',
      'OK, but some tests were skipped!\nTests: 3, Assertions: 0, Skipped: 3.',
    ],
    ['maven', 'mvn test', '[INFO] No tests to run.\n[INFO] BUILD SUCCESS'],
    ['maven, switched off in its file', 'mvn test', '[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS'],
    ['maven, all skipped', 'mvn test', '[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 3'],
    ['gradle', './gradlew test', '> Task :compileJava\n> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s'],
    ['gradle, switched off', './gradlew test', '> Task :app:test SKIPPED\n\nBUILD SUCCESSFUL in 1s'],
    [
      'dotnet',
      'dotnet test',
      'No test is available in /w/a.dll. Make sure that test discoverer is registered',
    ],
    ['ctest', 'ctest', 'Test project /w/build\nNo tests were found!!!'],
    ['deno', 'deno test --permit-no-files', 'ok | 0 passed | 0 failed (0ms)'],
    ['make', 'make test', "make: 'test' is up to date."],
    ['make, without a recipe', 'make test', "make: Nothing to be done for 'test'."],
    ['npm', 'npm test --if-present', ''],
    ['npm, without a script', 'npm test || true', 'npm error Missing script: "test"'],
    ['pnpm', 'pnpm -r --if-present run test', 'Scope: 3 of 4 workspace projects'],
    ['turbo', 'turbo run test', ' Tasks:    0 successful, 0 total'],
    ['exunit', 'mix test', '3 tests, 0 failures, 3 excluded'],
    ['tap', 'bats test', '1..2\nok 1 a # skip\nok 2 b # skip later'],
    ['bazel', 'bazel test //...', 'Executed 0 out of 2 tests: 2 were skipped.'],
    ['tox', 'tox', 'collected 0 items\n\n==== no tests ran in 0.00s ===='],
  ])('no test in the words of %s', (_, command, output) => {
    const text = told(project.hook(bashed(command, output)));
    expect(text).toMatch(
      /^TESTS INCONCLUSIVE \(iteration 0\/10\): (?:no tests were found|all tests were|with `)/,
    );
    expect(tests()).toMatchObject({ completed: false, last_test_result: 'inconclusive' });
  });

  it.each([
    ['npx jest', 'No tests found, exiting with code 1'],
    ['pytest', 'collected 0 items\n\n===== no tests ran in 0.01s ====='],
    ['npm test', 'Error: no test specified'],
    ['npx ava', "  ✘ Couldn't find any files to test"],
    [
      './gradlew test --tests X',
      '> No tests found for given includes: [X](--tests filter)\n\nBUILD FAILED in 1s',
    ],
    ['mvn test -Dtest=X', '[ERROR] No tests matching pattern "X" were executed!\n[INFO] BUILD FAILURE'],
  ])('also where that is an error: %s', (command, output) => {
    project.hook(bashFailed(command, `Exit code 1\n${output}`));
    expect(tests()).toMatchObject({ completed: false, last_test_result: 'inconclusive' });
  });

  it.each([
    ['some parts have none', 'go test ./...', '?   \ta\t[no test files]\nok  \tb\t0.1s'],
    ['some are skipped', 'npx jest --passWithNoTests', 'Tests:       2 skipped, 3 passed, 5 total'],
    ['gradle has run them', './gradlew test', '> Task :a:test NO-SOURCE\n> Task :b:test\n\nBUILD SUCCESSFUL'],
    ['gradle knows them', './gradlew test', '> Task :test UP-TO-DATE\n\nBUILD SUCCESSFUL in 1s'],
    ['go knows them', 'go test ./...', 'ok  \ta\t(cached)'],
  ])('it counts where %s', (_, command, output) => {
    project.hook(bashed(command, output));
    expect(tests()).toMatchObject({ completed: true, last_test_result: 'passed' });
  });

  it('one in another directory is inconclusive, and says where it was', () => {
    const { dir } = project.rig;
    const other = `${dir}/tmp`;
    const commands = [
      `cd ${other} && npm test`,
      'cd .. && npm test',
      `(cd ${other}; npm test)`,
      'cd "$ELSEWHERE" && npm test',
      `npm --prefix ${other} test`,
      `npm --prefix=../tmp test`,
      `pnpm -C ${other} test`,
      `yarn --cwd ${other} test`,
      `make -C ${other} test`,
      `cargo test --manifest-path ${other}/Cargo.toml`,
      `go test -C ${other} ./...`,
      `pytest ${other}/tests`,
      `pytest -x ../tmp/tests`,
      `npx jest --rootDir ${other}`,
      `mvn -f ${other}/pom.xml test`,
      `./gradlew -p ${other} test`,
      `uv --directory ${other} run pytest`,
      `bash -c 'cd ${other} && npm test'`,
    ];
    expect(otherThan('inconclusive', commands, 'Tests: 5 passed, 5 total')).toEqual([]);
    const away = told(project.hook(bashed(`cd ${other} && npm test`, 'Tests: 5 passed, 5 total')));
    expect(away).toContain(`they ran in ${other}, outside of this project`);
  });

  it('one on other files, or by another program of its name, is inconclusive', () => {
    const commands = [
      'git stash -q && npm test && git stash pop -q',
      'git switch -q main && npm test && git switch -q -',
      "npm test && sed -i 's/a + b/a - b/' src/a.js",
      'npm_config_script_shell=/bin/true npm test',
    ];
    expect(otherThan('inconclusive', commands, 'Tests: 5 passed, 5 total')).toEqual([]);
    const others = [
      'git pull -q && npm test',
      'NODE_OPTIONS="--import tsx" npx mocha',
      'PATH="$PWD/node_modules/.bin:$PATH" jest',
      'git stash drop -q && npm test',
      "sed -i 's/a/b/' src/a.js && npm test",
      'npm test > t.log',
    ];
    expect(otherThan('passed', others, 'Tests: 5 passed, 5 total')).toEqual([]);
  });

  it('nor does one after the session has moved to another directory', () => {
    project.hook(bashed('npm test', 'Tests: 5 passed, 5 total', { cwd: project.rig.tmp }));
    expect(at(tests(), 'last_test_result')).not.toBe('passed');
  });

  it('one in a part of the project counts', () => {
    const { repo, dir } = project.rig;
    project.rig.write('app/a.js', '');
    const link = project.rig.link('link', repo);
    const commands = [
      'cd app && npm test',
      `cd ${repo}/app && npm test`,
      `cd ${dir} && npm --prefix w test`,
      `cd ${link} && npm test`,
      'cd "$(git rev-parse --show-toplevel)" && npm test',
      'npm --prefix app test',
      'pytest --junitxml=/tmp/report.xml',
      'go test -coverprofile /tmp/c.out ./...',
      'npm test > /tmp/out.log',
    ];
    expect(otherThan('passed', commands, 'Tests: 5 passed, 5 total')).toEqual([]);
  });

  it('with acceptance tests first, skipped tests are noted until none is skipped', () => {
    project.state(inPhase(PHASE, { atdd_mode: true }));
    const noted = (): unknown => at(project.stored(), 'phases', PHASE, 'atdd_validation');
    project.hook(bashed('npm test', 'Tests: 2 skipped, 5 passed, 7 total'));
    expect(noted()).toEqual({ orphan_skips_detected: 2, orphan_skip_details: ['2 skipped by npm test'] });
    project.hook(bashed('npm test', 'Tests: 7 passed, 7 total'));
    expect(noted()).toEqual({ orphan_skips_detected: 0, orphan_skip_details: [] });
  });

  it('a run of nothing takes no failure back', () => {
    project.hook(bashFailed('npm test', 'Tests: 1 failed, 5 total'));
    project.hook(bashed('npx jest --listTests', 'a.test.js'));
    expect(tests()).toMatchObject({ last_test_result: 'failed', current_iteration: 1, completed: false });
  });
});

describe('runs behind other programs', () => {
  const COMMANDS = [
    'docker compose run --rm app npm test',
    'docker compose -f dev.yml exec -T app pytest /app/tests',
    'docker exec -w /app app npm test',
    'docker run --rm -v "$PWD:/w" -w /w node:20 sh -c "cd /w && npm test"',
    'podman exec app pytest',
    'corepack pnpm test',
    'conda run -n env pytest',
    'doppler run -- npm test',
    'nix develop -c npm test',
    'nix-shell --run "npm test"',
    'coverage run -m pytest',
    'python -m coverage run -m pytest',
    'firebase emulators:exec --only firestore "npm test"',
    'node --import tsx --test',
    'npx tsx --test test/a.test.ts',
    'node node_modules/vitest/vitest.mjs run',
    './gradlew :app:testDebugUnitTest',
    'pixi run test',
    'poetry run pytest',
    'pdm run test',
    'hatch run test:cov',
    'uv run pytest',
    'mise exec -- npm test',
    'direnv exec . npm test',
    'dotenv -e .env -- npm test',
    'op run --env-file=.env -- npm test',
    'aws-vault exec dev -- npm test',
    'bazel run //app:unit_test',
    'xvfb-run -a npm test',
    'nice -n 10 npm test',
    'timeout 300 npm test',
    'stdbuf -oL npm test',
    'script -qec "npm test" /dev/null',
  ];

  it('are seen, and pass by their end', () => {
    expect(otherThan('passed', COMMANDS)).toEqual([]);
  });

  it('fail by their end', () => {
    const missed = COMMANDS.filter((command) => {
      project.state(inPhase(PHASE));
      project.hook(bashFailed(command, 'Exit code 1'));
      return at(tests(), 'last_test_result') !== 'failed';
    });
    expect(missed).toEqual([]);
  });
});

describe('a failing run whose status is hidden', () => {
  it.each([
    ['jest', 'npm test 2>&1 | tail -20', 'FAIL src/a.test.ts\n  ● adds › two numbers'],
    [
      'jest, a suite that does not start',
      'npx jest || true',
      'Test Suites: 1 failed, 1 total\nTests:       0 total',
    ],
    ['vitest', 'npx vitest run | tail', ' Test Files  1 failed | 3 passed (4)\n      Tests  9 passed (9)'],
    ['pytest', 'pytest | tail -3', 'FAILED tests/test_a.py::test_x - assert 1 == 2'],
    ['pytest, collection', 'pytest || true', 'ERROR tests/test_a.py::test_x - ImportError: no module'],
    ['unittest', 'python -m unittest 2>&1 | tail -1', 'FAILED (failures=1)'],
    ['go', 'go test ./... | grep -v ok', 'FAIL\texample.com/a\t0.003s\nFAIL'],
    ['go, build', 'go test ./... || true', 'FAIL\texample.com/a [build failed]'],
    ['cargo', 'cargo test || true', 'error: test failed, to rerun pass `--lib`'],
    [
      'cargo, build',
      'cargo test 2>&1 | tail -2',
      'error: could not compile `a` (lib test) due to 1 previous error',
    ],
    ['node', 'node --test | head', '✔ a (1ms)\n✖ b (2ms)'],
    ['tap', 'node --test --test-reporter tap | cat', 'not ok 1 - b'],
    ['gradle', './gradlew test || true', '> There were failing tests. See the report'],
    ['gradle, one test', './gradlew test | tail', 'FooTest > adds() FAILED'],
    ['maven', 'mvn test | tail', '[ERROR] There are test failures.\n[INFO] BUILD FAILURE'],
    ['phpunit', 'phpunit || true', 'FAILURES!'],
    ['npm', 'npm test || true', 'npm ERR! Test failed.  See above for more details.'],
    ['pnpm', 'pnpm test || true', ' ELIFECYCLE  Test failed. See above for more details.'],
    ['make', 'make test || true', 'make: *** [Makefile:3: test] Error 1'],
    [
      'vitest, an error outside of tests',
      'npx vitest run | tail -3',
      '      Tests  3 passed (3)\n     Errors  1 error',
    ],
    ['bun, likewise', 'bun test 2>&1 | tail -4', ' 4 pass\n 0 fail\n 1 error'],
    ['ava, likewise', 'npx ava | tail', '  4 tests passed\n  1 uncaught exception'],
    [
      'playwright, likewise',
      'npx playwright test | tail',
      '  4 passed (3s)\n  1 error was not a part of any test',
    ],
    ['rspec, likewise', 'rspec | tail', '5 examples, 0 failures, 1 error occurred outside of examples'],
    [
      'too little coverage',
      'npx jest | tail',
      'Tests: 3 passed, 3 total\nJest: "global" coverage threshold for lines (80%) not met: 50%',
    ],
    [
      'pnpm, of several packages',
      'pnpm -r test | tail',
      'a test: Tests 5 passed (5)\n ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  b@1.0.0 test',
    ],
    ['just', 'just test | tail', '5 passed in 0.1s\nerror: Recipe `test` failed on line 3 with exit code 1'],
    [
      'compose',
      'docker compose run test | tail',
      'app-1  | Tests: 5 passed, 5 total\nb-1 exited with code 1',
    ],
    ['a run after which another command runs', 'npm test; echo done', 'Tests: 1 failed, 5 total\ndone'],
    ['docker', 'docker compose run app npm test || true', '  4 passing (12ms)\n  1 failing\n'],
  ])('has failed where the output says so: %s', (_, command, output) => {
    project.hook(bashed(command, output));
    expect(tests()).toMatchObject({ completed: false, last_test_result: 'failed' });
  });

  it('is inconclusive where it does not', () => {
    const { hook } = project;
    expect(told(hook(bashed('npm test || true', 'sh: jest: not found')))).toBe(
      'TESTS INCONCLUSIVE (iteration 0/10): the output does not show a result. Run only the tests.',
    );
  });
});

/** What a runner prints of one failing test, with its name and message, in a run of a certain length. */
type Print = (name: string, message: string, ms: number) => string;

const PRINTS: readonly (readonly [runner: string, command: string, print: Print])[] = [
  [
    'pytest',
    'pytest',
    (name, message, ms) =>
      `collected 5 items\n\ntests/test_a.py F....  [100%]\n\n=================================== FAILURES ===================================\n___________________________________ ${name} ___________________________________\n\n    def ${name}():\n>       assert f()\nE       AssertionError: ${message}\n\ntests/test_a.py:${ms}: AssertionError\n=========================== short test summary info ============================\nFAILED tests/test_a.py::${name} - AssertionError: ${message}\n========================= 1 failed, 4 passed in 0.${ms}s =========================`,
  ],
  [
    'jest',
    'npx jest',
    (name, message, ms) =>
      `FAIL src/a.test.ts\n  a\n    ✓ works (1 ms)\n    ✕ ${name} (${ms} ms)\n\n  ● a › ${name}\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: ${message}\n    Received: 0\n\n      at Object.<anonymous> (src/a.test.ts:${ms}:5)\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 passed, 2 total\nTime:        0.${ms} s`,
  ],
  [
    'vitest',
    'npx vitest run',
    (name, message, ms) =>
      ` ❯ src/a.test.ts (2 tests | 1 failed) ${ms}ms\n   × a > ${name} ${ms}ms\n     → ${message}\n\n⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯\n\n FAIL  src/a.test.ts > a > ${name}\nAssertionError: ${message}\n ❯ src/a.test.ts:${ms}:5\n\n Test Files  1 failed (1)\n      Tests  1 failed | 1 passed (2)\n   Duration  ${ms}ms`,
  ],
  [
    'node:test',
    'node --test',
    (name, message, ms) =>
      `✔ works (0.5ms)\n✖ ${name} (${ms}.25ms)\nℹ tests 2\nℹ pass 1\nℹ fail 1\nℹ duration_ms ${ms}.5\n\n✖ failing tests:\n\ntest at test/a.test.js:${ms}:1\n✖ ${name} (${ms}.25ms)\n  AssertionError [ERR_ASSERTION]: ${message}\n      at TestContext.<anonymous> (file:///w/test/a.test.js:${ms}:10)`,
  ],
  [
    'node:test as TAP',
    'node --test --test-reporter tap',
    (name, message, ms) =>
      `TAP version 13\n# Subtest: ${name}\nnot ok 1 - ${name}\n  ---\n  duration_ms: ${ms}.5\n  failureType: 'testCodeFailure'\n  error: '${message}'\n  code: 'ERR_ASSERTION'\n  ...\n1..1\n# tests 1\n# pass 0\n# fail 1`,
  ],
  [
    'go',
    'go test ./...',
    (name, message, ms) =>
      `--- FAIL: Test_${name} (0.${ms}s)\n    a_test.go:${ms}: got 0, ${message}\nFAIL\nFAIL\texample.com/a\t0.${ms}s\nFAIL`,
  ],
  [
    'cargo',
    'cargo test',
    (name, message, ms) =>
      `running 2 tests\ntest tests::works ... ok\ntest tests::${name} ... FAILED\n\nfailures:\n\n---- tests::${name} stdout ----\nthread 'tests::${name}' panicked at src/lib.rs:${ms}:9:\nassertion failed: ${message}\nnote: run with \`RUST_BACKTRACE=1\`\n\nfailures:\n    tests::${name}\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.${ms}s\n\nerror: test failed, to rerun pass \`--lib\``,
  ],
  [
    'mocha',
    'npx mocha',
    (name, message, ms) =>
      `  a\n    ✔ works\n    1) ${name}\n\n  1 passing (${ms}ms)\n  1 failing\n\n  1) a\n       ${name}:\n     AssertionError: ${message}\n      at Context.<anonymous> (test/a.js:${ms}:5)`,
  ],
  [
    'rspec',
    'bundle exec rspec',
    (name, message, ms) =>
      `.F\n\nFailures:\n\n  1) A ${name}\n     Failure/Error: expect(f).to eq(2)\n\n       expected: ${message}\n            got: 0\n     # ./spec/a_spec.rb:${ms}:in 'block'\n\nFinished in 0.${ms} seconds\n2 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/a_spec.rb:${ms} # A ${name}`,
  ],
  [
    'phpunit',
    'vendor/bin/phpunit',
    (name, message, ms) =>
      `.F  2 / 2 (100%)\n\nTime: 00:00.${ms}, Memory: 6.00 MB\n\nThere was 1 failure:\n\n1) ATest::${name}\nFailed asserting that ${message}.\n\n/w/tests/ATest.php:${ms}\n\nFAILURES!\nTests: 2, Assertions: 2, Failures: 1.`,
  ],
  [
    'gradle',
    './gradlew test',
    (name, message, ms) =>
      `> Task :test FAILED\n\nATest > ${name}() FAILED\n    org.opentest4j.AssertionFailedError: ${message}\n        at ATest.java:${ms}\n\n2 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':test'.\n> There were failing tests. See the report at: file:///w/build/reports/tests/test/index.html\n\nBUILD FAILED in ${ms}s`,
  ],
  [
    'maven',
    'mvn test',
    (name, message, ms) =>
      `[INFO] Running ATest\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.${ms} s <<< FAILURE! - in ATest\n[ERROR] ${name}  Time elapsed: 0.${ms} s  <<< FAILURE!\njava.lang.AssertionError: ${message}\n\tat ATest.${name}(ATest.java:${ms})\n\n[ERROR] Failures: \n[ERROR]   ATest.${name}:${ms} ${message}\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE\n[INFO] Total time:  1.${ms} s\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.0.0:test`,
  ],
  [
    'unittest',
    'python -m unittest',
    (name, message, ms) =>
      `F.\n======================================================================\nFAIL: ${name} (tests.A.${name})\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File "/w/tests.py", line ${ms}, in ${name}\nAssertionError: ${message}\n\n----------------------------------------------------------------------\nRan 2 tests in 0.${ms}s\n\nFAILED (failures=1)`,
  ],
];

describe('three failures', () => {
  const fail = (command: string, outputs: readonly string[]): void => {
    for (const output of outputs) project.hook(bashFailed(command, `Exit code 1\n${output}`));
  };

  it.each(PRINTS)('that differ in the test do not escalate under %s', (_, command, print) => {
    fail(command, [
      print('test_a', 'x is 1', 12),
      print('test_b', 'x is 1', 12),
      print('test_c', 'x is 1', 12),
    ]);
    expect(tests()).toMatchObject({ status: 'iterating', identical_failure_count: 1, failures_count: 3 });
  });

  it.each(PRINTS)('that differ in the message do not escalate under %s', (_, command, print) => {
    fail(command, [
      print('test_a', 'x is 1', 12),
      print('test_a', 'y is 2', 12),
      print('test_a', 'z is 3', 12),
    ]);
    expect(tests()).toMatchObject({ status: 'iterating', identical_failure_count: 1, failures_count: 3 });
  });

  it.each(PRINTS)('that are the same escalate under %s, in whatever time and line', (_, command, print) => {
    fail(command, [
      print('test_a', 'x is 1', 12),
      print('test_a', 'x is 1', 345),
      print('test_a', 'x is 1', 67),
    ]);
    expect(tests()).toMatchObject({ status: 'escalated', escalation_reason: 'circuit_breaker' });
  });

  it('that are the same escalate though nothing ran between them', () => {
    for (let run = 0; run < 3; run++) {
      project.hook(bashFailed('npm test', 'Error: boom happened'));
      project.hook(bashed('npx jest --listTests', 'a.test.js'));
    }
    expect(tests()).toMatchObject({ status: 'escalated', escalation_reason: 'circuit_breaker' });
  });
});

describe('the end of the iterations', () => {
  const failing = (count: number, max: number, more: object = {}): object => ({
    ...inPhase(
      PHASE,
      {},
      { iteration_requirements: { test_iteration: { current_iteration: count, max_iterations: max } } },
    ),
    ...more,
  });

  it('is said to be one, and not the same trouble again', () => {
    project.state(failing(2, 3));
    const text = told(project.hook(bashFailed('npm test', 'Error: boom happened')));
    expect(text).toContain(
      'TESTS FAILED (iteration 3/3): no iterations are left, so a person has to decide.',
    );
    expect(tests()).toMatchObject({ status: 'escalated', escalation_reason: 'max_iterations' });
  });

  it('is reached by failing runs, however many have passed before', () => {
    for (let run = 0; run < 9; run++) project.hook(bashed('npm test', '5 passed'));
    const text = told(project.hook(bashFailed('npm test', 'Error: boom happened')));
    expect(text).toContain('TESTS FAILED (iteration 1/10). Fix them');
    expect(tests()).toMatchObject({ status: 'iterating', current_iteration: 10, failures_count: 1 });
  });

  it.each([
    [
      'pass',
      () => bashed('npm test', '5 passed'),
      'TESTS PASSED (iteration 4), but they had failed too often',
    ],
    ['fail in another way', () => bashFailed('npm test', 'Error: other'), 'TESTS FAILED (iteration 4/10)'],
  ])('stays a matter for a person where tests %s afterwards', (_, event, says) => {
    for (let run = 0; run < 3; run++) project.hook(bashFailed('npm test', 'Error: boom happened'));
    expect(told(project.hook(event()))).toContain(says);
    expect(tests()).toMatchObject({ status: 'escalated', escalation_approved: false });
    const { exitCode, stderr } = project.rig.holdpoint(['flow', 'advance']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('a person has to run `holdpoint flow approve GATE-06`');
  });

  it('comes with the same trouble again where that is so', () => {
    const texts = [1, 2, 3].map(() => told(project.hook(bashFailed('npm test', 'Error: boom happened'))));
    expect(texts.at(-1)).toContain('TESTS FAILED (iteration 3/10): the same failure again, so');
  });

  it('is where the running iterations were told it is', () => {
    const iteration_config = { configured_at: '2026-01-01T00:00:00Z', testing_max: 3 };
    project.state(failing(2, 10, { iteration_config }));
    expect(told(project.hook(bashFailed('npm test', 'Error: boom happened')))).toContain('(iteration 3/10)');
    expect(tests()).toMatchObject({ status: 'iterating', max_iterations: 10 });
  });
});
