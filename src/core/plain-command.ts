import type { EventHeader } from './event';
import { isJsonObject, type JsonObject } from './json';
import type { Project } from './project';

/** No quotes, variables, patterns, redirections or substitutions: what stands there is what the shell sees. */
const PLAIN = /^[\w\s.,/:=@%+&|;-]*$/;
const SEPARATORS = /[\s&|;=]+/;
/** Names of ours, of hosts and of git in a path, and words for the directory itself or one above it. */
const OURS =
  /(?:^|\/)(?:\.(?:git|holdpoint|claude|codex|gemini|github|cursor|opencode|config|gauntlet|isdlc|jwz|zawinski|idle-disabled)|\.|\.\.|holdpoint|req|agent-gauntlet)(?:\/|$)/;

/**
 * Whether a call runs a command line of plain words none of which names anything of ours, a host's or git's. Then the
 * words are exactly what splitting gives, so nothing has to be parsed to know that it does not touch our files by name.
 */
export function isPlainCall(raw: JsonObject, { cwd }: EventHeader, { root, home }: Project): boolean {
  const command = commandIn(raw)?.replace(/(?<=\s)2>&1(?=\s|$)/g, '');
  if (command === undefined || !PLAIN.test(command)) return false;
  if (cwd !== root && (!cwd.startsWith(`${root}/`) || OURS.test(cwd.slice(root.length)))) return false;
  const isAbove = (word: string): boolean =>
    word.startsWith('/') && [root, home].some((place) => `${place}/`.startsWith(word.replace(/\/*$/, '/')));
  // What is written may be written through a link.
  if (plainKind(command) === undefined) return false;
  // A tool may be told where to run it.
  const input = raw['tool_input'];
  if (isJsonObject(input) && Object.keys(input).some((key) => /dir/i.test(key))) return false;
  return !command.split(SEPARATORS).some((word) => OURS.test(word) || isAbove(word));
}

function commandIn(raw: JsonObject): string | undefined {
  const input = raw['tool_input'];
  const command = isJsonObject(input) ? input['command'] : undefined;
  return typeof command === 'string' ? command : undefined;
}

/** A word as a program gets it; `loose` where a variable or a pattern may make something else of it. */
interface PlainWord {
  readonly text: string;
  readonly loose: boolean;
}

/**
 * The pieces of a line in which nothing is run but what its words name: what goes nowhere, ends of commands, and of words
 * what is quoted, escaped, a variable or a pattern, and the rest. No substitution, no assignment by the shell, no group, no
 * file that is written or read.
 */
const PIECE =
  /(?:[012&]?>>?|<)[ \t]*\/dev\/null(?![^\s;&|])|[12]?>&[12](?![^\s;&|])|[ \t]+|(\n|&&|\|\||[;&|])|'([^']*)'|"((?:[^"\\$`]|\\[^\n]|\$\w|\$(?=["\s|]))*)"|\\([^\n])|(\$\w+|[*?[\]])|([\w.,/:=@%+^~-]+)/y;

/** The commands of a line with their words, where these can be told without parsing it. */
function wordsOf(command: string): PlainWord[][] | undefined {
  const commands: PlainWord[][] = [[]];
  let word: PlainWord | undefined;
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < command.length) {
    const found = PIECE.exec(command);
    if (found === null) return undefined;
    const next = withPiece(word, found);
    if (next !== undefined) {
      if (word !== undefined) commands.at(-1)?.pop();
      commands.at(-1)?.push(next);
    }
    if (found[1] !== undefined) commands.push([]);
    word = next;
  }
  return commands.filter((words) => words.length > 0);
}

/** The word as it goes on; `undefined` where it has ended. */
function withPiece(word: PlainWord | undefined, found: RegExpExecArray): PlainWord | undefined {
  const [, , single, double, escaped, loose, plain] = found;
  const text = single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? loose ?? plain;
  if (text === undefined) return undefined;
  const isOpen = plain === undefined ? single === undefined && /\$\w/.test(double ?? '$x') : /^~/.test(text);
  return { text: (word?.text ?? '') + text, loose: word?.loose === true || isOpen };
}

/** Programs that read and print, whatever their arguments are. */
const READERS =
  ' basename cat cd cksum cmp column comm cut date df diff dirname du echo egrep expr false fgrep fold grep head hexdump id jq ls md5sum nl nproc od paste ps pwd readlink realpath rev seq sha1sum sha256sum sha512sum sleep stat strings tac tail tr true type uname uptime wc which whoami ';
const GIT_READERS =
  ' blame describe diff grep log ls-files ls-tree merge-base rev-list rev-parse shortlog show status ';
/** Options by which git writes a file or runs a program, also abbreviated. */
const GIT_ACTS = /^(?:-\w*O|--ou|--op|--te|--e(?:x(?:[te].*)?)?$)/;
/** Options by which other programs that read do more than that. */
const ACTING: ReadonlyMap<string, RegExp> = new Map([
  ['printf', /^-[vR]/],
  ['test', /^-[vR]/],
  ['find', /^-(?:exec|ok|delete|f)/],
  ['rg', /^--(?:pre|host)/],
  ['sort', /^-(?:[^-]*o|-(?:c|f|o|t))/],
]);
/** Whole commands that only list. */
const LISTS =
  /^git (?:branch(?: (?:-a|-r|-v|-vv|--all|--list|--show-current))?|remote(?: -v)?|stash list|tag|worktree list)$/;

/**
 * Whether a call runs a command line in which every program only reads. In doubt it does not: then what it does is looked
 * into, and the work tree is looked at afterwards.
 */
export function isReadingCall(raw: JsonObject): boolean {
  const command = commandIn(raw);
  return command !== undefined && plainKind(command) === 'reads';
}

/**
 * What a line of plain words does, where the names of its programs tell: it only reads, or it also runs tasks of the
 * project, such as tests, of which nobody can tell what they do. `undefined` for all others, which have to be parsed.
 */
export function plainKind(command: string): 'reads' | 'runs' | undefined {
  const commands = wordsOf(command);
  if (commands === undefined || commands.length === 0) return undefined;
  if (commands.every(isReading)) return 'reads';
  return commands.every((words) => isReading(words) || TASKS.test(textOf(words))) ? 'runs' : undefined;
}

/** Programs that run what the project defines, and nothing that their own words name. */
const TASKS =
  /^(?:(?:npm|pnpm|yarn|bun) (?:test|t|run(?:-script)? [\w:.-]+)|make(?: [\w.-]+)*|cargo (?:test|build|check|clippy|run)|go (?:test|build|vet|run)|(?:npx )?(?:tsc|jest|vitest|mocha|pytest)|pytest|python3? -m pytest|mvn test|gradle test|dotnet test)(?=\s|$)(?! .*(?:--write|--fix|-o\b|--out))/;

function textOf(words: readonly PlainWord[]): string {
  return words.map(({ text }) => text).join(' ');
}

function isReading([program, ...args]: readonly PlainWord[]): boolean {
  if (program === undefined || program.loose || program.text.includes(' ')) return false;
  if (READERS.includes(` ${program.text} `)) return true;
  // The arguments of all others tell what they do, so each has to be known.
  if (args.some(({ loose }) => loose)) return false;
  const texts = args.map(({ text }) => text);
  const [verb = '', ...rest] = texts[0] === '--no-pager' ? texts.slice(1) : texts;
  const acting = ACTING.get(program.text);
  if (acting !== undefined) return !texts.some((text) => acting.test(text));
  switch (program.text) {
    case 'sed':
      return verb === '-n' && /^[\d,$;p]+$/.test(rest[0] ?? '') && !rest.some((text) => text.startsWith('-'));
    case 'uniq':
      return texts.filter((text) => text === '-' || !text.startsWith('-')).length < 2;
    case 'git':
      if (LISTS.test(`git ${[verb, ...rest].join(' ')}`)) return true;
      return GIT_READERS.split(' ').includes(verb) && !rest.some((text) => GIT_ACTS.test(text));
    default:
      return false;
  }
}
