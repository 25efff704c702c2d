/* What a test file holds, as far as text can tell: which tests, which of them are skipped, and what they assert. */

/** Names that test runners look for. */
const TEST_NAME =
  /(?:^|\/)(?:[^/]*[._-](?:test|tests|spec|specs|e2e|cy)\.\w+|test_[^/]*\.py|[^/]*_(?:test|spec)\.\w+|[^/]*(?:Test|Tests|IT|Spec|Specs)\.(?:java|kt|kts|cs|swift|php|groovy|scala)|tests?\.\w+|conftest\.py|[^/]*\.bats)$/;
const TEST_DIRECTORY = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|cypress)\//;
const CODE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|go|rs|java|kts?|cs|swift|php|rb|exs?|groovy|scala|dart|lua|pl|t|sh|bats|feature)$/;

/** `named`: a runner finds it by its name; otherwise only the directory speaks for it. */
export function testFile(path: string): 'named' | 'placed' | undefined {
  if (!CODE.test(path) || path.includes('node_modules/')) return undefined;
  if (TEST_NAME.test(path)) return 'named';
  return TEST_DIRECTORY.test(path) || /\.rs$/.test(path) ? 'placed' : undefined;
}

export interface Tests {
  /** By title or by name; the same one twice counts twice. */
  readonly titles: readonly string[];
  readonly skipped: number;
  /** Places where tests end before they have looked at anything, or what looks is made blind. */
  readonly cut: number;
  readonly asserted: readonly string[];
}

