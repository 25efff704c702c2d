import { describe, expect, test } from 'vitest';
import { countsIn, coverageIn } from '../../../src/guards/workflow/test-output';

/** What runners print at their end, as they print it. */
const SUMMARIES: readonly (readonly [string, string, { passed: number; failed: number } | undefined])[] = [
  ['jest, all well', 'Tests:       5 passed, 5 total\nSnapshots:   0 total', { passed: 5, failed: 0 }],
  ['jest, one bad', 'Tests:       1 failed, 4 passed, 5 total', { passed: 4, failed: 1 }],
  ['jest with skipped', 'Tests:       2 skipped, 3 passed, 5 total', { passed: 3, failed: 0 }],
  ['jest, all bad', 'Tests:       3 failed, 3 total', { passed: 0, failed: 3 }],
  ['vitest', ' Test Files  1 passed (1)\n      Tests  5 passed (5)', { passed: 5, failed: 0 }],
  ['vitest, one bad', '      Tests  1 failed | 4 passed (5)', { passed: 4, failed: 1 }],
  ['vitest with skipped', '      Tests  4 passed | 1 skipped (5)', { passed: 4, failed: 0 }],
  ['pytest', '===== 5 passed in 0.03s =====', { passed: 5, failed: 0 }],
  ['pytest -q', '5 passed in 0.03s', { passed: 5, failed: 0 }],
  ['pytest, bad', '== 1 failed, 4 passed, 2 warnings in 0.12s ==', { passed: 4, failed: 1 }],
  ['pytest, error', '== 4 passed, 1 error in 0.12s ==', { passed: 4, failed: 1 }],
  ['pytest, nothing', '==== no tests ran in 0.01s ====', undefined],
  ['cargo', 'test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured', { passed: 5, failed: 0 }],
  [
    'cargo, two crates, the second bad',
    'test result: ok. 5 passed; 0 failed; 0 ignored\ntest result: FAILED. 1 passed; 2 failed; 0 ignored',
    { passed: 6, failed: 2 },
  ],
  ['go', 'ok  \texample.com/a\t0.003s\nok  \texample.com/b\t0.1s', { passed: 2, failed: 0 }],
  ['go -v', '=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \ta\t0.01s', { passed: 2, failed: 0 }],
  ['go, bad', '--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.003s', { passed: 0, failed: 2 }],
  ['go, nothing to test', '?   \texample.com/a\t[no test files]', undefined],
  ['mocha', '  5 passing (12ms)\n', { passed: 5, failed: 0 }],
  ['mocha, bad', '  4 passing (12ms)\n  1 failing\n', { passed: 4, failed: 1 }],
  ['node, TAP', '# tests 5\n# pass 5\n# fail 0', { passed: 5, failed: 0 }],
  ['node, spec', '✔ a\n✖ b\nℹ tests 2\nℹ pass 1\nℹ fail 1', { passed: 1, failed: 1 }],
  ['bun', ' 5 pass\n 0 fail\n 7 expect() calls', { passed: 5, failed: 0 }],
  ['deno', 'ok | 5 passed | 0 failed (12ms)', { passed: 5, failed: 0 }],
  ['deno, bad', 'FAILED | 4 passed | 1 failed (12ms)', { passed: 4, failed: 1 }],
  ['playwright', '  5 passed (3.2s)', { passed: 5, failed: 0 }],
  ['playwright, bad', '  1 failed\n    a.spec.ts:3:5 › x\n  4 passed (3.2s)', { passed: 4, failed: 1 }],
  ['unittest', 'Ran 5 tests in 0.001s\n\nOK', { passed: 5, failed: 0 }],
  ['unittest, bad', 'Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1)', { passed: 3, failed: 2 }],
  ['phpunit', 'OK (5 tests, 7 assertions)', { passed: 5, failed: 0 }],
  ['phpunit, bad', 'FAILURES!\nTests: 5, Assertions: 7, Failures: 1.', { passed: 4, failed: 1 }],
  ['pest', '  Tests:    1 failed, 4 passed (9 assertions)', { passed: 4, failed: 1 }],
  ['rspec', '5 examples, 0 failures, 1 pending', { passed: 4, failed: 0 }],
  ['rspec, bad', '5 examples, 1 failure', { passed: 4, failed: 1 }],
  ['exunit', '3 doctests, 5 tests, 1 failure', { passed: 4, failed: 1 }],
  ['minitest', '10 runs, 20 assertions, 1 failures, 1 errors, 0 skips', { passed: 8, failed: 2 }],
  [
    'dotnet',
    'Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5',
    { passed: 5, failed: 0 },
  ],
  [
    'dotnet, bad',
    'Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5',
    { passed: 4, failed: 1 },
  ],
  ['maven', '[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1', { passed: 4, failed: 0 }],
  ['maven, bad', '[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 0', { passed: 3, failed: 2 }],
  ['gradle, bad', '5 tests completed, 1 failed', { passed: 4, failed: 1 }],
  ['gradle says only that it was built', 'BUILD SUCCESSFUL in 3s', undefined],
  ['ctest', '100% tests passed, 0 tests failed out of 5', { passed: 5, failed: 0 }],
  ['ctest, bad', '80% tests passed, 1 tests failed out of 5', { passed: 4, failed: 1 }],
  ['bazel', 'Executed 3 out of 3 tests: 3 tests pass.', { passed: 3, failed: 0 }],
  ['bazel, bad', 'Executed 3 out of 3 tests: 2 tests pass and 1 fails locally.', { passed: 2, failed: 1 }],
  ['swift', 'Executed 5 tests, with 1 failure (0 unexpected) in 0.1 seconds', { passed: 4, failed: 1 }],
  ['flutter', '00:05 +5: All tests passed!', { passed: 5, failed: 0 }],
  ['flutter, bad', '00:05 +4 -1: Some tests failed.', { passed: 4, failed: 1 }],
  ['karma', 'Chrome: Executed 5 of 5 (1 FAILED) (0.1 secs)', { passed: 4, failed: 1 }],
  ['ava', '  5 tests passed\n', { passed: 5, failed: 0 }],
  ['sbt', '[info] Tests: succeeded 4, failed 1, canceled 0', { passed: 4, failed: 1 }],
  ['cucumber', '2 scenarios (1 failed, 1 passed)', { passed: 1, failed: 1 }],
  ['bats', '1..3\nok 1 a\nnot ok 2 b\nok 3 c', { passed: 2, failed: 1 }],
  [
    'maven, by classes and all',
    '[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 s - in a.B\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0',
    { passed: 3, failed: 0 },
  ],
  [
    'vitest, by files and all',
    ' ❯ a.test.ts (3 tests | 1 failed) 20ms\n Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)',
    { passed: 2, failed: 1 },
  ],
  [
    'what a program says of itself',
    'server started, 2 failed logins, 3 skipped rows\n3 errors\nfailed: 3\nFound 2 errors in 1 file.',
    undefined,
  ],
  ['lein', 'Ran 5 tests containing 9 assertions.\n0 failures, 0 errors.', { passed: 5, failed: 0 }],
  ['no failures, of who knows how many', '0 failures, 0 errors.', undefined],
  [
    'meson',
    'Ok:                 3\nExpected Fail:      0\nFail:               0\nUnexpected Pass:    0',
    { passed: 3, failed: 0 },
  ],
  [
    'swift, of two kinds',
    ' Executed 0 tests, with 0 failures (0 unexpected) in 0.0 (0.0) seconds\n✔ Test run with 5 tests in 1 suite passed after 0.1 seconds.',
    { passed: 5, failed: 0 },
  ],
  [
    'prove',
    'All tests successful.\nFiles=1, Tests=2, 0 wallclock secs\nResult: PASS',
    { passed: 1, failed: 0 },
  ],
  ['meson, bad', 'Ok:                 3\nFail:               1', { passed: 3, failed: 1 }],
  ['zig', 'All 5 tests passed.', { passed: 5, failed: 0 }],
  ['pytest with subtests', '5 passed, 2 subtests passed in 0.1s', { passed: 5, failed: 0 }],
  ['busted', '5 successes / 0 failures / 0 errors / 0 pending : 0.002 seconds', { passed: 5, failed: 0 }],
  ['terraform', 'Success! 5 passed, 0 failed.', { passed: 5, failed: 0 }],
  ['testthat', '[ FAIL 1 | WARN 0 | SKIP 0 | PASS 4 ]', { passed: 4, failed: 1 }],
  [
    'turbo',
    'web:test:  Test Files  1 failed (1)\nweb:test:       Tests  1 failed | 5 passed (6)\n@a/b:test: Tests: 2 passed, 2 total\n Tasks:    1 successful, 2 total',
    { passed: 7, failed: 1 },
  ],
  ['compose', 'app-1  | Tests:       5 passed, 5 total\napp-1 exited with code 0', { passed: 5, failed: 0 }],
  [
    'pnpm',
    'packages/a test: Snapshots:   0 total\npackages/a test:  Tests  5 passed (5)',
    { passed: 5, failed: 0 },
  ],
  ['a report about tests', 'We looked at the test of the parser and 3 other files.', undefined],
  ['a tick', '✓ compiled', undefined],
  ['nothing', '', undefined],
];

describe('the numbers at the end of a run', () => {
  test.each(SUMMARIES)('%s', (_, output, expected) => {
    const found = countsIn(output);
    expect(found && { passed: found.passed, failed: found.failed }).toEqual(
      expected === undefined ? undefined : expected,
    );
  });
});

test.each<[string, string, number | undefined]>([
  ['istanbul', 'All files      |   81.25 |    70 |', 81.25],
  ['pytest-cov', 'TOTAL     120     18    85%', 85],
  ['go', 'ok  \ta\t0.1s\tcoverage: 72.4% of statements', 72.4],
  ['none', '5 passed in 0.1s', undefined],
])('coverage as %s prints it', (_, output, expected) => {
  expect(coverageIn(output)).toBe(expected);
});
