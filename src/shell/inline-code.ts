import { nameTable, saidIn, type Word } from './words';

/*
 * Code given to an interpreter on the command line or as input. We do not follow it, but check whether it can
 * start a program at all.
 */

interface Language {
  /** The options whose value is code; absent if every argument is code. */
  readonly option?: RegExp;
  /** Code that starts programs, or reaches git in another way. */
  readonly starts: RegExp;
  /** Backticks quote text and run nothing. */
  readonly hasTemplates?: true;
}

const languageOf = nameTable<Language>(() => [
  [
    'node nodejs deno bun tsx ts-node',
    {
      option: /^(?:-[A-Za-z]*?[ep]|--eval|--print|eval)(?:=|$)/,
      starts:
        /child_process|execa|shelljs|\bzx\b|simple-git|isomorphic-git|nodegit|\bBun\.(?:spawn|\$)|\$`|\bDeno\.(?:Command|run)\b|\b(?:require|import)\(\s*[^'"`\s)]|\bbinding\(|\b(?:execSync|execFile\w*|spawn\w*|fork)\(|\beval\(|\bFunction\(/,
      hasTemplates: true,
    },
  ],
  [
    'python python2 python3 pypy pypy3',
    {
      option: /^-[A-Za-z]*?c/,
      starts:
        /subprocess|\bctypes\b|\bos\s*\.\s*(?:system|popen|exec|spawn|posix_spawn)|\bfrom\s+os\s+import[^\n;]*(?:system|popen|exec|spawn|\*)|\b(?:import|from)\s+(?:[\w.]+\s*,\s*)*(?:git|sh|pygit2|dulwich|plumbum|pexpect|invoke|fabric|pty|commands)\b|__import__|\bimportlib\b|\bgetattr\(\s*os\b|\b(?:exec|eval)\(/,
    },
  ],
  [
    'ruby perl php lua luajit Rscript R julia osascript expect',
    {
      option: /^-[A-Za-z0-9]*?[eErc]|^--eval/,
      starts:
        /`|%x|\b(?:qx|system|shell|\w*exec|execute|spawn|popen\w*|proc_open|passthru|readpipe|fork|eval|send|load)\b|\bopen\b[^;]*[|-]|Open3|\bIPC::|\bGit\b|Rugged|LibGit2|processx|git2r|gert|do shell script/,
    },
  ],
  ['awk gawk mawk nawk', { starts: /\bsystem\b|(?<!\|)\|(?!\|)/ }],
  ['sed gsed', { starts: /./ }],
]);

/** Whether an interpreter is given code that may start other programs; false if it is given no code. */
export function startsPrograms(program: string, args: readonly Word[], input: Word | undefined): boolean {
  const language = languageNamed(program);
  if (language === undefined) return false;
  return codeIn(language, args, input).some((code) => language.starts.test(withoutStrings(code, language)));
}

/** The command lines in code that starts programs: a string of it, or a list of strings; `undefined` for other calls. */
export function linesInCode(
  program: string,
  args: readonly Word[],
  input: Word | undefined,
): string[] | undefined {
  const language = languageNamed(program);
  // What sed has in quotes is text.
  if (language === undefined || program.endsWith('sed') || !startsPrograms(program, args, input))
    return undefined;
  return codeIn(language, args, input).flatMap((code) => {
    const lists = listsIn(code, /^(?:perl|ruby)/.test(program) ? QUOTED_TEXTS : TEXTS);
    // The program may be named once more, as the first of its arguments.
    const calls = lists.map((list) => (list[0] === list[1] ? list.slice(1) : list));
    return calls.map((list) => (list.length === 1 ? list : list.map(quoted)).join(' '));
  });
}

/** The word `push`, unless it is a method. */
const PUSH = /(?<![\w.])push(?![\w(])/;
/** What joins two texts; in between a variable may stand for another one. */
const JOINT = /^\s*(?:(?:(,)(?:\s*\[)?|[.+])\s*(?:([A-Za-z_][\w.]*)\s*[,+]\s*)?)?[fFrRbBuU]{0,2}$/;
/** Stands for a word that code computes; in a shell it is one that nobody knows. */
const COMPUTED = '$(:)';

/** The texts in code; those of one list together. */
function listsIn(code: string, texts: RegExp): string[][] {
  const lists: string[][] = [];
  const pushes = PUSH.test(code);
  let end = 0;
  for (const { 0: text, index } of code.matchAll(texts)) {
    const between = code.slice(end, index);
    const inner = text.replace(/^(["'`]+)([\s\S]*)\1$/, '$2').replace(QUOTES, '$1');
    const said = inner.replace(/\\(["'`\\/])/g, '$1');
    if (!joinText(lists.at(-1), between, said, pushes)) {
      if (pushes) addComputed(lists.at(-1), between);
      lists.push([said]);
    }
    end = index + text.length;
  }
  if (pushes) addComputed(lists.at(-1), code.slice(end));
  // Kept apart, they may be put together anywhere.
  const hasAlone = (word: string): boolean => lists.some((list) => list.length === 1 && list[0] === word);
  return hasAlone('git') && hasAlone('push') ? [...lists, ['git', 'push', COMPUTED, COMPUTED]] : lists;
}

/** Adds a text to a list, or to the last text in it; false if it does not belong there. */
function joinText(list: string[] | undefined, between: string, said: string, pushes: boolean): boolean {
  const [found, comma, name] = JOINT.exec(between) ?? [];
  if (list === undefined || found === undefined) return false;
  if (name !== undefined && !(pushes && isGitCall(list))) return false;
  const computed = name === undefined ? [] : [COMPUTED];
  // Texts with a sign or nothing between them are one.
  if (comma !== undefined) list.push(...computed, said);
  else list.push([list.pop(), ...computed, said].join(''));
  return true;
}

function isGitCall(list: readonly string[] | undefined): boolean {
  return /^(?:\S*\/)?git(?:\s|$)/.test(list?.[0] ?? '');
}

/** A call of git that goes on with what is not a text, or begins so: it may be given any remote and branch. */
function addComputed(list: string[] | undefined, rest: string): void {
  const [text = '', ...others] = list ?? [];
  const isOpen = others.length > 0 || !/\s/.test(text) ? /^\s*(?:\]\s*\+|[,+]\s*[\w$*(.[])/ : /^\s*[+%]/;
  if (list === undefined || !isGitCall(list) || !isOpen.test(rest)) return;
  if (others.length > 0) list.push(COMPUTED, COMPUTED);
  else list[0] = `${text} ${COMPUTED} ${COMPUTED}`;
}

function quoted(text: string, at: number, list: readonly string[]): string {
  // Split into words by the code, it is the whole call.
  if (text === COMPUTED || (at === 1 && isGitCall(list) && text.startsWith('push '))) return text;
  return /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function languageNamed(program: string): Language | undefined {
  return languageOf(program) ?? languageOf(program.replace(/[\d.]+$/, ''));
}

function codeIn({ option }: Language, args: readonly Word[], input: Word | undefined): readonly string[] {
  const texts = args.map(saidIn);
  if (option === undefined) return texts;
  const codes = texts.flatMap((text, at) => {
    const [found] = text.startsWith('--') || !text.includes('--') ? (option.exec(text) ?? []) : [];
    if (found === undefined) return [];
    const attached = text.slice(found.length);
    return [attached === '' ? (texts[at + 1] ?? '') : attached];
  });
  // Without a script file, an interpreter runs its input; the words after `-` are arguments.
  const script = texts.find((text) => text === '-' || !text.startsWith('-')) ?? '-';
  return codes.length === 0 && script === '-' && input !== undefined ? [input.text] : codes;
}

const TEXTS =
  /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|(?:^|\s)(?:#|\/\/)[^\n]*/g;
/** Perl's and Ruby's own quotes, also those around a list of words. */
const QUOTED_TEXTS = new RegExp(
  `(?:(?<![$@%\\w])q[qwx]?|%[qQwWx])(?:\\{[^}]*\\}|\\([^)]*\\)|\\[[^\\]]*\\]|/(?:\\\\.|[^/\\\\])*/)|${TEXTS.source}`,
  'g',
);
const QUOTES = /^(?:q[qwx]?|%[qQwWx])[{([/]([\s\S]*)[})\]/]$/;
/** What precedes a module name, or a string with expressions in it such as a Python f-string. */
const BEFORE_CODE = /(?:\b(?:require|import)\s*\(|\b(?:from|import)|\$|\b[rR]?[fF][rR]?)\s*$/;

/** The code without comments and constant strings, which start nothing. Module names stay. */
function withoutStrings(code: string, { hasTemplates }: Language): string {
  return code.replace(TEXTS, (text, at: number) => {
    const runs = text.startsWith('`') && !hasTemplates;
    const isCode =
      runs || /\$\{|#\{|@\{\[/.test(text) || BEFORE_CODE.test(code.slice(Math.max(0, at - 20), at));
    return isCode ? text : ' "" ';
  });
}
