export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

/** The words with which runners count, by what they count. */
const COUNTED = {
  passed: 'passed|passing|pass|passes|succeeded|success|successes',
  failed: 'failed|failing|fail|fails|failure|failures|error|errors',
  skipped: 'skipped|skip|skips|pending|ignored|todo|incomplete|notPassed|excluded|undefined',
  total: 'total|tests?|examples?|specs?|scenarios?|runs?|completed',
} as const;

type Kind = keyof typeof COUNTED;
const KINDS = (Object.keys(COUNTED) as readonly Kind[]).map(
  (kind) => [kind, new RegExp(`^(?:${COUNTED[kind]})$`, 'i')] as const,
);
const ANY = Object.values(COUNTED).join('|');
/** `5 passed`, `2 tests failed`, `Failures: 1`, `errors=2`, `succeeded 4`. */
const PAIR = new RegExp(
  String.raw`(?<![\w.:+-])(\d+)\s+(?:(?:tests?|was|were)\s+)?(${ANY})\b(?!\s*[:=]\s*\d)|\b(${ANY})\s*[:=]?\s*(\d+)\b(?!\s+(?:was\s+|were\s+)?(?:${ANY})\b|\.\d|%)|\bout of (\d+)(?!\s*tests)`,
  'gi',
);
/** What else a summary may say. */
const SUMMARY_WORDS =
  /^(?:tests?|result|ok|failed|passed|summary|ran|run|executed|done|in|of|out|with|and|after|s|ms|m|sec|seconds?|assertions?|expect|calls|measured|filtered|finished|deselected|xfailed|xpassed|warnings?|risky|flaky|deprecated|deprecations|notices|info|error|doctests?|properties|locally|unexpected|canceled|inconclusive|steps|features|suites?|files|all|total|success|failure|pending|containing|subtests|warn|cpu|time)$/i;
/** What turbo, pnpm, yarn and compose put before the lines of a package or service. */
const PREFIX = /^(?:[^\s:]\S*:\S+: |\S*\/\S* \S+: |\[\S+\]:? |\S+ +\| )\s*/;
/** What a runner says after its numbers. */
const AFTERWARDS = /\bduration\b.*$/i;
/** Lines about files, suites and single tests. */
const NO_TESTS =
  /^\W*(?:test suites|test files|snapshots|suites|files)\b|^\s*[\u2713\u2714\u221a\u276f\u2717\u2716\u00d7] |time elapsed/i;

