import { byName, type Word } from './words';

/*
 * Code that an interpreter is given on the command line or as its input. It is not followed; what matters is whether it
 * can start a program at all.
 */

interface Language {
  /** The letter of the option whose value is code, and its long names; without any, every argument is code. */
  readonly option?: RegExp;
  /** What starts programs in it, or reaches git in another way. */
  readonly starts: RegExp;
  /** Backticks hold text in it, and do not run anything. */
  readonly hasTemplates?: true;
}

const languageOf = byName<Language>(() => [
  [
    'node nodejs deno bun tsx ts-node',
    {
      option: /^(?:-[A-Za-z]*?[ep]|--eval|--print|eval)(?:=|$)/,
      starts:
        /child_process|execa|shelljs|\bzx\b|simple-git|isomorphic-git|nodegit|\bBun\.(?:spawn|\$)|\$`|\bDeno\.(?:Command|run)\b|\b(?:require|import)\(\s*[^'"`\s)]|\bbinding\(|\beval\(|\bFunction\(/,
      hasTemplates: true,
    },
  ],
  [
    'python python2 python3 pypy pypy3',
    {
      option: /^-[A-Za-z]*?c/,
      starts:
        /\bsubprocess|\bos\s*\.\s*(?:system|popen|exec|spawn|posix_spawn)|\bfrom\s+os\s+import[^\n;]*(?:system|popen|exec|spawn|\*)|\b(?:import|from)\s+(?:[\w.]+\s*,\s*)*(?:git|sh|pygit2|dulwich|plumbum|pexpect|invoke|fabric|pty|commands)\b|__import__|\bimportlib\b|\bgetattr\(\s*os\b|\b(?:exec|eval)\(/,
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

/** Whether a program gets code that may start other programs; false too for one that gets no code at all. */
export function startsPrograms(program: string, args: readonly Word[], input: Word | undefined): boolean {
  const language = languageOf(program) ?? languageOf(program.replace(/[\d.]+$/, ''));
  if (language === undefined) return false;
  return codeIn(language, args, input).some((code) => language.starts.test(withoutTexts(code, language)));
}

function codeIn({ option }: Language, args: readonly Word[], input: Word | undefined): readonly string[] {
  const texts = args.map(({ text }) => text);
  if (option === undefined) return texts;
  const codes = texts.flatMap((text, at) => {
    const [found] = text.startsWith('--') || !text.includes('--') ? (option.exec(text) ?? []) : [];
    if (found === undefined) return [];
    const attached = text.slice(found.length);
    return [attached === '' ? (texts[at + 1] ?? '') : attached];
  });
  // Without a file to run, it runs what it reads.
  const readsInput = texts.every((text) => text.startsWith('-'));
  return codes.length === 0 && readsInput && input !== undefined ? [input.text] : codes;
}

const TEXTS =
  /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|(?:^|\s)(?:#|\/\/)[^\n]*/g;
/** What comes before the name of a module, or before a text in which Python looks for expressions. */
const BEFORE_CODE = /(?:\b(?:require|import)\s*\(|\b(?:from|import)|\$|\b[rR]?[fF][rR]?)\s*$/;

/** The code without its comments and constant texts, which start nothing. Names of modules stay. */
function withoutTexts(code: string, { hasTemplates }: Language): string {
  return code.replace(TEXTS, (text, at: number) => {
    const runs = text.startsWith('`') && !hasTemplates;
    const isCode =
      runs || /\$\{|#\{|@\{\[/.test(text) || BEFORE_CODE.test(code.slice(Math.max(0, at - 20), at));
    return isCode ? text : ' "" ';
  });
}
