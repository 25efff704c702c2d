import { type Rows, rowsIn } from './tables';

/*
 * Reads test files as text: which tests they have, which of them are skipped, and what they assert. An agent can write
 * any file, so no pattern may look far ahead from many places: the end of the turn would wait for minutes.
 */

/** File names that test runners look for. */
const TEST_NAME =
  /(?:^|\/)(?:[^/]*[._-](?:test|tests|spec|specs|e2e|cy)\.\w+|test_[^/]*\.py|[^/]*_(?:test|spec)\.\w+|[^/]*(?:Test|Tests|IT|Spec|Specs)\.(?:java|kt|kts|cs|swift|php|groovy|scala)|tests?\.\w+|conftest\.py|[^/]*\.bats)$/;
/** Go passes over names that begin with a dot or an underscore. */
const GO_NAME = /^(?!(?:.*\/)?(?:testdata\/|[_.])).*_test\.go$/;
const TEST_DIRECTORY = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|cypress)\//;
const CODE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|go|rs|java|kts?|[cf]s|swift|php|rb|exs?|groovy|scala|dart|lua|p[lm]|t|sh|bats|feature|c|cc|cpp|cxx|h|hpp|mm?|hs|cljc?|cljs|erl|zig|r|R|jl|ml|robot)$/;

/** `named`: test runners find it by name. `placed`: in a test directory, or Rust, which may contain tests. */
export function testFile(path: string): 'named' | 'placed' | undefined {
  if (!CODE.test(path) || path.includes('node_modules/')) return undefined;
  if ((path.endsWith('.go') ? GO_NAME : TEST_NAME).test(path)) return 'named';
  return TEST_DIRECTORY.test(path) || /\.rs$/.test(path) ? 'placed' : undefined;
}

export interface Tests {
  /** Titles or function names; duplicates count. */
  readonly titles: readonly string[];
  /** The title of each skipped test; empty if the skip is not about a single test. */
  readonly skipped: readonly string[];
  readonly rows: Rows;
  /** Places where tests end before they check anything, or where an assertion is replaced: the title of each test. */
  readonly cut: readonly string[];
  /** Places where the whole file ends, or passes whatever its tests find. */
  readonly ended: number;
  /** Those of them that are not in a text of several lines, which may be a program for a test. */
  readonly endedOutside: number;
  /** A whole package of Go passes without its tests, or whatever they find. */
  readonly isBlind: boolean;
  /** Lines that assert something, and the title of the test that each is in. */
  readonly asserted: readonly { readonly line: string; readonly title: string }[];
  /** The text without its comments. */
  readonly code: string;
}

