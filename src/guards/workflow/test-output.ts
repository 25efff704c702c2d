/** How many tests did what. */
export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

/**
 * How test runners sum up, each with the groups `passed`, `failed`, `errors`, `skipped` and `total` that it
 * tells. Only numbers are taken from them, never a verdict.
 */
const SUMMARIES = [
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

/** All groups of a pattern may be optional; without a number or a mark the line is another one. */
const SAYS_SOMETHING = /\d|^ok|^FAIL|^---|^not ok/;

/**
 * The numbers in the output of a test run; `undefined` where it has none. Several summaries of one runner, as
 * of the parts of a monorepo, are added up. Where runners disagree the higher numbers count.
 */
export function countsIn(output: string): Counts | undefined {
  const all = SUMMARIES.map((pattern) =>
    [...output.matchAll(pattern)].filter(([whole]) => SAYS_SOMETHING.test(whole)).map(countsOf),
  );
  const most = (kind: keyof Counts): MaybeNumber => {
    const sums = all.map((found) => sumOf(found.map((counts) => counts[kind])));
    const known = sums.filter((sum) => sum !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  };
  const [passed, failed] = [most('passed'), most('failed')];
  if (passed === undefined && failed === undefined) return undefined;
  return { passed: passed ?? 0, failed: failed ?? 0, skipped: most('skipped') ?? 0 };
}

type MaybeNumber = number | undefined;

function countsOf({ 0: whole, groups = {} }: RegExpExecArray): Record<keyof Counts, MaybeNumber> {
  // A group that is no number is a mark, and stands for one.
  const count = (name: string): MaybeNumber => {
    const text = groups[name];
    return text === undefined ? undefined : /^\d+$/.test(text) ? Number(text) : 1;
  };
  const [skipped, total] = [count('skipped'), count('total')];
  const failed = sumOf([count('failed'), count('errors')]);
  const rest = total === undefined ? undefined : Math.max(0, total - (failed ?? 0) - (skipped ?? 0));
  return {
    passed: count('passed') ?? rest ?? (whole.startsWith('ok  \t') ? 1 : undefined),
    failed: failed ?? (whole.startsWith('FAIL\t') ? 1 : undefined),
    skipped,
  };
}

/** The sum of the numbers that there are; `undefined` where there are none. */
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

/** The percentage of code that the tests went through, where the output tells. */
export function coverageIn(output: string): number | undefined {
  const [found] = COVERAGES.flatMap((pattern) => pattern.exec(output)?.[1] ?? []);
  return found === undefined ? undefined : Number(found);
}

const SHORTEST = 10;
const LONGEST = 300;
const TELLING = /error:|fail|assert|exception|panic|expected|not ok|[\u2717\u2715\u00d7]/i;
/** Sums of a run that went well say `0 failed` too. */
const NO_FAILURE = /\b(?:0|no) (?:failed|failures?|failing|errors?)\b/gi;

/** The line of a failed run's output that says most; empty where none does. */
export function errorLine(output: string): string {
  const lines = withoutColours(output).split('\n');
  const found = lines.find((line) => {
    const text = line.trim();
    return text.length > SHORTEST && text.length < LONGEST && TELLING.test(text.replace(NO_FAILURE, ''));
  });
  return found?.trim() ?? '';
}

/** What differs from run to run though the failure is the same. Counts are kept: they tell failures apart. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b0x[0-9a-f]+\b/gi, '<address>'],
  [/(?:\/private)?(?:\/var)?\/(?:tmp|folders)\/[^\s:'")]+/g, '<temporary>'],
  [/:\d+:\d+\b/g, ':<line>'],
  [/(\.\w{1,5}):\d+\b/g, '$1:<line>'],
  [/\bline \d+\b/gi, 'line <line>'],
  [/\b(?:pid|process) ?[=:]? ?\d+\b/gi, '<process>'],
  [/\b(?:localhost|127\.0\.0\.1):\d+/g, '<host>'],
  [/\(?\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds|minutes|m|\u00b5s|us|ns)\b\)?/g, '<duration>'],
  [/\s+/g, ' '],
];

/** An error in the form in which two runs of the same failure look alike. */
export function normalisedError(error: string): string {
  return VARYING.reduce((text, [pattern, mark]) => text.replace(pattern, mark), withoutColours(error)).trim();
}

/** Removes the colours that runners print: patterns for the beginning of a line would not match. */
export function withoutColours(text: string): string {
  return text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '');
}
