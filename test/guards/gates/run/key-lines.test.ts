import { describe, expect, it } from 'vitest';
import { keyLines } from '../../../../src/guards/gates/run/key-lines';

/** A tool, what it printed, and the lines of that which have to be shown; nothing else may be. */
const OUTPUTS: readonly (readonly [tool: string, output: string, told: readonly string[]])[] = [
  [
    'vitest',
    `
> demo@1.0.0 test
> vitest run

\x1b[1m\x1b[30m\x1b[46m RUN \x1b[49m\x1b[39m\x1b[22m \x1b[36mv4.1.12 \x1b[39m\x1b[90m/tmp/demo\x1b[39m

 \x1b[31m❯\x1b[39m src/sum.test.ts \x1b[2m(\x1b[22m2 tests | \x1b[31m1 failed\x1b[39m) 9ms
\x1b[31m   \x1b[31m×\x1b[31m adds\x1b[39m\x1b[32m 6\x1b[2mms\x1b[22m\x1b[39m

\x1b[31m⎯⎯⎯⎯⎯⎯⎯\x1b[39m\x1b[1m\x1b[41m Failed Tests 1 \x1b[49m\x1b[22m\x1b[31m⎯⎯⎯⎯⎯⎯⎯\x1b[39m

\x1b[41m\x1b[1m FAIL \x1b[22m\x1b[49m src/sum.test.ts\x1b[2m > \x1b[22madds
\x1b[31m\x1b[1mAssertionError\x1b[22m: expected 3 to be 4 // Object.is equality\x1b[39m

\x1b[32m- Expected\x1b[39m
\x1b[31m+ Received\x1b[39m

\x1b[32m- 4\x1b[39m
\x1b[31m+ 3\x1b[39m

\x1b[36m \x1b[2m❯\x1b[22m src/sum.test.ts:\x1b[2m5:17\x1b[22m\x1b[39m
    \x1b[90m  4|\x1b[39m   expect(sum(1, 2))
    \x1b[90m  5|\x1b[39m   .toBe(4)

\x1b[31m\x1b[2m⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯\x1b[22m\x1b[39m

 Test Files  1 failed (1)
      Tests  1 failed | 1 passed (2)
   Start at  08:26:51
   Duration  245ms (transform 16ms, setup 0ms, import 25ms)
`,
    [
      ' FAIL  src/sum.test.ts > adds',
      'AssertionError: expected 3 to be 4 // Object.is equality',
      '- Expected',
      '+ Received',
      '- 4',
      '+ 3',
      ' ❯ src/sum.test.ts:5:17',
    ],
  ],
  [
    'jest',
    `FAIL src/sum.test.js
  ✓ subtracts (1 ms)
  ✕ adds (3 ms)

  ● adds

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

      1 | test('adds', () => {
    > 2 |   expect(1 + 2).toBe(4);
        |                 ^
      3 | });

      at Object.toBe (src/sum.test.js:2:17)
      at Promise.then.completed (node_modules/jest-circus/build/utils.js:298:28)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 passed, 2 total
`,
    [
      '  ● adds',
      '    expect(received).toBe(expected) // Object.is equality',
      '    Expected: 4',
      '    Received: 3',
      '    > 2 |   expect(1 + 2).toBe(4);',
      '        |                 ^',
      '      at Object.toBe (src/sum.test.js:2:17)',
    ],
  ],
  [
    'mocha',
    `

  sum
    ✔ subtracts
    1) adds


  1 passing (4ms)
  1 failing

  1) sum
       adds:

      AssertionError: expected 3 to equal 4
      + expected - actual

      -3
      +4

      at Proxy.<anonymous> (node_modules/chai/chai.js:12:3)
      at Context.<anonymous> (test/sum.js:6:12)
      at process.processImmediate (node:internal/timers:483:21)

`,
    [
      '  1) sum',
      '       adds:',
      '      AssertionError: expected 3 to equal 4',
      '      + expected - actual',
      '      -3',
      '      +4',
      '      at Context.<anonymous> (test/sum.js:6:12)',
    ],
  ],
  [
    'node --test',
    `✔ subtracts (0.4ms)
✖ adds (1.2ms)
ℹ tests 2
ℹ pass 1
ℹ fail 1

✖ failing tests:

test at sum.test.mjs:3:1
✖ adds (1.2ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  3 !== 4

      at TestContext.<anonymous> (file:///tmp/demo/sum.test.mjs:4:10)
      at Test.run (node:internal/test_runner/test:796:25)
`,
    [
      'test at sum.test.mjs:3:1',
      '✖ adds (1.2ms)',
      '  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
      '  3 !== 4',
      '      at TestContext.<anonymous> (file:///tmp/demo/sum.test.mjs:4:10)',
    ],
  ],
  [
    'TAP',
    `TAP version 13
# Subtest: adds
not ok 1 - adds
  ---
  duration_ms: 2.240324
  location: '/tmp/demo/sum.test.mjs:2:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:
    
    3 !== 4
    
  code: 'ERR_ASSERTION'
  name: 'AssertionError'
  expected: 4
  actual: 3
  operator: 'strictEqual'
  stack: |-
    TestContext.<anonymous> (file:///tmp/demo/sum.test.mjs:2:29)
    Test.run (node:internal/test_runner/test:796:25)
  ...
# Subtest: ok
ok 2 - ok
  ---
  duration_ms: 0.260356
  ...
1..2
# fail 1
`,
    [
      'not ok 1 - adds',
      "  location: '/tmp/demo/sum.test.mjs:2:1'",
      '  error: |-',
      '    Expected values to be strictly equal:',
      '    3 !== 4',
      '  expected: 4',
      '  actual: 3',
    ],
  ],
  [
    'pytest',
    `============================= test session starts ==============================
platform linux -- Python 3.12.3, pytest-8.3.3, pluggy-1.5.0
collected 2 items

test_sum.py F.                                                           [100%]

=================================== FAILURES ===================================
__________________________________ test_adds ___________________________________

    def test_adds():
>       assert add(1, 2) == 4
E       assert 3 == 4
E        +  where 3 = add(1, 2)

test_sum.py:5: AssertionError
=========================== short test summary info ============================
FAILED test_sum.py::test_adds - assert 3 == 4
========================= 1 failed, 1 passed in 0.02s ==========================
`,
    [
      '>       assert add(1, 2) == 4',
      'E       assert 3 == 4',
      'E        +  where 3 = add(1, 2)',
      'test_sum.py:5: AssertionError',
      'FAILED test_sum.py::test_adds - assert 3 == 4',
    ],
  ],
  [
    'unittest',
    `F.
======================================================================
FAIL: test_adds (test_sum.SumTest.test_adds)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/tmp/demo/test_sum.py", line 5, in test_adds
    self.assertEqual(add(1, 2), 4)
AssertionError: 3 != 4

----------------------------------------------------------------------
Ran 2 tests in 0.001s

FAILED (failures=1)
`,
    [
      'FAIL: test_adds (test_sum.SumTest.test_adds)',
      '  File "/tmp/demo/test_sum.py", line 5, in test_adds',
      '    self.assertEqual(add(1, 2), 4)',
      'AssertionError: 3 != 4',
    ],
  ],
  [
    'go test',
    `--- FAIL: TestAdds (0.00s)
    sum_test.go:7: got 3, want 4
FAIL
FAIL	example.com/sum	0.002s
FAIL
`,
    ['--- FAIL: TestAdds (0.00s)', '    sum_test.go:7: got 3, want 4'],
  ],
  [
    'go build',
    `# example.com/sum
./sum.go:5:9: undefined: x
FAIL	example.com/sum [build failed]
FAIL
`,
    ['./sum.go:5:9: undefined: x'],
  ],
  [
    'cargo test',
    `   Compiling sum v0.1.0 (/tmp/demo)
    Finished \`test\` profile [unoptimized + debuginfo] target(s) in 0.31s
     Running unittests src/lib.rs (target/debug/deps/sum-4f0c)

running 2 tests
test tests::subtracts ... ok
test tests::adds ... FAILED

failures:

---- tests::adds stdout ----
thread 'tests::adds' panicked at src/lib.rs:10:9:
assertion \`left == right\` failed
  left: 3
 right: 4
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace


failures:
    tests::adds

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out
`,
    [
      "thread 'tests::adds' panicked at src/lib.rs:10:9:",
      'assertion `left == right` failed',
      '  left: 3',
      ' right: 4',
    ],
  ],
  [
    'rustc',
    `   Compiling sum v0.1.0 (/tmp/demo)
error[E0425]: cannot find value \`x\` in this scope
 --> src/lib.rs:2:5
  |
2 |     x
  |     ^ not found in this scope

For more information about this error, try \`rustc --explain E0425\`.
`,
    [
      'error[E0425]: cannot find value `x` in this scope',
      ' --> src/lib.rs:2:5',
      '  |',
      '2 |     x',
      '  |     ^ not found in this scope',
    ],
  ],
  [
    'clippy',
    `warning: unused variable: \`x\`
 --> src/main.rs:2:9
  |
2 |     let x = 1;
  |         ^

error: unneeded \`return\` statement
 --> src/main.rs:5:5
  |
5 |     return 1;
  |     ^^^^^^^^

error: could not compile \`demo\` (bin "demo") due to 1 previous error; 1 warning emitted
`,
    [
      'error: unneeded `return` statement',
      ' --> src/main.rs:5:5',
      '  |',
      '5 |     return 1;',
      '  |     ^^^^^^^^',
    ],
  ],
  [
    'ExUnit',
    `  1) test adds (SumTest)
     test/sum_test.exs:4
     Assertion with == failed
     code:  assert Sum.add(1, 2) == 4
     left:  3
     right: 4
     stacktrace:
       test/sum_test.exs:5: (test)

Finished in 0.02 seconds
2 tests, 1 failure
`,
    [
      '  1) test adds (SumTest)',
      '     test/sum_test.exs:4',
      '     Assertion with == failed',
      '     code:  assert Sum.add(1, 2) == 4',
      '     left:  3',
      '     right: 4',
    ],
  ],
  [
    'deno test',
    `running 2 tests from ./sum_test.ts
adds ... FAILED (3ms)

 ERRORS

adds => ./sum_test.ts:3:6
error: AssertionError: Values are not equal.

-   3
+   4

    at assertEquals (https://jsr.io/@std/assert/1.0.6/equals.ts:64:9)
    at file:///tmp/demo/sum_test.ts:4:3

FAILED | 1 passed | 1 failed (5ms)
`,
    [
      'error: AssertionError: Values are not equal.',
      '-   3',
      '+   4',
      '    at assertEquals (https://jsr.io/@std/assert/1.0.6/equals.ts:64:9)',
      '    at file:///tmp/demo/sum_test.ts:4:3',
    ],
  ],
  [
    'dotnet test',
    `  Failed Demo.SumTests.Adds [12 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 4
Actual:   3
  Stack Trace:
     at Demo.SumTests.Adds() in /tmp/demo/SumTests.cs:line 10

Failed!  - Failed:     1, Passed:     1, Skipped:     0
`,
    [
      '  Failed Demo.SumTests.Adds [12 ms]',
      '  Error Message:',
      '   Assert.Equal() Failure: Values differ',
      'Expected: 4',
      'Actual:   3',
      '  Stack Trace:',
      '     at Demo.SumTests.Adds() in /tmp/demo/SumTests.cs:line 10',
    ],
  ],
  [
    'rspec',
    `.F

Failures:

  1) Sum adds
     Failure/Error: expect(Sum.add(1, 2)).to eq(4)

       expected: 4
            got: 3

       (compared using ==)
     # ./spec/sum_spec.rb:4:in \`block (2 levels) in <top (required)>'

Finished in 0.01 seconds (files took 0.1 seconds to load)
2 examples, 1 failure
`,
    [
      '  1) Sum adds',
      '     Failure/Error: expect(Sum.add(1, 2)).to eq(4)',
      '       expected: 4',
      '            got: 3',
      '       (compared using ==)',
      "     # ./spec/sum_spec.rb:4:in `block (2 levels) in <top (required)>'",
    ],
  ],
  [
    'Maven',
    `[INFO] Running com.example.SumTest
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in com.example.SumTest
[ERROR] com.example.SumTest.adds -- Time elapsed: 0.01 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
	at org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
	at com.example.SumTest.adds(SumTest.java:10)

[INFO] Results:
[ERROR] Failures: 
[ERROR]   SumTest.adds:10 expected: <4> but was: <3>
[INFO] BUILD FAILURE
`,
    ['[ERROR]   SumTest.adds:10 expected: <4> but was: <3>'],
  ],
  [
    'Gradle',
    `> Task :compileJava
> Task :test FAILED

SumTest > adds() FAILED
    org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
        at app//org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
        at app//com.example.SumTest.adds(SumTest.java:10)

2 tests completed, 1 failed

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':test'.
> There were failing tests. See the report at: file:///tmp/demo/build/reports/tests/test/index.html
`,
    [
      'SumTest > adds() FAILED',
      '    org.opentest4j.AssertionFailedError: expected: <4> but was: <3>',
      '        at app//com.example.SumTest.adds(SumTest.java:10)',
    ],
  ],
  [
    'PHPUnit',
    `PHPUnit 11.3.1 by Sebastian Bergmann and contributors.

F.                                                                  2 / 2 (100%)

There was 1 failure:

1) Tests\\SumTest::testAdds
Failed asserting that 3 matches expected 4.

/tmp/demo/tests/SumTest.php:10

FAILURES!
Tests: 2, Assertions: 2, Failures: 1.
`,
    [
      '1) Tests\\SumTest::testAdds',
      'Failed asserting that 3 matches expected 4.',
      '/tmp/demo/tests/SumTest.php:10',
    ],
  ],
  [
    'tsc',
    `src/sum.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.
src/sum.ts(2,30): error TS2304: Cannot find name 'y'.
npm error code 2
npm error command failed
`,
    [
      "src/sum.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
      "src/sum.ts(2,30): error TS2304: Cannot find name 'y'.",
    ],
  ],
  [
    'tsc --pretty',
    `\x1b[96msrc/sum.ts\x1b[0m:\x1b[93m1\x1b[0m:\x1b[93m7\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2322: \x1b[0mType 'string' is not assignable to type 'number'.

\x1b[7m1\x1b[0m const x: number = 'a';
\x1b[7m \x1b[0m \x1b[91m      ~\x1b[0m


Found 1 error in src/sum.ts:1
`,
    ["src/sum.ts:1:7 - error TS2322: Type 'string' is not assignable to type 'number'."],
  ],
  [
    'eslint',
    `
/tmp/demo/src/a.js
  1:1   warning  Unexpected console statement                    no-console
  3:7   error    'x' is assigned a value but never used          no-unused-vars

/tmp/demo/src/b.js
  9:10  error    Expected '===' and instead saw '=='             eqeqeq
  9:30  error    Missing semicolon                               semi

✖ 4 problems (3 errors, 1 warning)
`,
    [
      '/tmp/demo/src/a.js',
      "  3:7   error    'x' is assigned a value but never used          no-unused-vars",
      '/tmp/demo/src/b.js',
      "  9:10  error    Expected '===' and instead saw '=='             eqeqeq",
      '  9:30  error    Missing semicolon                               semi',
    ],
  ],
  [
    'Biome',
    `src/a.ts:1:7 lint/correctness/noUnusedVariables  FIXABLE  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━

  × This variable x is unused.
  
  > 1 │ const x: number = 'a';
      │       ^
    2 │ export function f() { return y; }
  
  i Unused variables are often the result of typos, incomplete refactors, or other sources of bugs.

Checked 1 file in 2ms. No fixes applied.
Found 1 error.
`,
    [
      'src/a.ts:1:7 lint/correctness/noUnusedVariables  FIXABLE ━━━',
      '  × This variable x is unused.',
      "  > 1 │ const x: number = 'a';",
    ],
  ],
  [
    'gcc under make',
    `cc -Wall -c sum.c -o sum.o
sum.c: In function 'add':
sum.c:3:10: error: 'x' undeclared (first use in this function)
    3 |   return x;
      |          ^
sum.c:3:10: note: each undeclared identifier is reported only once
make: *** [Makefile:2: sum.o] Error 1
`,
    [
      "sum.c:3:10: error: 'x' undeclared (first use in this function)",
      '    3 |   return x;',
      '      |          ^',
    ],
  ],
  [
    'mypy',
    `sum.py:3: error: Incompatible types in assignment (expression has type "str", variable has type "int")  [assignment]

Found 1 error in 1 file (checked 1 source file)
`,
    [
      'sum.py:3: error: Incompatible types in assignment (expression has type "str", variable has type "int")  [assignment]',
    ],
  ],
  [
    'ruff',
    `F401 [*] \`os\` imported but unused
 --> sum.py:1:8
  |
1 | import os
  |        ^^
  |
help: Remove unused import: \`os\`

Found 1 error.
[*] 1 fixable with the \`--fix\` option.
`,
    [
      'F401 [*] `os` imported but unused',
      ' --> sum.py:1:8',
      '  |',
      '1 | import os',
      '  |        ^^',
      '  |',
      'help: Remove unused import: `os`',
    ],
  ],
  [
    'flake8',
    `./sum.py:1:1: F401 'os' imported but unused
./sum.py:7:80: E501 line too long (92 > 79 characters)
`,
    ["./sum.py:1:1: F401 'os' imported but unused", './sum.py:7:80: E501 line too long (92 > 79 characters)'],
  ],
  [
    'Prettier',
    `Checking formatting...
[warn] src/a.ts
[warn] Code style issues found in the above file. Run Prettier with --write to fix.
`,
    ['[warn] src/a.ts'],
  ],
  [
    'ShellCheck',
    `
In run.sh line 3:
echo $name
     ^---^ SC2086 (info): Double quote to prevent globbing and word splitting.

For more information:
  https://www.shellcheck.net/wiki/SC2086
`,
    [
      'In run.sh line 3:',
      'echo $name',
      '     ^---^ SC2086 (info): Double quote to prevent globbing and word splitting.',
    ],
  ],
  [
    'a crashed Node program',
    `building pages
file:///tmp/demo/build.mjs:3
  throw new Error('no template');
  ^

Error: no template
    at file:///tmp/demo/build.mjs:3:9
    at ModuleJob.run (node:internal/modules/esm/module_job:222:25)

Node.js v20.20.2
`,
    [
      'file:///tmp/demo/build.mjs:3',
      "  throw new Error('no template');",
      '  ^',
      'Error: no template',
      '    at file:///tmp/demo/build.mjs:3:9',
    ],
  ],
  [
    'a crashed Python program',
    `loading
Traceback (most recent call last):
  File "/tmp/demo/build.py", line 7, in <module>
    main()
  File "/tmp/demo/build.py", line 4, in main
    return pages['index']
KeyError: 'index'
`,
    [
      '  File "/tmp/demo/build.py", line 7, in <module>',
      '    main()',
      '  File "/tmp/demo/build.py", line 4, in main',
      "    return pages['index']",
      "KeyError: 'index'",
    ],
  ],
  [
    'npm without the script',
    `npm error Missing script: "tset"
npm error
npm error Did you mean this?
npm error   npm run test # run the "test" package script
npm error A complete log of this run can be found in: /home/me/.npm/_logs/x-debug-0.log
`,
    ['npm error Missing script: "tset"', 'npm error Did you mean this?'],
  ],
  ['a shell', 'checking\nsh: 1: frobnicate: not found\n', ['sh: 1: frobnicate: not found']],
  [
    'a tool of the project',
    `step 1 of 3: ok (0 errors)
step 2 of 3: comparing pages
page /about: expected 3 links, found 2
step 3 of 3: ok
done in 3 s
`,
    ['step 2 of 3: comparing pages', 'page /about: expected 3 links, found 2', 'step 3 of 3: ok'],
  ],
  ['a tool with a progress bar', '10%\r50%\r100%\nchecksum differs\n', ['100%', 'checksum differs']],
  [
    'a tool that says nothing of use',
    Array.from({ length: 40 }, (_, n) => `line ${n + 1}`).join('\n'),
    Array.from({ length: 10 }, (_, n) => `line ${n + 31}`),
  ],
  ['a silent tool', '\n\n', []],
];

