import type { EventHeader } from './event';
import { isJsonObject, type JsonObject } from './json';
import type { Project } from './project';

/** Names of ours, of hosts and of git in a path, and names for the current directory or one above it. */
const PROTECTED_NAMES =
  ' . .. .git .holdpoint .claude .codex .gemini .github .cursor .opencode .config .gauntlet .isdlc .jwz .zawinski .idle-disabled holdpoint req agent-gauntlet ';

function namesProtectedPath(path: string): boolean {
  return path.split('/').some((name) => name !== '' && PROTECTED_NAMES.includes(` ${name} `));
}

/**
 * Whether a call runs a line of plain words, none of which names anything of ours, a host's or git's.
 * Splitting such a line gives its exact words, so it is known without parsing not to touch our files by name.
 */
export function isPlainCall(raw: JsonObject, { cwd }: EventHeader, { root, home }: Project): boolean {
  const commands = wordsOf(commandIn(raw) ?? '');
  // A command that writes may write through a symlink.
  if (commands === undefined || kindOf(commands) === undefined) return false;
  if (cwd !== root && (!cwd.startsWith(`${root}/`) || namesProtectedPath(cwd.slice(root.length))))
    return false;
  const isAbove = (word: string): boolean =>
    word.startsWith('/') && [root, home].some((place) => `${place}/`.startsWith(word.replace(/\/*$/, '/')));
  // A tool may have an argument for the directory to run in.
  const input = raw['tool_input'];
  if (isJsonObject(input) && Object.keys(input).some((key) => /dir/i.test(key))) return false;
  const isPlain = ({ text, bare }: PlainWord): boolean =>
    bare && !text.split('=').some((part) => namesProtectedPath(part) || isAbove(part));
  return commands.flat().every(isPlain);
}

function commandIn(raw: JsonObject): string | undefined {
  const input = raw['tool_input'];
  const command = isJsonObject(input) ? input['command'] : undefined;
  return typeof command === 'string' ? command : undefined;
}

/** A word as the program receives it. */
interface PlainWord {
  readonly text: string;
  /** A variable or glob may change it. */
  readonly loose: boolean;
  /** Unquoted and without special characters. */
  readonly bare: boolean;
}

/** What is consumed at once: a part of a word, or a separator. */
interface Piece extends Partial<PlainWord> {
  readonly end: number;
  readonly endsCommand?: true;
}

/**
 * The commands of a line with their words, if these are certain without parsing: no substitution, assignment
 * or group, and no redirection except to or from /dev/null. Not a regular expression, because every process
 * would have to compile it again.
 */
function wordsOf(line: string): PlainWord[][] | undefined {
  const commands: PlainWord[][] = [[]];
  let word: PlainWord | undefined;
  for (let at = 0; at < line.length; ) {
    const piece = pieceAt(line, at);
    if (piece === undefined) return undefined;
    const { text, loose = false, bare = false, endsCommand, end } = piece;
    if (word !== undefined && text !== undefined) commands.at(-1)?.pop();
    word = text === undefined ? undefined : joined(word, { text, loose, bare });
    if (word !== undefined) commands.at(-1)?.push(word);
    if (endsCommand) commands.push([]);
    at = end;
  }
  return commands.filter((words) => words.length > 0);
}

function joined(word: PlainWord | undefined, piece: PlainWord): PlainWord {
  if (word === undefined) return piece;
  return {
    text: word.text + piece.text,
    loose: word.loose || piece.loose,
    bare: word.bare && piece.bare,
  };
}

const WORD_SIGNS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_';
const BARE_SIGNS = `${WORD_SIGNS}.,/:=@%+-`;

function pieceAt(line: string, at: number): Piece | undefined {
  const nowhere = endOfNullRedirect(line, at);
  if (nowhere !== undefined) return { end: nowhere };
  const char = line.charAt(at);
  switch (char) {
    case ' ':
    case '\t':
      return { end: at + 1 };
    case '\n':
    case ';':
    case '&':
    case '|':
      return { end: at + 1, endsCommand: true };
    case "'": {
      const end = line.indexOf("'", at + 1);
      return end < 0 ? undefined : { end: end + 1, text: line.slice(at + 1, end) };
    }
    case '"':
      return quotedAt(line, at + 1);
    case '\\': {
      const text = line.charAt(at + 1);
      return text === '' || text === '\n' ? undefined : { end: at + 2, text, loose: true };
    }
    case '$': {
      const end = endOfRun(WORD_SIGNS, line, at + 1);
      return end === at + 1 ? undefined : { end, text: line.slice(at, end), loose: true };
    }
    case '*':
    case '?':
    case '[':
    case ']':
      return { end: at + 1, text: char, loose: true };
    default: {
      const end = endOfRun(`${BARE_SIGNS}^~`, line, at);
      const text = line.slice(at, end);
      return end === at
        ? undefined
        : { end, text, loose: char === '~', bare: endOfRun(BARE_SIGNS, line, at) === end };
    }
  }
}

/** Where a run of these characters ends. */
function endOfRun(signs: string, line: string, from: number): number {
  let end = from;
  while (end < line.length && signs.includes(line.charAt(end))) end++;
  return end;
}

/** The text in double quotes; `from` is after the opening quote. */
function quotedAt(line: string, from: number): Piece | undefined {
  let [text, loose, at] = ['', false, from];
  while (line.charAt(at) !== '"') {
    const sign = quotedSignAt(line, at);
    if (sign === undefined) return undefined;
    text += sign.text;
    loose ||= sign.loose;
    at = sign.end;
  }
  return { end: at + 1, text, loose };
}

/** One character in double quotes; `undefined` at the end of the line or at a substitution. */
function quotedSignAt(line: string, at: number): (Omit<PlainWord, 'bare'> & Pick<Piece, 'end'>) | undefined {
  const [char, next] = [line.charAt(at), line.charAt(at + 1)];
  switch (char) {
    case '':
    case '`':
      return undefined;
    case '\\': {
      if (next === '' || next === '\n') return undefined;
      const loose = next === '$' && isOneOf(WORD_SIGNS, line.charAt(at + 2));
      return { end: at + 2, text: isOneOf('"\\$`', next) ? next : char + next, loose };
    }
    case '$': {
      const loose = isOneOf(WORD_SIGNS, next);
      return loose || isOneOf('" \t\n\r|', next) ? { end: at + 1, text: char, loose } : undefined;
    }
    default:
      return { end: at + 1, text: char, loose: false };
  }
}

/** The end of a redirection to or from /dev/null, or to the other stream; `undefined` for anything else. */
function endOfNullRedirect(line: string, at: number): number | undefined {
  const stream = line.charAt(at);
  const sign = line.charAt(at + 1) === '>' && isOneOf('012&', stream) ? at + 1 : at;
  if (line.charAt(sign) !== '>' && stream !== '<') return undefined;
  const isOther = line.startsWith('>&', sign) && isOneOf('12', line.charAt(sign + 2));
  if (isOther && (sign === at || isOneOf('12', stream))) return endsAt(line, sign + 3);
  const from = endOfRun(' \t', line, sign + (line.startsWith('>>', sign) ? 2 : 1));
  return line.startsWith('/dev/null', from) ? endsAt(line, from + '/dev/null'.length) : undefined;
}

/** `at`, if what precedes it ends there. */
function endsAt(line: string, at: number): number | undefined {
  return at === line.length || isOneOf(' \t\n\r;&|', line.charAt(at)) ? at : undefined;
}

function isOneOf(signs: string, char: string): boolean {
  return char !== '' && signs.includes(char);
}

/** Programs that only read and print, whatever their arguments. */
const READERS =
  ' basename cat cd cksum cmp column comm cut date df diff dirname du echo egrep expr false fgrep fold grep head hexdump id jq ls md5sum nl nproc od paste ps pwd readlink realpath rev seq sha1sum sha256sum sha512sum sleep stat strings tac tail tr true type uname uptime wc which whoami ';
const GIT_READERS =
  ' blame describe diff grep log ls-files ls-tree merge-base rev-list rev-parse shortlog show status ';
/** Options with which git writes a file or runs a program, also abbreviated. */
const GIT_ACTS = /^(?:-\w*O|--ou|--op|--te|--e(?:x(?:[te].*)?)?$)/;
/** Options with which other reading programs do more than read. */
const ACTING: ReadonlyMap<string, RegExp> = new Map([
  ['printf', /^-[vR]/],
  ['test', /^-[vR]/],
  ['find', /^-(?:exec|ok|delete|f)/],
  ['rg', /^--(?:pre|host)/],
  ['sort', /^-(?:[^-]*o|-(?:c|f|o|t))/],
]);
/** Of our own commands those that change no file of the project. */
const OF_OURS = ' explain list log satisfy sessions status waiting why ';
/** Complete commands that only list something. */
const LISTS =
  /^git (?:branch(?: (?:-a|-r|-v|-vv|--all|--list|--show-current))?|remote(?: -v)?|stash list|tag|worktree list)$/;

/**
 * Whether every program in the call's command line only reads. If in doubt it does not: then its effects are
 * analysed, and the work tree is checked afterwards.
 */
export function isReadingCall(raw: JsonObject): boolean {
  const command = commandIn(raw);
  return command !== undefined && plainKind(command) === 'reads';
}

/**
 * What a line of plain words does, judging by its programs: it only reads, or it also runs tasks of the
 * project, such as tests, which may do anything. `undefined` for all other lines, which have to be parsed.
 */
export function plainKind(command: string): 'reads' | 'runs' | undefined {
  const commands = wordsOf(command);
  return commands && kindOf(commands);
}

function kindOf(commands: readonly (readonly PlainWord[])[]): 'reads' | 'runs' | undefined {
  if (commands.length === 0) return undefined;
  if (commands.every(isReading)) return 'reads';
  return commands.every((words) => isReading(words) || TASKS.test(textOf(words))) ? 'runs' : undefined;
}

/** Programs that run what the project defines, and nothing that their arguments name. */
const TASKS =
  /^(?:(?:npm|pnpm|yarn|bun) (?:test|t|run(?:-script)? [\w:.-]+)|make(?: [\w.-]+)*|cargo (?:test|build|check|clippy|run)|go (?:test|build|vet|run)|(?:npx )?(?:tsc|jest|vitest|mocha|pytest)|pytest|python3? -m pytest|mvn test|gradle test|dotnet test)(?=\s|$)(?! .*(?:--write|--fix|-o\b|--out))/;

function textOf(words: readonly PlainWord[]): string {
  return words.map(({ text }) => text).join(' ');
}

function isReading([program, ...args]: readonly PlainWord[]): boolean {
  if (program === undefined || program.loose || program.text.includes(' ')) return false;
  if (READERS.includes(` ${program.text} `)) return true;
  // What the others do depends on their arguments, so each must be known.
  if (args.some(({ loose }) => loose)) return false;
  const texts = args.map(({ text }) => text);
  const [verb = '', ...rest] = texts[0] === '--no-pager' ? texts.slice(1) : texts;
  const acting = ACTING.get(program.text);
  if (acting !== undefined) return !texts.some((text) => acting.test(text));
  switch (program.text) {
    case 'sed':
      return verb === '-n' && /^[\d,$;p]+$/.test(rest[0] ?? '') && !rest.some((text) => text.startsWith('-'));
    case 'uniq':
      return (
        !texts.includes('--') && texts.filter((text) => text === '-' || !text.startsWith('-')).length < 2
      );
    case 'git':
      return GIT_READERS.split(' ').includes(verb)
        ? !rest.some((text) => text.startsWith('-') && GIT_ACTS.test(text))
        : LISTS.test(`git ${[verb, ...rest].join(' ')}`);
    case 'req':
    case 'holdpoint':
      return OF_OURS.includes(` ${verb === 'req' ? rest[0] : verb} `);
    default:
      return false;
  }
}