export function testsIn(path: string, text: string): Tests {
  const isRust = path.endsWith('.rs');
  // Only a part of a Rust source may be tests.
  const part = isRust && !TEST_DIRECTORY.test(path) ? (FROM_TESTS.exec(text)?.[0] ?? '') : text;
  // Only up to the last end of a comment.
  const commented = part.lastIndexOf('*/') + 2;
  const code = part
    .slice(0, commented)
    // Some tests of PHP are marked by a comment.
    .replace(/(?<![^\s;{}(),])\/\*(?!\*\s*@test\b)[\s\S]*?\*\//g, '')
    .concat(part.slice(commented))
    .replace(path.endsWith('.rb') ? /^=begin\b[\s\S]*?(?:^=end\b|$(?![\s\S]))|^__END__[\s\S]*/gm : /$^/, '')
    .replace(
      path.endsWith('.swift')
        ? /^[ \t]*\/\/.*$/gm
        : /^[ \t]*(?:\/\/(?!go:build| \+build)|#(?!!?\[|if)|--\s).*$/gm,
      '',
    )
    .replace(
      path.endsWith('.py') ? /(?:(^)[ \t]*[rRbBuUfF]{0,2}|)("""|''')[\s\S]*?\2/gm : /$^/,
      (all, start) => (start === undefined ? all : ''),
    );
  const { titles, skips } = patterns().find(({ files }) => files.test(path)) ?? script();
  const found = titles
    .flatMap((pattern) => Array.from(code.matchAll(pattern)))
    .map((match) => ({ at: match.index, to: match.index + match[0].length, title: match.at(-1) ?? '' }))
    .sort((one, other) => one.at - other.at)
    // Two patterns may find the same title.
    .filter(({ to }, at, all) => all[at - 1]?.to !== to);
  const titleAt = (index: number): string => found[countUntil(found, index) - 1]?.title ?? '';
  const skipped = skips.flatMap((pattern) =>
    Array.from(code.matchAll(pattern), (match) => skippedBy(match, found)),
  );
  const asserted = assertionsIn(code, isRust ? RUST_ASSERTION : ASSERTION);
  return {
    titles: found.map(({ title }) => title),
    skipped: path.endsWith('.py') ? [...skipped, ...uncollected(code)] : skipped,
    rows: rowsIn(code),
    cut: [CUT_SHORT, UNHEEDED, ENDS_UNDER_CONDITION].flatMap((pattern) =>
      Array.from(code.matchAll(pattern))
        .filter(({ index }) => pattern !== ENDS_UNDER_CONDITION || isInTest(code, index, found))
        .map(({ index }) => titleAt(index)),
    ),
    ended: Array.from(code.matchAll(ENDED)).length,
    endedOutside: Array.from(code.replace(TEXTS, '').matchAll(ENDED)).length,
    isBlind: path.endsWith('.go') && isMainBlind(code),
    asserted: asserted.map(({ line, at }) => ({ line: withoutFormat(line), title: titleAt(at) })),
    code,
  };
}

function assertionsIn(code: string, pattern = ASSERTION) {
  const lines = Array.from(code.matchAll(pattern), ({ 0: line, index }) => ({
    line: line.trim(),
    at: index,
  }));
  return lines.filter(({ line }) => !EMPTY_ASSERTION.test(line));
}

/** A function with its lines, which are indented more than its first one. */
const FUNCTION =
  /^([ \t]*)(?:(?:export|default|async|public|private|protected|static|pub)[ \t]+)*(?:(?:function|def|func|fn|fun|void)\b\*?[ \t]*(?:\([^)\n]{0,100}\)[ \t]*)?|(?:const|let)[ \t]+)(?![tT]est|it\b)(\w+)\b.*(?:\n(?:\1[ \t]+.*)?){0,60}/gm;
const MOST_HELPERS = 50;

/** How many assertions each file makes. Those of a function that any of the files calls count at each call. */
export function assertionsMade(
  files: readonly Tests[],
  isCounted: (line: string) => boolean,
): readonly number[] {
  const helpers = files
    .flatMap(({ code }, file) =>
      Array.from(code.matchAll(FUNCTION), ([text, , name]) => ({ file, name, text })),
    )
    .map(({ file, name, text }) => {
      return { file, name, asserts: assertionsIn(text).filter(({ line }) => isCounted(line)).length };
    })
    .filter(({ asserts }) => asserts > 0)
    .slice(0, MOST_HELPERS);
  const made = files.map(({ asserted }) => asserted.filter(({ line }) => isCounted(line)).length);
  for (const { file, name, asserts } of helpers) {
    const call = new RegExp(`(?<!\\b(?:function|def|func|fn|fun|void) +)\\b${name}\\(`, 'g');
    const calls = files.map(({ code }) => Array.from(code.matchAll(call)).length);
    if (calls.every((count) => count === 0)) continue;
    calls.forEach((count, at) => {
      made[at] = (made[at] ?? 0) + asserts * (at === file ? count - 1 : count);
    });
  }
  return made;
}

const FORMAT = /(['"])((?:\\.|(?!\1)[^\\]){0,300})\1|[,;]\s*(?=[)\]}]|$)|\s+/g;

/** A line as another formatter would write it too: the same quotes, and outside of them no spaces and last commas. */
function withoutFormat(line: string): string {
  return line.replace(FORMAT, (all, quote?: string, text = '') => {
    if (quote === undefined) return '';
    return /["'\\]/.test(text) ? all : `"${text}"`;
  });
}

type Titled = { readonly at: number; readonly to: number; readonly title: string };

/** The test that a skip is about: for a decorator or attribute the next one, otherwise the one before. */
function skippedBy({ index, 0: text }: RegExpExecArray, titles: readonly Titled[]): string {
  const after = countUntil(titles, index);
  const [last, next] = [titles[after - 1], titles[after]];
  if (last !== undefined && last.to > index) return last.title;
  if (next !== undefined && next.at < index + text.length) return next.title;
  return (/^\s*[@#[]/.test(text) ? next : last)?.title ?? '';
}

const CLASS = /^class[ \t]+(\w+)[ \t]*(?:\([ \t]*(?:object[ \t]*)?\))?[ \t]*:/;

/** The tests of Python classes that no runner collects: without a base, and not named \`Test…\` or once of unittest. */
function uncollected(code: string): readonly string[] {
  const bases = new Set(
    Array.from(code.matchAll(/^[ \t]*class[ \t]+\w+[ \t]*\(([^)]{0,500})\)/gm)).flatMap(([, names = '']) =>
      names.split(/\W+/),
    ),
  );
  return code.split(/^(?=class\b)/m).flatMap((text) => {
    const name = CLASS.exec(text)?.[1];
    if (name === undefined || bases.has(name) || /Mixin|Base|Abstract|^_/.test(name)) return [];
    const [body = ''] = text.split(/\n(?=[^\s#])/, 1);
    if (/^Test/.test(name) && !/\bself\.(?:assert[A-Z]\w*|fail)\(/.test(body)) return [];
    return Array.from(
      body.matchAll(/^[ \t]+(?:async[ \t]+)?def[ \t]+(test\w*)/gm),
      ([, title = '']) => title,
    );
  });
}

/** How many titles begin at an index or before it; they are sorted. */
function countUntil(titles: readonly Titled[], index: number): number {
  let [low, high] = [0, titles.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((titles[middle]?.at ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return low;
}

const FROM_TESTS =
  /#\[(?:cfg\([^\]]{0,300}(?:\btest\b|\]\s{0,40}(?:pub\s{1,9})?mod\s{1,9}\w*tests?\b)|(?:\w+::)*test\b)[\s\S]*$/;

const TEXTS = /(`|"""|''')[\s\S]*?(?:\1|$(?![\s\S]))/g;

/** A top-level `exit(0)` or `return`, or one when all tests are done. */
const ENDED =
  /^(?:process\.exit|sys\.exit|os\._exit|Deno\.exit)\([ \t]*(?:0[ \t]*)?\)|^return\b[ \t]*(?:;[ \t]*)?$|^(?:<\?php[ \t]+)?(?:exit|die)\b!?[ \t]*(?:\([ \t]*0?[ \t]*\)|0)?[ \t]*;?|\bafter(?:All)?\([^\n]{0,80}process\.exit\([ \t]*0?[ \t]*\)|\bprocess\.(?:exitCode[ \t]*=[ \t]*0|exit[ \t]*=|on\([ \t]*['"](?:exit|beforeExit))|\bat_exit\b|\bos\.Exit\([ \t]*0[ \t]*\)|\.exitstatus[ \t]*=(?!=)|\bexcinfo[ \t]*=[ \t]*None|\.outcome[ \t]*=[ \t]*["']passed|\bpytest_pyfunc_call\b|^(?:const|let|var)[ \t]+(?:it|test|describe|expect|assert)[ \t]*=[ \t]*(?:async[ \t]*)?(?:[({]|function\b|new Proxy)|^function[ \t]+(?:it|test|describe|expect|assert)\b|\b(?:globalThis|global|window)\.(?:it|test|describe|expect|assert)[ \t]*=(?!=)|\bdry_run[ \t]*=|\bfilter_run\w*|\b(?:in|ex)clusion_filter\b/gm;

/** Whether a `TestMain` does not use its parameter, or exits with 0 after a run whose result it drops. */
function isMainBlind(code: string): boolean {
  const head = /^func TestMain\((\w+) .*/m.exec(code);
  if (head === null) return false;
  const [line, name = ''] = head;
  const from = head.index + line.length;
  const end = code.indexOf('\n}', from);
  const body = code.slice(from, end < 0 ? undefined : end);
  if (!new RegExp(`\\b${name}\\b`).test(body)) return true;
  const dropped = body.search(new RegExp(`\\n[ \\t]*(?:_ = )?${name}\\.Run\\(\\)[ \\t]*(?:\\n|$)`));
  return dropped >= 0 && body.includes('os.Exit(0)', dropped);
}

/** `if (false)`, a test that returns before its last line, a failure that is ignored, a replaced assertion. */
const CUT_SHORT =
  /\bif[ \t]*\([ \t]*(?:false|0|!1)[ \t]*\)|\bif[ \t]*\([ \t]*(?:true|1|!0)[ \t]*\)[ \t]*\{?[ \t]*return\b|^[ \t]*if[ \t]+(?:[Ff]alse|0|nil)\b[ \t]*[:{]?[ \t]*$|\b(?:it|test|specify)\([^\n{]{0,300}\{\s{0,40}return[ \t]*;|^([ \t]+)(?:return|next)(?:[ \t]+(?:true|True|null|None|undefined|nil|0))?[ \t]*;?[ \t]*\n(?:[ \t]*\n)*\1(?!end\b|case\b|default\b)[^\s})\]]|\b(?:assert|expect)\.\w+(?:\.\w+){0,8}[ \t]*=(?![=>])/gm;

/** A condition that is never true, or that is the assertion itself; a failure that is ignored, or not waited for. */
const UNHEEDED =
  /\btry\s{0,9}\{(?:(?!\b(?:try|catch)\b)[\s\S]){0,300}?\b(?:[Aa]ssert|expect)(?:(?!\b(?:try|catch)\b)[\s\S]){0,300}?\}\s{0,9}catch\s{0,9}(?:\([^)\n]{0,60}\)\s{0,9})?\{\s{0,80}(?:(?:\/\/|return\b|(?:[Cc]onsole|System|log(?:ger)?)\.|print|\w{1,40}\.printStackTrace)[^\n{}]{0,200}(?:\n\s{0,80}|(?=\}))){0,3}\}|\btry:(?:(?!\b(?:try|except)\b)[\s\S]){0,300}?\bassert(?:(?!\b(?:try|except)\b)[\s\S]){0,300}?\bexcept(?:[ \t]+\(?[^\n:]{0,60}\b(?:AssertionError|(?:Base)?Exception)\b[^\n:]{0,40})?[ \t]*:\s{0,40}(?:(?:pass|return)[ \t]*|(?:print|log\w*\.\w+)\([^\n]{0,200})$(?!\s{0,40}(?:raise|pytest\.fail|self\.fail)\b)|\bif\b[^\n{]{0,200}(?:&&|\band\b)[ \t]*[Ff]alse\b[ \t]*[{:)]|\bif\b[ \t]*\(?[ \t]*[Ff]alse[ \t]*(?:&&|and\b)|\bif\b[ \t]*\(?[ \t]*([\w.$]{1,100})[ \t]*={2,3}[ \t]*([^\s):]{1,100})[ \t]*[:)][ \t]*\{?\s{0,80}(?:self\.)?(?:assert|expect)[\w.]{0,80}[ (]\s{0,20}\1(?=[\s,)])[^\n]{0,80}?\2|\bsuppress\((?:[^\n)]{0,100}\bAssertionError\b|[^\n]{0,100}\):\s{0,80}(?:self\.)?assert)|\b(?=assert\.(?:rejects|doesNotReject)\(|expect\([^\n]{0,200}\)\.(?:rejects|resolves)\.)(?<=[;{})]\s{0,80})/gm;

/** A return that depends on the environment. */
const ENDS_UNDER_CONDITION =
  /\bif\b[^\n]{0,200}\b(?:(?:process|meta)\.env\b|os\.(?:environ|[gG]etenv|LookupEnv)\b|env::var|System\.getenv|ENV\[|getenv\()[^\n]{0,200}?[)\]{:][ \t]*\{?[ \t]*(?:\n[ \t]*)?return[ \t]*;?[ \t]*(?=[\n}])/g;
const LONGEST_BODY = 5000;

/** Whether only lines that are indented more than the title of the last test come between it and the index. */
function isInTest(code: string, index: number, titles: readonly Titled[]): boolean {
  const { to = 0 } = titles[countUntil(titles, index) - 1] ?? {};
  if (to === 0 || index - to > LONGEST_BODY) return false;
  const [head = '', ...body] = code.slice(code.lastIndexOf('\n', to - 1) + 1, index).split('\n');
  const depth = head.search(/\S|$/);
  return body.every((line) => line.trim() === '' || line.search(/\S/) > depth);
}

const ASSERTION =
  /(?:^[ \t]*(?:assert|refute)\b(?![.(]?\s*=)|\b(?:[Aa]ssert|[Ee]xpect|[Ss]hould|XCTAssert|refute|verify|require\.(?=[A-Z])|pytest\.(?=raises|warns))[\w.]{0,200}!?\(|\b(?:assert_\w+|is_expected\b|should[A-Z]\w{0,40} |(?:expect|verify) \{)|\b[tb]\.(?:Error|Fatal|Fail)\w*\().*$/gm;
const RUST_ASSERTION = /\b(?:debug_)?assert\w*!.*$/gm;
/** Assertions that are always true. */
const EMPTY_ASSERTION =
  /^(?:(?:XCT)?[Aa]ssert(?:\.ok|\.?[Tt]rue)?!?[ (]\s*(?:true|True|1|!false|not False)\s*(?:[),;]|$)|(?:XCT)?[Aa]ssert[\w.]*!?[ (]\s*([^\s,()]+)\s*(?:,|===?)\s*\1\s*(?:[),;]|$)|expect\(\s*(?:true|1)\s*\)|expect\(\s*([^()\n]{1,100}?)\s*\)\.\w+\(\s*\2\s*\)|assert [^\n]*\bor True$)/;
/** Assertions that hold for almost any value. Their lines may have no spaces. */
const VAGUE_ASSERTION =
  /toBe(?:Defined|Truthy)\(|be_truthy|\.exist\b|not[._ >-]*(?:to[._ ]*)?(?:be[._ ]*)?(?:null|nil|undefined)\b|is ?not ?None(?:,.*)?$|assertIsNotNone|refute[ _]?(?:is_)?nil|is_?instance|instance_?of|is_(?:some|ok)\(\)\)|\(expect\.any\w*\([^()]*\)\)/i;

export function isPrecise(line: string): boolean {
  return !VAGUE_ASSERTION.test(line);
}

interface Patterns {
  readonly files: RegExp;
  readonly titles: readonly RegExp[];
  readonly skips: readonly RegExp[];
}

const QUOTED =
  /(?<![\w.$])[xf]?(?:it|test|specify|bench|scenario)(?:\.\w+(?:\([^()]*\))?)*\s*\(\s*(['"`])((?:(?!\1).)*)\1/g;
const script = (): Patterns => ({
  files: /\.(?:[cm]?[jt]sx?|vue|svelte)$/,
  titles: [
    QUOTED,
    /\b(?:Deno|Bun)\.test\(\s*(['"`])((?:(?!\1).)*)\1/g,
    /(?<![\w.$])(?:it|test)(?:\.\w+){0,8}\s*\(\s*([A-Za-z_$][\w$.]*)\s*,\s*(?:async\b|function\b|\()/g,
    // Behind a table.
    /\](?:\s{1,9}as\s{1,9}const)?,?\s{0,9}\)\s{0,9}\(\s{0,80}(['"`])((?:(?!\1).)*)\1(?=\s*,)/g,
  ],
  skips: [
    /(?<![\w$])(?:it|test|describe|suite|context|specify)(?:\.\w+){0,8}\.(?:skip|todo|fixme|skipIf|runIf|failing|fails|only)\b|\.each\(\s*\[\s*\]\s*\)/g,
    /(?<![\w.$])(?:x(?:it|test|describe|context|specify)|f(?:it|describe))\s*[(.]/g,
    /\b(?:this|t|ctx|context)\.(?:skip|todo)\(|^[ \t]*(?:skip|pending)\((?=[)'"`])/gm,
    // Runs only under a condition.
    /^[ \t]*(?:if[ \t]{0,9}\([^\n]{0,200}\)|[^\s/*][^\n]{0,200}&&)[ \t]{0,9}\{?\s{0,40}(?:it|test|describe|suite)\(/gm,
    // Skips a whole file: `skip` imported as `test`, or a loop over an empty list.
    /\b(?:skip|todo)\s*(?::|\bas\b)\s*(?:it|test|describe|suite)\b|\b(?:it|test|describe|suite)\s*=\s*[^\s;=>][^;\n=>]*\.(?:skip|todo)\b|\bof\s*\[\s*\]\s*\)\s*(?:\{\s*)?(?:it|test|describe)\b/g,
    /(?<![\w.$])(?:it|test|describe|suite)\s*\(\s*(?:(['"`])(?:(?!\1).)*\1\s*,\s*)?\{[^{}]*\b(?:skip|todo|only)\s*:\s*(?!false\b|undefined\b|null\b|0\b)/g,
  ],
});
/** A function, since so many patterns cost time at every end of a turn, and few turns change tests. */
const patterns = (): readonly Patterns[] => [
  script(),
  {
    files: /\.py$/,
    titles: [/^[ \t]*(?:async\s+)?def\s+(test\w*)/gm],
    skips: [
      /@(?:(?:pytest\.)?mark\.(?:skip|skipif|xfail)|unittest\.(?:skip\w*|expectedFailure)|skip\w*)\b/g,
      /\b(?:pytest\.(?:skip|xfail|importorskip)|self\.skipTest|raise\s+(?:unittest\.)?SkipTest)\b/g,
      /(?:^[ \t]*pytestmark\s*=|\badd_marker\().*\b(?:skip|xfail)/gm,
      /\b(?:collect_ignore\w*|pytest_ignore_collect)\b|\bpytest_collection_modifyitems\b(?=[\s\S]{0,600}?(?:skip|deselect|\.(?:remove|clear|pop)\(|items\[:?\]\s*=\s*(?!sorted)))|__test__\s*=\s*False/g,
    ],
  },
  {
    files: /\.go$/,
    titles: [/^func\s+(?:\([^)\n]*\)\s*)?((?:Test(?!Main\b|[a-z])|Fuzz|Example)\w*)\s*\(/gm],
    skips: [/\b\w+\.Skip(?:Now|f)?\(/g, /^\/\/(?:go:build| \+build)\b/gm],
  },
  {
    files: /\.rs$/,
    titles: [
      /#\[(?:\w+::)*test\b[^\]]{0,300}\](?:\s*#\[[^\]]{0,300}\]){0,20}\s*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)/g,
    ],
    skips: [
      /#\[(?:cfg_attr\([^)]{0,300},\s{0,20})?ignore\b/g,
      /#!\[cfg\((?!test\))|#\[cfg\((?:any\(\)\)\]|all\()/g,
      /#\[cfg\((?!test\)|all\()[^\]]{0,300}\]\s{0,40}(?:pub\s{1,9})?mod\s{1,9}\w*tests?\b/g,
      /#\[should_panic\b/g,
      /#\[cfg\((?!test\)|all\(|any\(\)\))[^\]]{0,300}\](?=\s{0,40}(?:#\[[^\]]{0,300}\]\s{0,40}){0,5}?#\[(?:\w+::){0,4}test\b)/g,
      /(?<=#\[(?:\w+::){0,4}test\]\s{0,40})#\[cfg\((?!test\)|all\(|any\(\)\))/g,
    ],
  },
  {
    files: /\.(?:java|kts?|groovy|scala)$/,
    titles: [
      /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b[\s\S]{0,200}?(?:void|fun|def)\s+(`[^`]+`|\w+)/g,
    ],
    skips: [
      /@(?:\w+\.){0,8}(?:(?:Dis|En)abled\w*|Ignore)\b/g,
      /\bassume(?:True|False|That)\(/g,
      /@Test\([^)\n]{0,200}\b(?:enabled\s*=\s*false|expected\s*=\s*(?:AssertionError|Throwable|Error|Exception)\b)/g,
      /@Test\b[^;{]{0,200}?\bprivate\s/g,
    ],
  },
  {
    files: /\.cs$/,
    titles: [/\[(?:Fact|Theory|Test|TestMethod|TestCase)\b[^\]]{0,300}\][\s\S]{0,200}?\b(\w+)\s*\(/g],
    skips: [
      /\bSkip\s*=/g,
      /^[ \t]*#if\b.*$/gm,
      /\[(?:Ignore|Explicit)\b/g,
      /\bAssert\.(?:Ignore|Inconclusive)\b/g,
    ],
  },
  {
    files: /\.php$/,
    titles: [
      /(?<!(?:private|protected)\s{1,9})function\s+(test\w*)\s*\(/g,
      /(?:#\[Test\b|\*\s@test\b)[\s\S]{0,200}?function\s+(?!test)(\w+)/g,
      /(?<![\w.$])(?:it|test)\s*\(\s*(['"])((?:(?!\1).)*)\1/g,
    ],
    skips: [
      /markTest(?:Skipped|Incomplete)\(|expectNotToPerformAssertions\(/g,
      /->(?:skip|todo)\(/g,
      /@requires\b|#\[Requires\w+/g,
    ],
  },
  {
    files: /\.(?:rb|exs?)$/,
    titles: [
      /^[ \t]*[xf]?(?:it|test|specify|scenario|example)\s*(?:\(\s*)?(['"])((?:(?!\1).)*)\1/gm,
      /^[ \t]*def\s+(test_\w+)/gm,
      /^[ \t]*it[ \t]*(?:\{|do\b)()/gm,
    ],
    skips: [
      /^[ \t]*(?:[xf](?:it|describe|context|specify)|skip|pending)\b/gm,
      /@(?:module|describe)?tag\s+:?skip/g,
      /,\s*(?::(?:skip|pending|focus)\b|(?:skip|pending|focus):\s*(?!false\b|nil\b)|if:\s*(?:false|nil)\b)/g,
    ],
  },
  {
    files: /\.swift$/,
    titles: [/func\s+(test\w*)\s*\(/g, /@Test\b[\s\S]{0,200}?\bfunc\s+(?!test)(\w+|`[^`]+`)/g],
    skips: [/\bXCTSkip\w*\b|\.disabled\(|\bwithKnownIssue\b|\bXCTExpectFailure\b/g],
  },
  { files: /\.(?:bats|sh)$/, titles: [/^@test\s+(['"])((?:(?!\1).)*)\1/gm], skips: [/^[ \t]*skip\b/gm] },
];
