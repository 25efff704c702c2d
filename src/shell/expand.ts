import { posix } from 'node:path';
import type {
  CommandExpansionPart,
  DoubleQuotedChild,
  Redirection,
  Word as SyntaxWord,
  WordPart,
} from 'unbash';
import { filesPrintedBy } from './find';
import type { Histories } from './history';
import type { Scope } from './scope';
import { knownWord, saidIn, unknownWord, type Word } from './words';

/* Expands words as the shell would. Anything that depends on the machine is unknown. */

const MOST_WORDS = 256;
const MOST_ALTERNATIVES = 64;
/** Longer values built from other values are unknown: each assignment could double the one before. */
const LONGEST_VALUE = 16 * 1024;

interface Piece {
  /** Several only for braces; `undefined` if unknown. */
  readonly texts: readonly string[] | undefined;
  /** From an unquoted expansion, so the shell splits it into words and expands globs in it. */
  readonly splits: boolean;
}

const UNKNOWN_PIECE: Piece = { texts: undefined, splits: false };

/** All arguments, or those from one on. */
const ARGUMENTS = /^(?:\$\*|("?)\$(?:@|\{@(?::([1-9]))?\})\1)$/;

/** Usually returns one word; braces and unquoted variables can make it several or none. */
export function expandWord(word: SyntaxWord, histories: Histories, scope: Scope): readonly Word[] {
  const split = (text: string) => splitFields(text, histories, scope);
  const [given, quote, from = 1] = ARGUMENTS.exec(word.text) ?? [];
  const all = given && scope.argumentsAt(histories)?.slice(Number(from) - 1);
  if (all) return quote ? all : all.flatMap((each) => splitWord(each, split));
  const listed = listIn(word.text, histories, scope);
  if (listed !== undefined) return listed;
  const pieces = piecesOf(word, histories, scope);
  const [single] = pieces;
  if (pieces.length === 1 && single?.splits && single.texts?.[0] !== undefined) {
    return split(single.texts[0]) ?? [unknownWord(word.text)];
  }
  const texts = bracesChangeNeighbours(word) ? undefined : joined(pieces, split);
  if (texts === undefined) {
    const text = globText(word, pieces) ?? withHomeText(word.text, scope.valueOf('HOME', histories));
    return [unknownWord(text)];
  }
  return texts.filter((text) => text !== '' || isQuoted(word)).map(knownWord);
}

/** The words of `"${name[@]}"`, or the globs that give `"$name"` its values. */
function listIn(text: string, histories: Histories, scope: Scope): readonly Word[] | undefined {
  if (!text.includes('$')) return undefined;
  const [, plain, braced = '', all] = /^"?\$(?:(\w+)|\{(\w+)(\[[@*]\])?\})"?$/.exec(text) ?? [];
  const list = scope.listOf(plain ?? braced, histories);
  return all !== undefined || list?.every(({ value }) => value === undefined) ? list : undefined;
}

/** A glob without its quotes and variables, such as `"$HOME"/.c*`; `undefined` if another part is unknown. */
function globText({ parts = [] }: SyntaxWord, pieces: readonly Piece[]): string | undefined {
  if (!parts.some(({ type }) => type === 'Glob')) return undefined;
  const texts = parts.map(({ type, text }, at) => {
    if (type === 'Glob' || type === 'BraceExpansion') return text;
    const { texts: [value] = [], splits } = pieces[at] ?? UNKNOWN_PIECE;
    return value === undefined || /[*?[\]{}"'$`\\]/.test(value) || (splits && /\s/.test(value))
      ? undefined
      : value;
  });
  return texts.includes(undefined) ? undefined : texts.join('');
}

/** The text of an unknown word, such as the glob `~/.c*`, with the home directory in place of the tilde. */
function withHomeText(text: string, home: string | undefined): string {
  return home !== undefined && text.startsWith('~/') ? home + text.slice(1) : text;
}

type Split = (text: string) => readonly Word[] | undefined;

/** All combinations of the pieces; `undefined` if a piece is unknown or would be split. */
function joined(pieces: readonly Piece[], split: Split): readonly string[] | undefined {
  let texts = [''];
  for (const { texts: alternatives, splits } of pieces) {
    if (alternatives === undefined) return undefined;
    if (splits && alternatives.some((text) => split(`x${text}x`)?.length !== 1)) return undefined;
    texts = texts.flatMap((before) => alternatives.map((text) => before + text));
    if (texts.length > MOST_WORDS || (pieces.length > 1 && texts.some(isTooLong))) return undefined;
  }
  return texts;
}

function splitWord(word: Word, split: Split): readonly Word[] {
  return word.value !== undefined ? (split(word.value) ?? [unknownWord(word.value)]) : [word];
}

/** Splits an unquoted expansion into words; `undefined` if it contains a glob or `IFS` is unknown. */
function splitFields(text: string, histories: Histories, scope: Scope): readonly Word[] | undefined {
  const separators = scope.variables.has('IFS') ? scope.valueOf('IFS', histories) : ' \t\n';
  if (separators === undefined || /[*?[]/.test(text)) return undefined;
  const fields = Array.from(text, (char) => (separators.includes(char) ? '\0' : char))
    .join('')
    .split('\0');
  const words = fields.filter((field) => field !== '').map(knownWord);
  // With separators other than white space, an empty field is a word too.
  return separators.trim() === '' || words.length === fields.length ? words : undefined;
}

/** Expands a word that the shell does not split or brace-expand: a redirection, assignment or here-string. */
export function expandOne(word: SyntaxWord, histories: Histories, scope: Scope): Word {
  let value = '';
  const pieces = piecesOf(word, histories, scope);
  for (const { texts } of pieces) {
    if (texts?.length !== 1) return unknownWord(word.text);
    value += texts[0];
    if (pieces.length > 1 && isTooLong(value)) return unknownWord(word.text);
  }
  return knownWord(value);
}

function isTooLong({ length }: string): boolean {
  return length > LONGEST_VALUE;
}

/** The shell expands braces first: `$v{1,2}` is `$v1 $v2`, and `{,a}~` begins with a tilde. */
function bracesChangeNeighbours({ parts = [] }: SyntaxWord): boolean {
  return parts.some(
    ({ type }, at) =>
      type === 'BraceExpansion' &&
      (parts[at - 1]?.type === 'SimpleExpansion' || parts[at + 1]?.text.startsWith('~')),
  );
}

const QUOTES = ['SingleQuoted', 'DoubleQuoted', 'AnsiCQuoted', 'LocaleString'];

/** The shell keeps an empty word only if a part of it is quoted. */
function isQuoted({ parts }: SyntaxWord): boolean {
  return parts === undefined || parts.some(({ type }) => QUOTES.includes(type));
}

function piecesOf(word: SyntaxWord, histories: Histories, scope: Scope): readonly Piece[] {
  const whole = hasInnerTilde(word.text) ? UNKNOWN_PIECE : plain(word.value);
  const pieces = word.parts?.map((part) => pieceOf(part, histories, scope)) ?? [whole];
  return word.text.startsWith('~') ? withHome(word, pieces, scope.valueOf('HOME', histories)) : pieces;
}

/** `~` and `~/…` are the home directory; the homes of other users are unknown. */
function withHome(word: SyntaxWord, pieces: readonly Piece[], home: string | undefined): readonly Piece[] {
  const [first, second] = word.parts ?? [];
  const { text, value } = first?.type === 'Literal' ? first : word;
  // In `~"x"` the tilde is a literal tilde.
  if (text === '~' && second !== undefined) return QUOTES.includes(second.type) ? pieces : [UNKNOWN_PIECE];
  if (home === undefined || !/^~(?:\/|$)/.test(text)) return [UNKNOWN_PIECE];
  return [plain(home + value.slice(1)), ...pieces.slice(1)];
}

/** In a word that looks like an assignment, as in `PATH=~/a:~/b`, the shell expands these tildes too. */
function hasInnerTilde(text: string): boolean {
  return /[=:]~/.test(text);
}

function pieceOf(part: WordPart, histories: Histories, scope: Scope): Piece {
  switch (part.type) {
    case 'Literal':
      return hasInnerTilde(part.text) ? UNKNOWN_PIECE : plain(part.value);
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return plain(part.value);
    case 'DoubleQuoted':
    case 'LocaleString': {
      const texts = part.parts.map((child) =>
        child.type === 'Literal' ? child.value : expansionOf(child, histories, scope),
      );
      const length = texts.reduce((sum, text = '') => sum + text.length, 0);
      if (texts.includes(undefined) || (texts.length > 1 && length > LONGEST_VALUE)) return UNKNOWN_PIECE;
      return plain(texts.join(''));
    }
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion': {
      const text = expansionOf(part, histories, scope);
      return { texts: text === undefined ? undefined : [text], splits: true };
    }
    case 'BraceExpansion':
      return { texts: braceAlternatives(part.text.slice(1, -1)), splits: false };
    default:
      return UNKNOWN_PIECE;
  }
}

type Expansion = Exclude<DoubleQuotedChild, { type: 'Literal' }>;

function expansionOf(part: Expansion, histories: Histories, scope: Scope): string | undefined {
  switch (part.type) {
    case 'SimpleExpansion':
      return scope.valueOf(part.text.slice(1), histories);
    case 'ParameterExpansion': {
      const { parameter, operation, prefix, index } = part;
      if (operation !== undefined || prefix !== undefined) return undefined;
      return index === undefined
        ? scope.valueOf(parameter, histories)
        : elementOf(scope.listOf(parameter, histories), Number(index.text));
    }
    case 'CommandExpansion':
      return answerOf(part, histories, scope);
    case 'ArithmeticExpansion':
      return undefined;
  }
}

/** An element of an array; unknown behind an unknown word, which may be none or several. */
function elementOf(list: readonly Word[] = [], index: number): string | undefined {
  const before = list.slice(0, index + 1);
  return before.every(({ value }) => value !== undefined) ? before[index]?.value : undefined;
}

function plain(text: string): Piece {
  return { texts: [text], splits: false };
}

/** The alternatives of `{a,b}`; `undefined` for a range, or if there are quotes, expansions or braces inside. */
function braceAlternatives(inner: string): readonly string[] | undefined {
  if (/['"\\$`{}*?[~]/.test(inner)) return undefined;
  const parts = inner.split(',');
  return parts.length > 1 && parts.length <= MOST_ALTERNATIVES ? parts : undefined;
}

/** In a linked work tree these may print a subdirectory; we return the common one, with our files. */
const ASK_GIT_DIR =
  /^git rev-parse (?:--path-format=absolute )?(?:--git-dir|--absolute-git-dir|--git-common-dir|--git-path )([\w./-]*)$/;

/** A new directory, in the machine's place for such things. Its name is random, so that no line can write it out. */
const MAKES_TEMPORARY = /^mktemp (?:-q )?-q?dq?(?: -q)?$/;
export const TEMPORARY = `/tmp/tmp.${Math.random().toString(36).slice(2)}`;

const ASK_BRANCH = [
  'git branch --show-current',
  'git rev-parse --abbrev-ref HEAD',
  'git symbolic-ref --short HEAD',
  'git symbolic-ref --short -q HEAD',
];
const MOVES_HEAD = ['checkout', 'switch', 'rebase', 'bisect', 'pull', '-m', '-M', '--move'];

/** The output of a substitution such as `$(pwd)`, if it is known without running anything. */
function answerOf({ script }: CommandExpansionPart, histories: Histories, scope: Scope): string | undefined {
  const [statement, ...others] = script?.commands ?? [];
  const node = statement?.command;
  if (node?.type !== 'Command' || others.length > 0 || node.prefix.length > 0) return undefined;
  if (!node.redirects.every(dropsErrors)) return undefined;
  const command = [node.name, ...node.args].map((word) => word?.text).join(' ');
  const directory = scope.valueOf('PWD', histories);
  if (MAKES_TEMPORARY.test(command) && !scope.variables.has('TMPDIR')) return TEMPORARY;
  if (command === 'pwd' || directory === undefined) return command === 'pwd' ? directory : undefined;
  if (node.name?.text === 'git') return gitAnswer(command, directory, scope);
  const words = [node.name, ...node.args].flatMap((word) =>
    word?.type === 'Word' ? expandWord(word, histories, scope) : [],
  );
  return printedBy(words, directory, scope);
}

/** What `echo`, `printf`, `ls` or `find` prints, if it is known. */
function printedBy(words: readonly Word[], directory: string, { watched }: Scope): string | undefined {
  const text = echoed(words, undefined)?.value?.replace(/\n+$/, '');
  if (text !== undefined) return isTooLong(text) ? undefined : text;
  const found = watched && filesPrintedBy(words, [directory], watched.files());
  const isFind = words[0]?.text === 'find';
  return found?.filter((path) => !isFind || !path.endsWith('/')).join(' ') || undefined;
}

/**
 * What `echo`, `printf` or a `cat` of its input prints, unknown if a part of it is; `undefined` for any other command.
 */
export function echoed([program, ...args]: readonly Word[], input: Word | undefined): Word | undefined {
  const texts = args.map(saidIn);
  const asWord = args.every(({ value }) => value !== undefined) ? knownWord : unknownWord;
  if (program?.value === 'cat') return texts.every((text) => text === '-') ? input : undefined;
  if (program?.value === 'echo') return asWord(texts.join(' ').replace(/^(?:-[neE]+ )+/, ''));
  const [format = '', ...values] = texts;
  if (program?.value !== 'printf' || /%(?!s)|^-/.test(format)) return undefined;
  const line = format.replaceAll('\\n', '\n').replaceAll('\\t', '\t');
  let text = '';
  // The format is used again until no value is left, so the output can be much longer than the line.
  do text += line.replaceAll('%s', () => values.shift() ?? '');
  while (values.length > 0 && line.includes('%s') && text.length <= LONGEST_VALUE);
  return values.length > 0 && line.includes('%s') ? undefined : asWord(text);
}

function gitAnswer(command: string, directory: string, { repositoryAt, trace }: Scope): string | undefined {
  const { root, commonDir, branch } = repositoryAt?.(directory) ?? {};
  if (command === 'git rev-parse --show-toplevel') return root;
  const [, inGit] = ASK_GIT_DIR.exec(command) ?? [];
  if (inGit !== undefined) return commonDir && posix.join(commonDir, inGit);
  // An earlier command of the line may have changed the branch.
  const hasMoved = trace.steps.some(({ words }) => words.some((word) => MOVES_HEAD.includes(word.text)));
  return hasMoved || !ASK_BRANCH.includes(command) ? undefined : branch;
}

function dropsErrors(redirect: Redirection): boolean {
  if (redirect.type !== 'Redirect' || redirect.descriptor?.type !== 'FileDescriptor') return false;
  return redirect.descriptor.value === 2 && redirect.target?.text === '/dev/null';
}
