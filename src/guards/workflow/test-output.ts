export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

/**
 * The summaries of test runners, each with those of the groups `passed`, `failed`, `errors`, `skipped`,
 * `todo` and `total` that it has. We take only numbers from them, never a verdict.
 */
const SUMMARIES = [
  // jest, pest: `Tests: 1 failed, 2 skipped, 1 todo, 4 passed, 8 total`
  /^[ \t]*Tests:\s+(?:(?<failed>\d+) failed, )?(?:\d+ (?:risky|deprecated|warnings?), )?(?:(?<skipped>\d+) skipped(?:, )?)?(?:(?<todo>\d+) (?:todo|incomplete|notPassed)(?:, )?)?(?:(?<passed>\d+) passed)?(?:, )?(?:(?<total>\d+) total)?/gm,
  // vitest: `Tests  1 failed | 4 passed | 2 skipped | 1 todo (8)`
  /^[ \t]*Tests\s+(?:(?<failed>\d+) failed(?: \| )?)?(?:(?<passed>\d+) passed(?: \| )?)?(?:(?<skipped>\d+) skipped(?: \| )?)?(?:(?<todo>\d+) todo )?\s*\((?<total>\d+)\)/gm,
  // pytest: `1 failed, 5 passed, 2 skipped, 1 error in 0.03s`
  /^=*[ \t]*(?:(?<failed>\d+) failed,? ?)?(?:(?<passed>\d+) passed,? ?)?(?:(?<skipped>\d+) skipped,? ?)?(?:\d+ (?:deselected|xfailed|xpassed|warnings?),? ?)*(?:(?<errors>\d+) errors?,? ?)?(?:\d+ (?:deselected|xfailed|xpassed|warnings?),? ?)*in [\d.]+ ?s/gm,
  // cargo: `test result: ok. 5 passed; 0 failed; 1 ignored`
  /test result: \w+\. (?<passed>\d+) passed; (?<failed>\d+) failed; (?<skipped>\d+) ignored/g,
  // nextest: `Summary [ 0.1s] 5 tests run: 4 passed, 1 failed, 0 skipped`
  /^[ \t]*Summary \[[^\]]*\] +\d+(?:\/\d+)? tests? run: (?<passed>\d+) passed(?: \([^)]*\))?(?:, (?<failed>\d+) failed)?(?:, (?<skipped>\d+) skipped)?/gm,
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
  // playwright: `  1 failed`, `  2 skipped`, `  5 passed (3.2s)`
  /^[ \t]+(?<passed>\d+) passed \([\d.]+m?s\)/gm,
  /^[ \t]+(?<failed>\d+) failed$/gm,
  /^[ \t]+(?<skipped>\d+) skipped$/gm,
  // unittest: `Ran 5 tests in 0.1s`, `FAILED (failures=1, errors=2)`, `OK (skipped=3)`
  /^Ran (?<total>\d+) tests? in [^\n]*\n+(?:OK|NO TESTS RAN|FAILED)(?: \((?:failures=(?<failed>\d+))?(?:, )?(?:errors=(?<errors>\d+))?(?:, )?(?:skipped=(?<skipped>\d+))?)?/gm,
  // phpunit: `OK (5 tests, 7 assertions)`, `Tests: 5, Assertions: 7, Errors: 1, Failures: 1, Skipped: 2.`
  /^OK \((?<passed>\d+) tests?, \d+ assertions?\)/gm,
  /^Tests: (?<total>\d+), Assertions: \d+(?:, Errors: (?<errors>\d+))?(?:, Failures: (?<failed>\d+))?(?:, Errors: \d+)?(?:, (?:Warnings|PHPUnit \w+|Deprecations|Notices): \d+)*(?:, Skipped: (?<skipped>\d+))?(?:, Incomplete: (?<todo>\d+))?/gm,
  // rspec, exunit, jasmine: `5 examples, 1 failure, 2 pending`
  /^[ \t]*(?:\d+ (?:doctests?|properties|features?), )*(?<total>\d+) (?:examples?|tests?|specs?), (?<failed>\d+) failures?(?:, (?<skipped>\d+) (?:pending|excluded|skipped))?(?:, (?<todo>\d+) skipped)?/gm,
  // minitest: `10 runs, 20 assertions, 1 failures, 0 errors, 0 skips`
  /^(?<total>\d+) (?:runs|tests), \d+ assertions, (?<failed>\d+) failures, (?<errors>\d+) errors(?:, (?<skipped>\d+) skips)?/gm,
  // clojure: `Ran 5 tests containing 7 assertions.`, `1 failures, 0 errors.`
  /^Ran (?<total>\d+) tests containing \d+ assertions\.\n(?<failed>\d+) failures, (?<errors>\d+) errors/gm,
  // dotnet: `Failed: 1, Passed: 4, Skipped: 0, Total: 5`, `total: 5, failed: 1, succeeded: 4, skipped: 0`
  /Failed:\s+(?<failed>\d+), Passed:\s+(?<passed>\d+), Skipped:\s+(?<skipped>\d+), Total:\s+(?<total>\d+)/g,
  /total: (?<total>\d+), failed: (?<failed>\d+), succeeded: (?<passed>\d+), skipped: (?<skipped>\d+)/g,
  // maven: `Tests run: 5, Failures: 1, Errors: 0, Skipped: 0`
  /Tests run: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<errors>\d+), Skipped: (?<skipped>\d+)(?!.*Time elapsed)/g,
  // gradle: `5 tests completed, 1 failed, 2 skipped`, `> Task :app:test NO-SOURCE`
  /^(?<total>\d+) tests? completed, (?<failed>\d+) failed(?:, (?<skipped>\d+) skipped)?/gm,
  /^> Task \S*:(?!compile|process|pre|generate)(?:test|\w+Test|test\w+Test) (?<skipped>NO-SOURCE|SKIPPED)$/gm,
  /^(?<passed>> Task) \S*:(?!compile|process|pre|generate)(?:test|\w+Test|test\w+Test)(?: UP-TO-DATE| FROM-CACHE)?$/gm,
  // ctest: `80% tests passed, 1 tests failed out of 5`
  /% tests passed, (?<failed>\d+) tests failed out of (?<total>\d+)/g,
  // bazel: `Executed 3 out of 3 tests: 2 tests pass and 1 fails locally.`, `Executed 0 out of 1 test: 1 was skipped.`
  /^Executed \d+ out of (?<total>\d+) tests?:(?: (?<passed>\d+) tests? pass(?:es)?)?(?:.*?(?<failed>\d+) fails?\b)?(?:.*?(?<skipped>\d+) (?:was|were) skipped)?/gm,
  // swift, xcodebuild: `Executed 5 tests, with 1 failure`, `Test run with 5 tests passed`
  /Executed (?<total>\d+) tests?, with (?:(?<skipped>\d+) tests? skipped and )?(?<failed>\d+) failures?/g,
  /Test run with (?<passed>\d+) tests?(?: in \d+ suites?)? passed/g,
  // flutter, dart: `00:05 +5 ~1 -1: Some tests failed.`
  /^\d\d:\d\d \+(?<passed>\d+)(?: ~(?<skipped>\d+))?(?: -(?<failed>\d+))?: (?:All tests (?:passed|skipped)|Some tests failed)/gm,
  // karma: `Executed 5 of 5 (1 FAILED)`, `Executed 0 of 5 (skipped 5)`
  /Executed (?<total>\d+) of \d+(?: \((?<failed>\d+) FAILED\))?/g,
  // ava: `5 tests passed`, `1 test failed`
  /^[ \t]*(?<passed>\d+) tests? passed$/gm,
  /^[ \t]*(?<failed>\d+) tests? failed$/gm,
  // forge: `5 tests passed, 0 failed, 0 skipped (5 total tests)`
  /\b(?<passed>\d{1,9}) tests passed, (?<failed>\d+) failed, (?<skipped>\d+) skipped/g,
  // sbt: `Tests: succeeded 4, failed 1`, `Passed: Total 5, Failed 0`
  /Tests: succeeded (?<passed>\d+), failed (?<failed>\d+)/g,
  /(?:Passed|Failed): Total (?<total>\d+), Failed (?<failed>\d+), Errors (?<errors>\d+)/g,
  // cucumber, behave: `2 scenarios (1 failed, 1 skipped, 1 passed)`, `3 scenarios passed, 1 failed, 0 skipped`
  /^(?<total>\d+) scenarios? \((?:(?<failed>\d+) failed)?(?:, )?(?:(?<skipped>\d+) (?:skipped|undefined|pending))?/gm,
  /^\d+ features? passed[^\n]*\n(?<passed>\d+) scenarios? passed, (?<failed>\d+) failed/gm,
  // ginkgo: `5 Passed | 1 Failed | 0 Pending | 3 Skipped`
  /\b(?<passed>\d{1,9}) Passed \| (?<failed>\d+) Failed \| (?<todo>\d+) Pending \| (?<skipped>\d+) Skipped/g,
  // gotestsum: `DONE 5 tests, 1 skipped, 1 failure in 0.1s`
  /^DONE (?<total>\d+) tests?(?:, (?<skipped>\d+) skipped)?(?:, (?<failed>\d+) failures?)?/gm,
  // prove: `Files=1, Tests=5`, `Result: FAIL`
  /^Files=\d+, Tests=(?<total>\d+)/gm,
  /^Result: (?<failed>FAIL)$/gm,
  // busted: `4 successes / 1 failure / 0 errors / 0 pending`
  /^(?<passed>\d+) success(?:es)? \/ (?<failed>\d+) failures? \/ (?<errors>\d+) errors? \/ (?<skipped>\d+) pending/gm,
  // go: packages, and single tests where they are listed
  /^(?:ok {2}\t\S+(?!.*\[no tests to run\])|--- (?<passed>PASS):)/gm,
  /^(?:FAIL\t\S+|--- (?<failed>FAIL):)/gm,
  /^--- (?<skipped>SKIP):/gm,
  // tap
  /^(?<passed>ok) \d+\b(?!.*# (?:skip|todo))/gim,
  /^(?<failed>not ok) \d+\b(?!.*# (?:skip|todo))/gim,
  /^(?<skipped>ok) \d+\b.*# (?:skip|todo)/gim,
];

/** All groups of a pattern may be optional; a match without a number or a mark is not a summary. */
const SAYS_SOMETHING = /\d|^ok|^FAIL|^---|^not ok|^> Task|^Result/;

/**
 * The numbers in the output of a test run; `undefined` if it has none. Several summaries of one runner, such
 * as in a monorepo, are added up. If runners disagree, the higher numbers count.
 */
export function countsIn(text: string): Counts | undefined {
  // If go lists its tests and none has passed, an `ok` package has only skipped them.
  const onlySkips = /^--- SKIP:/m.test(text) && !/^[ \t]*--- PASS:/m.test(text);
  const output = onlySkips ? text.replace(/^ok {2}\t.*$/gm, '') : text;
  const all = SUMMARIES.map((pattern) =>
    [...output.matchAll(pattern)].filter(([whole]) => SAYS_SOMETHING.test(whole)).map(countsOf),
  );
  const most = (kind: keyof Counts): MaybeNumber => {
    const sums = all.map((found) => sumOf(found.map((counts) => counts[kind])));
    const known = sums.filter((sum) => sum !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  };
  const [passed, failed, skipped] = [most('passed'), most('failed'), most('skipped')];
  if (passed === undefined && failed === undefined && skipped === undefined) return undefined;
  return { passed: passed ?? 0, failed: failed ?? 0, skipped: skipped ?? 0 };
}

type MaybeNumber = number | undefined;

function countsOf({ 0: whole, groups = {} }: RegExpExecArray): Record<keyof Counts, MaybeNumber> {
  // A group that is not a number is a mark, and counts as one.
  const count = (name: string): MaybeNumber => {
    const text = groups[name];
    return text === undefined ? undefined : /^\d+$/.test(text) ? Number(text) : 1;
  };
  const [skipped, total] = [sumOf([count('skipped'), count('todo')]), count('total')];
  const failed = sumOf([count('failed'), count('errors')]);
  const rest = total === undefined ? undefined : Math.max(0, total - (failed ?? 0) - (skipped ?? 0));
  return {
    passed: count('passed') ?? rest ?? (whole.startsWith('ok  \t') ? 1 : undefined),
    failed: failed ?? (whole.startsWith('FAIL\t') ? 1 : undefined),
    skipped,
  };
}

/** `undefined` if there are no numbers. */
function sumOf(numbers: readonly MaybeNumber[]): MaybeNumber {
  return numbers.reduce((sum, number) => (number === undefined ? sum : (sum ?? 0) + number), undefined);
}

const COVERAGES = [
  /^[ \t]*All files\s*\|\s*(\d+(?:\.\d+)?)/m,
  /^TOTAL\s.*?\s(\d+(?:\.\d+)?)%/m,
  /coverage: (\d+(?:\.\d+)?)% of statements/,
  /^(\d+(?:\.\d+)?)% coverage,/m,
  /Lines\s*:\s*(\d+(?:\.\d+)?)%/,
];

/** The coverage in percent, if the output has it. */
export function coverageIn(output: string): number | undefined {
  const [found] = COVERAGES.flatMap((pattern) => pattern.exec(output)?.[1] ?? []);
  return found === undefined ? undefined : Number(found);
}

/** How runners, and programs that call them, say that there was nothing to run. */
const NOTHING_RAN = new RegExp(
  [
    String.raw`\bno (?:matching )?(?:tests?|specs?|examples?|scenarios?)(?: (?:files?|cases?|suites?|modules?|targets?|steps?|is|was|were|are|have been|that|to))* (?:found|ran|run|be run|executed|specified|available|defined|collected|match\w*|selected|discovered)`,
    String.raw`\bno tests (?:found|ran|executed)?[.!]*$`,
    String.raw`\[no test files\]|\[no tests to run\]|\bcollected 0 items|^NO TESTS RAN|^Result: NOTESTS|^1\.\.0\b`,
    String.raw`^=*[ \t]*\d+ deselected in|\b0 (?:test|spec) files\b|couldn't find any files to test|no spec files were found`,
    String.raw`\ball tests (?:have been |were )?(?:excluded|skipped)|\btests are skipped`,
    String.raw`^make(?:\[\d+\])?: (?:nothing to be done for|.test\w*. is up to date)|\bmissing script:|none of the (?:selected )?packages ha`,
    String.raw`^no packages found with the lifecycle script|\bno tasks were (?:run|executed)|\b0 successful, 0 total`,
    String.raw`\bno packages to test\b|\t\tcoverage: 0\.0% of statements$|\bcontain any test files|^TOTAL: 0 SUCCESS`,
    String.raw`couldn't find a script named|\bscript not found "|^[ \t]+\S+: SKIP \([\d.]+ seconds\)`,
  ].join('|'),
  'im',
);

export function saysNothingRan(output: string): boolean {
  return NOTHING_RAN.test(output);
}

/** How runners say that tests failed, for output without their numbers. */
const FAILED_TESTS = new RegExp(
  [
    String.raw`^[ \t]*FAIL(?:ED)?[ \t]+\S*[./:]|^FAIL$|^--- FAIL|^FAILURES!$|^FAILED \(|^Failures?:$`,
    String.raw`^[ \t]*Test (?:Suites|Files):?[ \t]+\d+ failed|^=+ (?:FAILURES|ERRORS) =+$|^(?:FAILED|ERROR) \S+::`,
    String.raw`^ERROR(?:: | collecting )\S*test|\bInterrupted: \d+ errors? during collection`,
    String.raw`^error: (?:test failed|could not compile|\d+ targets? failed|doctest failed)`,
    String.raw`There (?:were|are) (?:failing tests|test failures)|\bSome tests failed\b|^The following tests FAILED:|\bTEST FAILED \*\*|Tests unsuccessful$|^Test run with .* failed`,
    String.raw`^[ \t]*(?:[\u2716\u2717\u2718\u2715\u00d7]|not ok \d+) (?!.*# (?:skip|todo)|Couldn't find)|^[ \t]+\u25cf .+ \u203a `,
    String.raw`^test \S+ \.\.\. FAILED|^.{1,200} > .{1,200} FAILED$|<<< (?:FAILURE|ERROR)!|^rspec \./`,
  ].join('|'),
  'm',
);
/** How programs that call a runner say that it failed. */
const FAILED_CALL =
  /\b(?:BUILD|Build) FAIL(?:ED|URE)\b|: FAIL code \d|^[ \t]*ERROR {2}run failed: |^npm (?:ERR!|error) (?:Test failed|Lifecycle script)|ELIFECYCLE\s+(?:Test|Command) failed|^error Command failed|^make(?:\[\d+\])?: \*\*\* .*Error \d/m;

export function saysTestsFailed(output: string): boolean {
  return FAILED_TESTS.test(output);
}

/** Whether the output says that tests failed, or that the program that ran them failed. */
export function saysFailed(output: string): boolean {
  return saysTestsFailed(output) || FAILED_CALL.test(output);
}

const LONGEST = 300;
const MOST_LINES = 60;
const TELLING =
  /error\b|fail|assert|exception|panic|expected|received|\bactual\b|\bgot\b|not ok|!==?|^E\s|_test\.go:\d|\u25cf .*\u203a|^\s*(?:left|right): |^\s*\d+\) |[\u2717\u2715\u00d7\u2716\u2718]/i;
/** Summaries of a successful run say `0 failed` too. */
const NO_FAILURE = /\b(?:0|no) (?:failed|failures?|failing|errors?)\b/gi;

/** Lines that appear with any failure: headings, totals, file names, and the runner's command. */
const BANNERS = [
  /^[^a-z]*(?:failures?|failed|errors?|fail|failing tests?|failed (?:tests?|suites?)(?: \d+)?|short test summary info|exceptions?|expected|received|actual|error message)[^a-z]*$/i,
  /\b\d+ (?:\w+ )?(?:failed|failing|failures?|passed|passing|errors?|fail)\b|\b(?:failures?|errors?)[=:] ?\d+|^(?:#|\u2139) fail /i,
  /^FAIL(?:ED|URE)?[:\s]+(?!.*(?:::| > |\u203a| \())\S+(?:\s.*)?$|^\s*\u276f /,
  /^(?:exit code \d+|npm (?:err!|error)|.*elifecycle|error:? (?:command failed|test failed)|error: script|make(?:\[\d+\])?:|exit status)/i,
  /\bBUILD FAIL|^> Task |^\* What went wrong|^Execution failed for task|There (?:were|are) (?:failing tests|test failures)|^test result:/,
  /Failed to execute goal|^\[ERROR\]\s*(?:Failures:|Errors:|Tests run|\[Help|->|$)|<<< (?:FAILURE|ERROR)! -+ in /,
  /^\s*(?:at |failureType:|code: |name: |operator: |type: |stack: )|^failures:$|^note: |RUST_BACKTRACE|^Failed examples:$/,
];

/** The lines of a failed run's output that name the failed tests and their errors; may be empty. */
function tellingLines(output: string): readonly string[] {
  const telling = withoutColours(output)
    .split('\n')
    .map((line) => line.trim())
    .filter((text) => text.length < LONGEST && TELLING.test(text.replace(NO_FAILURE, '')));
  const failures = telling.filter((text) => !BANNERS.some((banner) => banner.test(text)));
  return (failures.length > 0 ? failures : telling).slice(0, MOST_LINES);
}

/** The most informative line of a failed run's output; may be empty. */
export function errorLine(output: string): string {
  return tellingLines(output)[0] ?? '';
}

/** The failures of a run, normalised so that equal ones compare equal; empty if there are none. */
export function failuresIn(output: string): string {
  // The numbers and the order of failures may change between runs.
  const lines = tellingLines(output).map((line) =>
    normalisedError(line.replace(/^(?:\d+\)|not ok \d+(?: -)?) /, '')),
  );
  return [...new Set(lines)].sort().join('\n');
}

/** What differs between runs with the same failure. Counts are kept, because they distinguish failures. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b0x[0-9a-f]+\b/gi, '<address>'],
  [/(?:\/private)?(?:\/var)?\/(?:tmp|folders)\/[^\s:'")]+/g, '<temporary>'],
  [/:\d+:\d+\b/g, ':<line>'],
  [/(\.\w+):\d+\b/g, '$1:<line>'],
  [/\bline \d+\b/gi, 'line <line>'],
  [/\b(?:pid|process) ?[=:]? ?\d+\b/gi, '<process>'],
  [/\b(?:localhost|127\.0\.0\.1):\d+/g, '<host>'],
  [/\(?\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds|minutes|m|\u00b5s|us|ns)\b\)?/g, '<duration>'],
  [/\s+/g, ' '],
];

/** Normalises an error, so that two runs of the same failure compare equal. */
export function normalisedError(error: string): string {
  return VARYING.reduce((text, [pattern, mark]) => text.replace(pattern, mark), withoutColours(error)).trim();
}

/** Removes colour codes, which would keep patterns from matching at the start of a line. */
export function withoutColours(text: string): string {
  return text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '');
}
