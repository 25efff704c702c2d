import { plainText } from './messages';

/** Lines that say why a tool failed: from `first` to `last` or, without `last`, to the next blank line. */
interface Pattern {
  readonly first: RegExp;
  readonly last?: RegExp;
  /** The maximum number of lines, including the first. */
  readonly most?: number;
  /** How many lines before `first` belong to it. */
  readonly before?: number;
  /** Whether the nearest line above without indentation belongs to it, such as a file name. */
  readonly heading?: boolean;
}

/** A stack frame in the project's own code. */
const FRAME = /^\s+at (?!.*(?:node_modules|node:|\borg\.junit|\bjava\.base|\bjdk\.internal)).+:\d+/;

/**
 * Failed tests, compiler errors and lint findings, as the tools print them. A function, since so many patterns cost
 * time, and most checks pass.
 */
const findings = (): readonly Pattern[] => [
  // vitest
  { first: /^ FAIL {2}\S/, last: /^ *❯ .+:\d+:\d+/, most: 14 },
  // jest
  { first: /^ {2}● (?!Console)/, last: FRAME, most: 14 },
  // mocha, rspec, minitest, ExUnit, Playwright, PHPUnit: a numbered list
  {
    first: /^ {0,2}\d+\) \S/,
    last: new RegExp(`${FRAME.source}|^ +# \\S+:\\d+|^\\S+\\.php:\\d+|^ +(?:Actual|right): `),
    most: 14,
  },
  // node:test, and TAP
  { first: /^test at .+:\d+:\d+$/, last: FRAME, most: 12 },
  { first: /^# (?:file:\/\/)?\/.+:\d+$/, last: /^# \w*Error\b/, most: 8 },
  { first: /^ *not ok \d/, last: /^ *(?:stack: |\.\.\.$)/, most: 12 },
  // bun test, deno test
  {
    first: /^error: (?:expect\(|\w*Error\b)/,
    last: /^\(fail\) |^ +at (?!.*https:).+:\d+:\d+/,
    most: 12,
  },
  // pytest, unittest
  { first: /^(?:E {3,}|> {4,})\S/ },
  { first: /^\S+\.py:\d+: \w*(?:Error|Exception|Failed)\b/ },
  { first: /^(?:FAILED|ERROR) \S+(?:::| - )/ },
  { first: /^(?:FAIL|ERROR): \S/, last: /^\w[\w.]*(?:Error|Exception)\b/, most: 12 },
  // go test
  { first: /^ *--- FAIL: /, last: /^(?:FAIL|ok|PASS|===|---)\b/, most: 10 },
  { first: /^ +\S+_test\.go:\d+: /, most: 4 },
  // cargo test
  { first: /^thread '.*' (?:\(\d+\) )?panicked at /, last: /^(?:note: .*)?$/, most: 8 },
  // Maven, Gradle, Kotlin, dotnet test
  { first: /^\[ERROR\] +\S+:(?:\d+|\[\d+,\d+\])/ },
  { first: /^\S.* > .+ FAILED$/, last: FRAME, most: 6 },
  { first: /^e: \S/ },
  { first: /^ +Failed \S+ \[/, last: /:line \d+$/, most: 8 },
  // tsc, MSBuild; gcc, clang, javac, mypy, swiftc; rustc, ruff
  { first: /\(\d+,\d+\): error /, most: 2 },
  { first: /^\S.*:\d+:\d+ - error / },
  { first: /^\S.*?:\d+(?::\d+)?: (?:fatal )?error\b/, most: 3 },
  { first: /^ *--> .+:\d+:\d+/, before: 1, most: 6 },
  // eslint, stylelint; Biome; Prettier; ShellCheck
  { first: /^ +\d+:\d+ +(?:error|[✖×]) /, heading: true },
  { first: /: line \d+, col \d+, Error / },
  { first: /^\S+ (?:lint|format|parse|assist)\b.* ━{3}/, last: /^ +> +\d+ │/, most: 6 },
  { first: /^\[(?:warn|error)\] \S+\.\w+$/ },
  { first: /^In .+ line \d+:$/, most: 4 },
];

/** Crashes, and findings of tools that print no more than a position and a message. */
const CRASHES: readonly Pattern[] = [
  { first: /^\s*(?:Uncaught )?[\w$.]*(?:Error|Exception)\b(?: \[\w+\])?: /, before: 4, last: FRAME, most: 5 },
  { first: /^panic: /, last: /^\s+\S+\.go:\d+/, most: 8 },
  { first: /^(?:vet: )?[^\s:]+:\d+:(?:\d+:)? \S/ },
  { first: /: (?:line )?\d+: .*(?:not found|[Ss]yntax error|unexpected)/ },
  { first: /^\* What went wrong:/, most: 4 },
];

const WORDS: readonly Pattern[] = [
  {
    first:
      /^(?!.*(?:\b(?:0|no) (?:errors?|failures?|failed)\b|\b(?:errors?|failures?|failed)[:=] *0\b)).*(?:\b(?:errors?|fail(?:s|ed|ures?)?|expected|assert\w*|exception|fatal|cannot|not found|undefined|denied|invalid|missing|unexpected)\b|[✖✗✘])/i,
    before: 1,
    most: 2,
  },
];

/** Stack frames, separators, and what npm, make and others add to the failure of another program. */
const NOISE =
  /^\s*$|^\s*([-=─━_⎯*])\1{4}|^> \S|^\s+at .*(?:node_modules|node:|\borg\.junit|\bjava\.base|\bjdk\.internal)|^ {6,}\d+ \||^(?:FAIL|FAIL\t.*|exit status \d+)$|^Traceback \(most|^npm (?:notice|warn|WARN)\b|^npm (?:ERR!|error)(?:$| (?:code|errno|syscall|path|command|workspace|location|Lifecycle|Test failed|A complete log| ))|ELIFECYCLE|^error Command failed with exit code|^(?:make|gmake)(?:\[\d+\])?: \*\*\* \[.*Error \d+|^note: run with|^ +(?:---|\.\.\.|(?:duration_ms|type|failureType|code|name|operator): ['\d].*|stack: .*)$/;

const MOST_LINES = 24;
const LAST_LINES = 10;
const LONGEST_LINE = 240;
/** Only this much of a line is searched: a pattern may take time that grows with the square of its length. */
const LONGEST_SEARCHED = 2000;
/** In how many lines the end of a block is looked for. */
const LONGEST_BLOCK = 80;

/**
 * The output lines that say why a tool failed: assertions, compiler errors, lint findings. If no known format
 * matches, lines with words such as "failed"; if there are none, the last lines. Free of ANSI codes.
 */
export function keyLines(output: string): readonly string[] {
  const lines = output.split('\n').map(plainLine);
  for (const patterns of [findings(), CRASHES, WORDS]) {
    const blocks = blocksOf(lines, patterns);
    // Warnings are only shown if there are no errors.
    const errors = blocks.filter(([title = '']) => !/^(?:\S+ )?warning\b/i.test(title));
    if (blocks.length > 0) return withinLimit(errors.length > 0 ? errors : blocks);
  }
  const useful = lines.filter((line) => !NOISE.test(line));
  return (useful.length > 0 ? useful : lines.filter((line) => line !== '')).slice(-LAST_LINES);
}

/** A progress bar overwrites its line with `\r`; only its last text is kept. */
function plainLine(line: string): string {
  const text = plainText(line.replace(/\r+$/, '').replace(/^[\s\S]*\r/, '')).slice(0, LONGEST_SEARCHED);
  const shown = text.replace(/ *[━⎯]{6,}.*$/, ' ━━━').trimEnd();
  return shown.length > LONGEST_LINE ? `${shown.slice(0, LONGEST_LINE)}…` : shown;
}

/** Each block once, however often the tool repeats it. */
function blocksOf(lines: readonly string[], patterns: readonly Pattern[]): readonly (readonly string[])[] {
  const taken = new Set<number>();
  const blocks = new Map<string, readonly string[]>();
  let above = -1;
  lines.forEach((line, at) => {
    for (const pattern of patterns) {
      if (taken.has(at) || !pattern.first.test(line)) continue;
      const block = blockAt(lines, at, pattern, above).filter((index) => !taken.has(index));
      for (const index of block) taken.add(index);
      const texts = block.map((index) => lines[index] ?? '').filter((text) => !NOISE.test(text));
      if (texts.length > 0 && !blocks.has(texts.join('\n'))) blocks.set(texts.join('\n'), texts);
    }
    if (/^\S/.test(line)) above = at;
  });
  return [...blocks.values()];
}

/** The line numbers of a block; `above` is the nearest line before it without indentation. */
function blockAt(lines: readonly string[], at: number, pattern: Pattern, above: number): readonly number[] {
  const { before = 0, heading } = pattern;
  const begin = Math.max(0, at - before);
  return [...(heading && above >= 0 ? [above] : []), ...numbers(begin, at), ...bodyOf(lines, at, pattern)];
}

/** A block that is too long loses its middle, not its end, which often is the place in the code. */
function bodyOf(lines: readonly string[], at: number, { first, last, most = 1 }: Pattern): readonly number[] {
  const rest = lines.slice(at + 1, at + LONGEST_BLOCK);
  const next = rest.findIndex((line) => (last === undefined ? line === '' : first.test(line)));
  const own = next < 0 ? rest : rest.slice(0, next);
  const end = last === undefined ? -1 : own.findIndex((line) => last.test(line));
  const useful = numbers(at, at + 1 + (end < 0 ? own.length : end)).filter(
    (n) => !NOISE.test(lines[n] ?? ''),
  );
  return [...useful.slice(0, most), ...(end < 0 ? [] : [at + 1 + end])];
}

function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}

/** As many whole blocks as fit, and at least the beginning of the first. */
function withinLimit(blocks: readonly (readonly string[])[]): readonly string[] {
  let used = 0;
  const fits = blocks.findIndex((block) => {
    used += block.length;
    return used > MOST_LINES;
  });
  if (fits < 0) return blocks.flat();
  const shown = Math.max(1, fits);
  const left = blocks.length - shown;
  return [
    ...blocks.slice(0, shown).flat().slice(0, MOST_LINES),
    ...(left > 0 ? [`… ${left} more in the log`] : []),
  ];
}