/** Lines of single tests and packages, and of summaries without words. */
const MARKS: readonly (readonly [RegExp, Kind])[] = [
  // tap: `ok 1 - name`
  [/^ok \d+\b(?!.*# (?:skip|todo))/gim, 'passed'],
  [/^not ok \d+\b(?!.*# (?:skip|todo))/gim, 'failed'],
  [/^ok \d+\b.*# (?:skip|todo)/gim, 'skipped'],
  // go: packages, and single tests where they are listed
  [/^(?:ok {2}\t\S+(?!.*\[no tests to run\])|--- PASS:)/gm, 'passed'],
  // prove, xcodebuild, catch2; meson; swift's own tests, beside those of XCTest
  [/^(?:Result: PASS$|\*\* TEST SUCCEEDED \*\*|All tests passed \()/gm, 'passed'],
  [/^Ok: +(\d+)/gm, 'passed'],
  [/^(?:Fail|Timeout): {2,}([1-9]\d*)/gm, 'failed'],
  [/^\S+ Test run with (\d+) tests?\b.* passed/gm, 'passed'],
  [/^(?:FAIL\t\S+|--- FAIL:|Result: FAIL$)/gm, 'failed'],
  [/^--- SKIP:/gm, 'skipped'],
  // gradle: `> Task :app:test NO-SOURCE`
  [
    /^> Task \S*:(?!compile|process|pre|generate)(?:test|\w+Test|test\w+Test) (?:NO-SOURCE|SKIPPED)$/gm,
    'skipped',
  ],
  [
    /^> Task \S*:(?!compile|process|pre|generate)(?:test|\w+Test|test\w+Test)(?: UP-TO-DATE| FROM-CACHE)?$/gm,
    'passed',
  ],
  // flutter, dart: `00:05 +5 ~1 -1: Some tests failed.`; karma: `Executed 5 of 5 (1 FAILED)`
  [/^\d\d:\d\d \+(\d+)(?: ~\d+)?(?: -\d+)?: (?:All tests|Some tests)/gm, 'passed'],
  [/^\d\d:\d\d \+\d+(?: ~\d+)? -(\d+): Some tests/gm, 'failed'],
  [/^\d\d:\d\d \+\d+ ~(\d+)(?: -\d+)?: (?:All tests|Some tests)/gm, 'skipped'],
  [/Executed (\d+) of \d+\b/g, 'total'],
  [/Executed \d+ of \d+ \((\d+) FAILED\)/g, 'failed'],
];

/**
 * The numbers in the output of a test run; `undefined` if it has none. Only numbers are taken from the words, never a
 * verdict. Several summaries, such as in a monorepo, are added up.
 */
export function countsIn(text: string): Counts | undefined {
  // If go lists its tests and none has passed, an `ok` package has only skipped them.
  const onlySkips = /^--- SKIP:/m.test(text) && !/^[ \t]*--- PASS:/m.test(text);
  const output = onlySkips ? text.replace(/^ok {2}\t.*$/gm, '') : text;
  const sums: Partial<Record<Kind, number>> = {};
  const add = (kind: Kind, count: number): void => {
    sums[kind] = (sums[kind] ?? 0) + count;
  };
  for (const line of output.split('\n')) for (const [kind, count] of countsOfLine(line)) add(kind, count);
  for (const [pattern, kind] of MARKS)
    for (const [, count = '1'] of output.matchAll(pattern)) add(kind, Number(count));
  const { passed = 0, failed = 0, skipped = 0, total = 0 } = sums;
  // Without a failure, "0 failures" alone does not tell whether any test ran.
  const isTold = sums.passed !== undefined || sums.total !== undefined || failed + skipped > 0;
  if (!isTold) return undefined;
  return { passed: Math.max(passed, total - failed - skipped), failed, skipped };
}

/** What a line counts, if all its words are those of a summary. */
function countsOfLine(written: string): (readonly [Kind, number])[] {
  if (written.length > LONGEST) return [];
  const text = written.replace(PREFIX, '');
  if (NO_TESTS.test(text)) return [];
  const line = text.replace(AFTERWARDS, '');
  const pairs = [...line.matchAll(PAIR)];
  const others = line.replace(PAIR, ' ').match(/[a-z]+/gi) ?? [];
  // "3 errors" or "failed: 3" alone may be said by any program.
  const isVague = pairs.length === 1 && (/error/i.test(line) || /^\s*fail\w*\s*[:=]?\s*\d/i.test(line));
  if (pairs.length === 0 || isVague || !others.every((word) => SUMMARY_WORDS.test(word))) return [];
  const found = pairs.map(([, before, word = '', label = word, after, last]) => {
    const [kind] = KINDS.find(([, words]) => words.test(label)) ?? ['total' as const];
    return [kind, Number(before ?? after ?? last)] as const;
  });
  const totals = found.filter(([kind]) => kind === 'total').map(([, count]) => count);
  return [
    ...found.filter(([kind]) => kind !== 'total'),
    ...(totals.length > 0 ? [['total', Math.max(...totals)] as const] : []),
  ];
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
    String.raw`^ +(?:Errors +)?[1-9]\d* errors?$|^[ \t]+\d+ (?:uncaught exceptions?|unhandled rejections?|interrupted$|errors? (?:was|were) not a part of any test)`,
    String.raw`\berrors? occurred outside of examples|^Bail out!|\*\*\* \d+ SUITES? ABORTED|\btest run was aborted\b|^error: Uncaught\b`,
    String.raw`^test \S+ \.\.\. FAILED|^.{1,200} > .{1,200} FAILED$|<<< (?:FAILURE|ERROR)!|^rspec \./`,
  ].join('|'),
  'm',
);
/** How programs that call a runner, or measure its coverage, say that it failed. */
const FAILED_CALL = new RegExp(
  [
    String.raw`\b(?:BUILD|Build) FAIL(?:ED|URE)\b|: FAIL code \d|^[ \t]*ERROR {2}run failed: `,
    String.raw`^npm (?:ERR!|error) (?:Test failed|Lifecycle script)|ELIFECYCLE\s+(?:Test|Command) failed|ERR_PNPM_RECURSIVE_RUN`,
    String.raw`^error Command failed|Process exited \(exit code [1-9]|^lerna ERR!|^ NX .* failed$|^nox > .* failed\b`,
    String.raw`^make(?:\[\d+\])?: \*\*\* .*Error \d|^error: Recipe |^task: Failed to run task|^\S+-\d+ exited with code [1-9]`,
    String.raw`\bcoverage threshold .* not met|^ERROR: Coverage for |^FAIL Required test coverage|^ERROR: Coverage failure`,
  ].join('|'),
  'm',
);

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
