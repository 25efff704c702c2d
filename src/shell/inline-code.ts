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
    'ruby',
    {
      option: /^-[A-Za-z]*?e/,
      starts: /`|%x|\b(?:system|exec|spawn|popen\w*|fork|eval|send)\b|Open3|Rugged/,
    },
  ],
  [
    'perl',
    {
      option: /^-[A-Za-z0-9]*?[eE]/,
      starts: /`|\b(?:qx|system|exec|fork|open|readpipe|eval)\b|\bIPC::|\bGit\b/,
    },
  ],
  ['php', { option: /^-r/, starts: /`|\b(?:\w*exec|system|passthru|proc_open|popen|eval)\b/ }],
  ['lua luajit', { option: /^-e/, starts: /\bexecute\b|\bpopen\b|\bload/ }],
  ['Rscript R', { option: /^-e/, starts: /\bsystem|\bshell\b|processx|git2r|gert|\beval\b/ }],
  ['julia', { option: /^-[eE]|^--eval/, starts: /`|LibGit2/ }],
  ['osascript', { option: /^-e/, starts: /do ?shell ?script/i }],
  ['expect', { option: /^-c/, starts: /\b(?:spawn|exec|system)\b/ }],
  ['awk gawk mawk nawk', { starts: /\bsystem\b|\|/ }],
  ['sed gsed', { starts: /./ }],
]);

/** Whether an interpreter is given code that may start other programs; false if it is given no code. */
export function startsPrograms(program: string, args: readonly Word[], input: Word | undefined): boolean {
  const language = languageNamed(program);
  if (language === undefined) return false;
  return codeIn(language, args, input).some((code) => language.starts.test(withoutStrings(code, language)));
}

/** The command lines in code that starts programs: a string of it, or a list of strings. */
export function linesInCode(program: string, args: readonly Word[], input: Word | undefined): string[] {
  const language = languageNamed(program);
  // What sed has in quotes is text.
  if (language === undefined || program.endsWith('sed') || !startsPrograms(program, args, input)) return [];
  return codeIn(language, args, input).flatMap((code) => {
    const lists: string[][] = [];
    let end = 0;
    for (const { 0: text, index } of code.matchAll(program === 'perl' ? PERL_TEXTS : TEXTS)) {
      const between = code.slice(end, index);
      const list = /^\s*(?:,\s*\[?|[.+])?\s*$/.test(between) ? lists.at(-1) : undefined;
      const inner = text.replace(/^(["'`]+)([\s\S]*)\1$/, '$2').replace(/^q[qx]?[{(]|[})]$/g, '');
      const said = inner.replace(/\\(["'`\\])/g, '$1');
      if (list === undefined) lists.push([said]);
      // Texts with a sign or nothing between them are one.
      else if (between.includes(',')) list.push(said);
      else list.push(`${list.pop()}${said}`);
      end = index + text.length;
    }
    // The program may be named once more, as the first of its arguments.
    const calls = lists.map((list) => (list[0] === list[1] ? list.slice(1) : list));
    return calls.map((list) => (list.length === 1 ? list : list.map(quoted)).join(' '));
  });
}

function quoted(text: string): string {
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
  // Without a script file, an interpreter runs its input.
  const readsInput = texts.every((text) => text.startsWith('-'));
  return codes.length === 0 && readsInput && input !== undefined ? [input.text] : codes;
}

const TEXTS =
  /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|(?:^|\s)(?:#|\/\/)[^\n]*/g;
const PERL_TEXTS = new RegExp(`\\bq[qx]?(?:\\{[^}]*\\}|\\([^)]*\\))|${TEXTS.source}`, 'g');
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