export function testsIn(path: string, text: string): Tests {
  const code = text
    .replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, '')
    .replace(/^[ \t]*(?:\/\/(?!go:build)|#(?!\[)|--\s).*$/gm, '')
    .replace(path.endsWith('.py') ? /^[ \t]*[rRbBuUfF]{0,2}("""|''')[\s\S]*?\1/gm : /$^/, '');
  const { titles, skips } = PATTERNS.find(({ files }) => files.test(path)) ?? OTHER;
  const found = titles.flatMap((pattern) =>
    Array.from(code.matchAll(pattern), (match) => match.at(-1) ?? ''),
  );
  const skipped = skips.reduce((sum, pattern) => sum + Array.from(code.matchAll(pattern)).length, 0);
  const asserted = Array.from(code.matchAll(ASSERTION), ([line]) => line.trim()).filter(
    (line) => !EMPTY_ASSERTION.test(line),
  );
  return { titles: found, skipped, cut: Array.from(code.matchAll(CUT_SHORT)).length, asserted };
}

/** A good end of the process before anything, what is never true, a test that returns at once, an assertion replaced. */
const CUT_SHORT =
  /^(?:process\.exit|sys\.exit|os\._exit|Deno\.exit)\([ \t]*0?[ \t]*\)|\bif[ \t]*\([ \t]*(?:false|0|!1)[ \t]*\)|^[ \t]*if[ \t]+(?:False|0)[ \t]*:|\b(?:it|test|specify)\([^\n{]{0,300}\{\s{0,40}return[ \t]*;|\b(?:assert|expect)\.\w+(?:\.\w+)*[ \t]*=(?![=>])/gm;

const ASSERTION =
  /(?:^[ \t]*(?:assert|refute)\b(?![.(]?\s*=)|\b(?:[Aa]ssert|[Ee]xpect|should|XCTAssert|refute|verify)[\w.]*!?\(|\bassert_\w+|\b[tb]\.(?:Error|Fatal|Fail)\w*\().*$/gm;
/** True whatever the code does. */
const EMPTY_ASSERTION =
  /^(?:assert(?:\.ok|\.equal|\.strictEqual|True)?!?[ (]\s*(?:true|True|1)\b(?:\s*,\s*(?:true|1))?|expect\(\s*(?:true|1)\s*\)\.\w+\(\s*(?:true|1)?\s*\))/;

interface Patterns {
  readonly files: RegExp;
  readonly titles: readonly RegExp[];
  readonly skips: readonly RegExp[];
}

const QUOTED =
  /(?<![\w.$])[xf]?(?:it|test|specify|bench|scenario)(?:\.\w+(?:\([^()]*\))?)*\s*\(\s*(['"`])((?:(?!\1).)*)\1/g;
const SCRIPT: Patterns = {
  files: /\.(?:[cm]?[jt]sx?|vue|svelte)$/,
  titles: [QUOTED, /\b(?:Deno|Bun)\.test\(\s*(['"`])((?:(?!\1).)*)\1/g],
  skips: [
    /(?<![\w$])(?:it|test|describe|suite|context|specify)(?:\.\w+)*\.(?:skip|todo|fixme|skipIf|failing|fails|only)\b/g,
    /(?<![\w.$])(?:x(?:it|test|describe|context|specify)|f(?:it|describe))\s*[(.]/g,
    /\b(?:this|t|ctx|context)\.skip\(/g,
    /\b(?:skip|todo|only)\s*:\s*(?:true|!0|1\b|['"`])/g,
  ],
};
const PATTERNS: readonly Patterns[] = [
  SCRIPT,
  {
    files: /\.py$/,
    titles: [/^[ \t]*(?:async\s+)?def\s+(test\w*)/gm],
    skips: [
      /@(?:pytest\.mark\.(?:skip|skipif|xfail)|unittest\.(?:skip\w*|expectedFailure)|skip\w*)\b/g,
      /\b(?:pytest\.(?:skip|xfail|importorskip)|self\.skipTest|raise\s+(?:unittest\.)?SkipTest)\b/g,
      /^\s*pytestmark\s*=.*\b(?:skip|xfail)/gm,
      /\b(?:collect_ignore\w*|pytest_ignore_collect|pytest_collection_modifyitems)\b|__test__\s*=\s*False/g,
    ],
  },
  {
    files: /\.go$/,
    titles: [/^func\s+(?:\([^)]*\)\s*)?((?:Test|Fuzz|Example)\w*)\s*\(/gm],
    skips: [/\b\w+\.Skip(?:Now|f)?\(/g, /^\/\/go:build\s+ignore/gm],
  },
  {
    files: /\.rs$/,
    titles: [/#\[(?:\w+::)*test\b[^\]]*\](?:\s*#\[[^\]]*\])*\s*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)/g],
    skips: [/#\[(?:cfg_attr\([^)]*,\s*)?ignore\b/g, /#\[cfg\(any\(\)\)\]/g],
  },
  {
    files: /\.(?:java|kts?|groovy|scala)$/,
    titles: [
      /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b[\s\S]{0,200}?(?:void|fun|def)\s+(`[^`]+`|\w+)/g,
    ],
    skips: [/@(?:Disabled\w*|Ignore)\b/g, /\bassume(?:True|False|That)\(/g],
  },
  {
    files: /\.cs$/,
    titles: [/\[(?:Fact|Theory|Test|TestMethod|TestCase)\b[^\]]*\][\s\S]{0,200}?\b(\w+)\s*\(/g],
    skips: [/\bSkip\s*=/g, /\[(?:Ignore|Explicit)\b/g, /\bAssert\.(?:Ignore|Inconclusive)\b/g],
  },
  {
    files: /\.php$/,
    titles: [/function\s+(test\w*)\s*\(/g, /(?<![\w.$])(?:it|test)\s*\(\s*(['"])((?:(?!\1).)*)\1/g],
    skips: [/markTest(?:Skipped|Incomplete)\(/g, /->(?:skip|todo)\(/g],
  },
  {
    files: /\.(?:rb|exs?)$/,
    titles: [
      /^\s*x?(?:it|test|specify|scenario|example)\s*\(?\s*(['"])((?:(?!\1).)*)\1/gm,
      /^\s*def\s+(test_\w+)/gm,
    ],
    skips: [/^\s*(?:xit|xdescribe|xcontext|xspecify|skip|pending)\b/gm, /@(?:module)?tag\s+:?skip/g],
  },
  { files: /\.swift$/, titles: [/func\s+(test\w*)\s*\(/g], skips: [/\bXCTSkip\w*\b/g] },
  { files: /\.(?:bats|sh)$/, titles: [/^@test\s+(['"])((?:(?!\1).)*)\1/gm], skips: [/^\s*skip\b/gm] },
];
const OTHER: Patterns = { ...SCRIPT, files: /./ };