describe('the lines that tell why a tool failed', () => {
  it.each(OUTPUTS)('%s', (_tool, output, told) => {
    expect(keyLines(output)).toEqual(told);
  });

  it('are at most 24 and a count of the rest, whole findings first', () => {
    const findings = Array.from(
      { length: 200 },
      (_, n) => `src/a.ts(${n},1): error TS2304: Cannot find name.`,
    );
    const told = keyLines(findings.join('\n'));
    expect(told.length).toBeLessThanOrEqual(25);
    expect(told[0]).toBe(findings[0]);
    expect(told.at(-1)).toMatch(/^… \d+ more in the log$/);
  });

  it('keep the place of a failure whose difference is long', () => {
    const diff = Array.from({ length: 60 }, (_, n) => `-   "key${n}": 1,`);
    const told = keyLines([' FAIL  a.test.ts > x', ...diff, ' ❯ a.test.ts:5:1'].join('\n'));
    expect([told[0], told.at(-1)]).toEqual([' FAIL  a.test.ts > x', ' ❯ a.test.ts:5:1']);
    expect(told.length).toBeLessThan(20);
  });

  it.each([
    ['dots', '.'],
    ['spaces', ' '],
  ])('are found in a megabyte in no time, half of it %s', (_what, char) => {
    const output = `${char.repeat(500_000)}\n${'a line of text\n'.repeat(40_000)}src/a.ts(1,1): error TS1: x\n`;
    const begun = process.cpuUsage();
    expect(keyLines(output)).toEqual(['src/a.ts(1,1): error TS1: x']);
    expect(process.cpuUsage(begun).user / 1000).toBeLessThan(20_000);
  });

  it('are found soon among tens of thousands of findings in one file', () => {
    const begun = process.cpuUsage();
    const told = keyLines(`src/a.js\n${'  1:1  error  Delete `␍`  prettier\n'.repeat(40_000)}`);
    expect(told.slice(0, 2)).toEqual(['src/a.js', '  1:1  error  Delete `␍`  prettier']);
    expect(process.cpuUsage(begun).user / 1000).toBeLessThan(10_000);
  });
});
