import type { EventHeader } from './event';
import { isJsonObject, type JsonObject } from './json';
import type { Project } from './project';

/** No quotes, variables, patterns, redirections or substitutions: what stands there is what the shell sees. */
const PLAIN = /^[\w\s.,/:=@%+&|;-]*$/;
const SEPARATORS = /[\s&|;=]+/;
/** Names of ours, of hosts and of git in a path, and words for the directory itself or one above it. */
const OURS =
  /(?:^|\/)(?:\.(?:git|holdpoint|claude|codex|gemini|github|cursor|opencode|config|gauntlet|isdlc|jwz|zawinski)|\.|\.\.|holdpoint|req|agent-gauntlet)(?:\/|$)/;

/**
 * Whether a call runs a command line of plain words none of which names anything of ours, a host's or git's. Then the
 * words are exactly what splitting gives, so nothing has to be parsed to know that it does not touch our files by name.
 */
export function isPlainCall(raw: JsonObject, { cwd }: EventHeader, { root, home }: Project): boolean {
  const command = plainCommandIn(raw);
  if (command === undefined) return false;
  if (cwd !== root && (!cwd.startsWith(`${root}/`) || OURS.test(cwd.slice(root.length)))) return false;
  const isAbove = (word: string): boolean =>
    word.startsWith('/') && [root, home].some((place) => `${place}/`.startsWith(word.replace(/\/*$/, '/')));
  return !command.split(SEPARATORS).some((word) => OURS.test(word) || isAbove(word));
}

function plainCommandIn(raw: JsonObject): string | undefined {
  const input = raw['tool_input'];
  const command = isJsonObject(input) ? input['command'] : undefined;
  return typeof command === 'string' ? plainWords(command) : undefined;
}

/** A line that is plain but for `2>&1`, without that. */
function plainWords(command: string): string | undefined {
  const words = command.replace(/(?<=\s)2>&1(?=\s|$)/g, '');
  return PLAIN.test(words) ? words : undefined;
}

/** Programs that read and print, whatever their arguments are. */
const READERS =
  ' basename cat cd cmp comm cut df diff dirname du echo egrep false fgrep grep head id ls md5sum nl printf ps pwd readlink realpath rev sha1sum sha256sum sleep stat tac tail test tr true type uname wc which whoami ';
const GIT_READERS =
  ' blame describe diff log ls-files ls-tree merge-base rev-list rev-parse shortlog show status ';
/** Whole commands that only list. */
const LISTS =
  /^git (?:branch(?: (?:-a|-r|-v|-vv|--all|--list|--show-current))?|remote(?: -v)?|stash list|tag|worktree list)$/;

/**
 * Whether a call runs a command line of plain words in which every program only reads. In doubt it does not: then the
 * line is parsed.
 */
export function isReadingCall(raw: JsonObject): boolean {
  return kindOf(plainCommandIn(raw)) === 'reads';
}

/**
 * What a line of plain words does, where the names of its programs tell: it only reads, or it also runs tasks of the
 * project, such as tests, of which nobody can tell what they do. `undefined` for all others, which have to be parsed.
 */
export function plainKind(command: string): 'reads' | 'runs' | undefined {
  return kindOf(plainWords(command));
}

function kindOf(words: string | undefined): 'reads' | 'runs' | undefined {
  if (words === undefined || words.trim() === '') return undefined;
  const commands = words.split(/[\n;&|]+/);
  if (commands.every(isReadingCommand)) return 'reads';
  return commands.every((one) => isReadingCommand(one) || TASKS.test(one.trim())) ? 'runs' : undefined;
}

/** Programs that run what the project defines, and nothing that their own words name. */
const TASKS =
  /^(?:(?:npm|pnpm|yarn|bun) (?:test|t|run(?:-script)? [\w:.-]+)|make(?: [\w.-]+)*|cargo (?:test|build|check|clippy|run)|go (?:test|build|vet|run)|(?:npx )?(?:tsc|jest|vitest|mocha|pytest)|pytest|python3? -m pytest|mvn test|gradle test|dotnet test)(?=\s|$)(?! .*(?:--write|--fix|-o\b|--out))/;

function isReadingCommand(text: string): boolean {
  const [program = '', verb = '', ...rest] = text.trim().split(/\s+/);
  if (program === '' || READERS.includes(` ${program} `)) return true;
  if (program === 'find') return !/ -(?:exec|ok|delete|f)/.test(text);
  if (program !== 'git') return false;
  if (LISTS.test(text.trim().replace(/\s+/g, ' '))) return true;
  return (
    GIT_READERS.includes(` ${verb} `) && !rest.some((word) => /^--(?:output|ext-diff|textconv)/.test(word))
  );
}
