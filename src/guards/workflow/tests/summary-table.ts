/**
 * How test runners sum up, each with the groups `passed`, `failed`, `errors`, `skipped` and `total` that it
 * tells. Only numbers are taken from them, never a verdict. Made when they are asked for: most events run no tests.
 */
export const summaries = (): readonly RegExp[] => [
  // jest, pest: `Tests: 1 failed, 2 skipped, 4 passed, 7 total`
  /^[ \t]*Tests:\s+(?:(?<failed>\d+) failed, )?(?:\d+ (?:risky|deprecated|warnings?), )?(?:(?<skipped>\d+) skipped, )?(?:\d+ (?:todo|incomplete|notPassed), )?(?:(?<passed>\d+) passed)?(?:, )?(?:(?<total>\d+) total)?/gm,
  // vitest: `Tests  1 failed | 4 passed | 2 skipped (7)`
  /^[ \t]*Tests\s+(?:(?<failed>\d+) failed(?: \| )?)?(?:(?<passed>\d+) passed(?: \| )?)?(?:(?<skipped>\d+) skipped(?: \| )?)?(?:\d+ todo )?\s*\((?<total>\d+)\)/gm,
  // pytest: `1 failed, 5 passed, 2 skipped, 1 error in 0.03s`
  /^=*[ \t]*(?:(?<failed>\d+) failed,? ?)?(?:(?<passed>\d+) passed,? ?)?(?:(?<skipped>\d+) skipped,? ?)?(?:\d+ (?:deselected|xfailed|xpassed|warnings?),? ?)*(?:(?<errors>\d+) errors?,? ?)?(?:\d+ (?:deselected|xfailed|xpassed|warnings?),? ?)*in [\d.]+ ?s/gm,
  // cargo: `test result: ok. 5 passed; 0 failed; 1 ignored`
  /test result: \w+\. (?<passed>\d+) passed; (?<failed>\d+) failed; (?<skipped>\d+) ignored/g,
  // deno: `ok | 5 passed | 1 failed (3 steps)`
  /^(?:ok|FAILED) \| (?<passed>\d+) passed(?: \([^)]*\))? \| (?<failed>\d+) failed/gm,
  // mocha: `5 passing`, `1 failing`, `2 pending`
  /^[ \t]*(?<passed>\d+) passing\b/gm,
  /^[ \t]*(?<failed>\d+) failing\b/gm,
  // node, tap: `# pass 5`, `ℹ fail 1`
  /^(?:#|\u2139)\s+pass\s+(?<passed>\d+)/gm,
  /^(?:#|\u2139)\s+fail\s+(?<failed>\d+)/gm,
  // bun: ` 5 pass`, ` 1 fail`
  /^[ \t]*(?<passed>\d+) pass$/gm,
  /^[ \t]*(?<failed>\d+) fail$/gm,
  // playwright: `  1 failed`, `  5 passed (3.2s)`
  /^[ \t]+(?<passed>\d+) passed \([\d.]+m?s\)/gm,
  /^[ \t]+(?<failed>\d+) failed$/gm,
  // unittest: `Ran 5 tests in 0.1s`, `FAILED (failures=1, errors=2)`
  /^Ran (?<total>\d+) tests? in [^\n]*\n+(?:OK|FAILED \((?:failures=(?<failed>\d+))?(?:, )?(?:errors=(?<errors>\d+))?)/gm,
  // phpunit: `OK (5 tests, 7 assertions)`, `Tests: 5, Assertions: 7, Failures: 1, Errors: 1`
  /^OK \((?<passed>\d+) tests?, \d+ assertions?\)/gm,
  /^Tests: (?<total>\d+), Assertions: \d+(?:, Errors: (?<errors>\d+))?(?:, Failures: (?<failed>\d+))?(?:, Errors: \d+)?/gm,
  // rspec, exunit, jasmine: `5 examples, 1 failure, 2 pending`
  /^[ \t]*(?:\d+ (?:doctests?|properties|features?), )*(?<total>\d+) (?:examples?|tests?|specs?), (?<failed>\d+) failures?/gm,
  // minitest: `10 runs, 20 assertions, 1 failures, 0 errors, 0 skips`
  /^(?<total>\d+) (?:runs|tests), \d+ assertions, (?<failed>\d+) failures, (?<errors>\d+) errors/gm,
  // dotnet: `Failed: 1, Passed: 4, Skipped: 0, Total: 5`
  /Failed:\s+(?<failed>\d+), Passed:\s+(?<passed>\d+), Skipped:\s+(?<skipped>\d+), Total:\s+(?<total>\d+)/g,
  // maven: `Tests run: 5, Failures: 1, Errors: 0, Skipped: 0`
  /Tests run: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<errors>\d+), Skipped: (?<skipped>\d+)(?!.*Time elapsed)/g,
  // gradle: `5 tests completed, 1 failed`
  /^(?<total>\d+) tests? completed, (?<failed>\d+) failed/gm,
  // ctest: `80% tests passed, 1 tests failed out of 5`
  /% tests passed, (?<failed>\d+) tests failed out of (?<total>\d+)/g,
  // bazel: `Executed 3 out of 3 tests: 2 tests pass and 1 fails locally.`
  /^Executed \d+ out of (?<total>\d+) tests?:(?: (?<passed>\d+) tests? pass(?:es)?)?(?:.*?(?<failed>\d+) fails?\b)?/gm,
  // swift, xcodebuild: `Executed 5 tests, with 1 failure`
  /Executed (?<total>\d+) tests?, with (?:\d+ tests? skipped and )?(?<failed>\d+) failures?/g,
  // flutter, dart: `00:05 +5 ~1 -1: Some tests failed.`
  /^\d\d:\d\d \+(?<passed>\d+)(?: ~(?<skipped>\d+))?(?: -(?<failed>\d+))?: (?:All tests passed|Some tests failed)/gm,
  // karma: `Executed 5 of 5 (1 FAILED)`
  /Executed \d+ of (?<total>\d+)(?: \((?<failed>\d+) FAILED\))?/g,
  // ava: `5 tests passed`, `1 test failed`
  /^[ \t]*(?<passed>\d+) tests? passed$/gm,
  /^[ \t]*(?<failed>\d+) tests? failed$/gm,
  // sbt: `Tests: succeeded 4, failed 1`, `Passed: Total 5, Failed 0`
  /Tests: succeeded (?<passed>\d+), failed (?<failed>\d+)/g,
  /(?:Passed|Failed): Total (?<total>\d+), Failed (?<failed>\d+), Errors (?<errors>\d+)/g,
  // cucumber, behave: `2 scenarios (1 failed, 1 passed)`, `3 scenarios passed, 1 failed, 0 skipped`
  /^(?<total>\d+) scenarios? \((?:(?<failed>\d+) failed)?/gm,
  /^\d+ features? passed[^\n]*\n(?<passed>\d+) scenarios? passed, (?<failed>\d+) failed/gm,
  // go: packages, and single tests where they are listed
  /^(?:ok {2}\t\S+|--- (?<passed>PASS):)/gm,
  /^(?:FAIL\t\S+|--- (?<failed>FAIL):)/gm,
  // tap
  /^(?<passed>ok) \d+\b(?! # SKIP)/gm,
  /^(?<failed>not ok) \d+\b(?! # (?:SKIP|TODO))/gm,
];
