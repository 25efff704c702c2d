import { endOfDocument } from '../shell/quoted-document';

/**
 * Programs that never run what their arguments say. Any other program may be one that does (`su -c`,
 * `poetry run`, an unknown wrapper), so its line is left to the parser.
 */
const PLAIN = new Set(
  'git gh ls cat head tail wc grep rg echo printf cd pwd mkdir rmdir rm cp mv touch ln chmod sort uniq diff jq tr cut date true false test tsc eslint biome prettier jest vitest pytest mypy ruff cargo go make cmake req holdpoint'.split(
    ' ',
  ),
);

/** What npm does by itself; `npm exec` runs anything. */
const PLAIN_NPM = new Set(['test', 't', 'run', 'install', 'i', 'ci', 'publish', 'version', 'start', 'build']);

/** A redirection of errors, a word of plain characters, a quoted text that nothing is expanded in, an operator, or blanks. */
const TOKEN = /(2>&1)(?=[ \t;|&]|$)|([\w./=:@%+,^-]+)|'([^']*)'|"([^"$`\\!]*)"|(&&|\|\||;|\|)|([ \t]+)/y;

type Token = { readonly kind: 'part' | 'operator' | 'duplication' | 'blank'; readonly text: string };

/**
 * The commands of a line in which a shell would do nothing but split words and chain commands.
 * Most lines of an agent are of that kind, and loading the parser costs a quarter of the event.
 * `undefined` for every other line.
 */
export function plainCommands(text: string): readonly (readonly string[])[] | undefined {
  const tokens = tokensOf(text);
  if (tokens === undefined) return undefined;
  const last = tokens.findLast(({ kind }) => kind !== 'blank');
  const line =
    last?.text === ';' && last.kind === 'operator' ? tokens.slice(0, tokens.lastIndexOf(last)) : tokens;
  const commands: (readonly string[])[] = [];
  for (const part of split(line)) {
    const words = wordsOf(part);
    if (words === undefined || !isPlain(words)) return undefined;
    commands.push(withoutDirectory(words));
  }
  return commands;
}

function split(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'operator') parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** `a2>&1` is a word and not a redirection, so there it is not plain. */
function wordsOf(tokens: readonly Token[]): string[] | undefined {
  const words: string[] = [];
  let before: Token['kind'] = 'blank';
  for (const { kind, text } of tokens) {
    if (kind === 'duplication' && before === 'part') return undefined;
    if (kind === 'part') words.push(before === 'part' ? `${words.pop() ?? ''}${text}` : text);
    before = kind;
  }
  return words;
}

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) {
      const end = endOfDocumentWord(text, at);
      if (end === undefined) return undefined;
      tokens.push({ kind: 'part', text: text.slice(at, end) });
      TOKEN.lastIndex = end;
      continue;
    }
    const [whole, duplication, plain, single, double, chained] = found;
    const part = plain ?? single ?? double;
    if (part !== undefined) tokens.push({ kind: 'part', text: part });
    else if (chained !== undefined) tokens.push({ kind: 'operator', text: chained });
    else tokens.push({ kind: duplication === undefined ? 'blank' : 'duplication', text: whole });
  }
  return tokens;
}

/** The parser leaves such a word as it is written, where it is one by itself. */
function endOfDocumentWord(text: string, at: number): number | undefined {
  const end = isBlankOrEnd(text[at - 1]) ? endOfDocument(text, at) : undefined;
  return end !== undefined && isBlankOrEnd(text[end]) ? end : undefined;
}

function isBlankOrEnd(letter: string | undefined): boolean {
  return letter === undefined || letter === ' ' || letter === '\t';
}

/** `A=/bin/ls` is an assignment before a command, whatever stands behind its last slash. */
function isPlain([first = '', second = '']: readonly string[]): boolean {
  if (first.includes('=')) return false;
  const program = first.slice(first.lastIndexOf('/') + 1);
  if (program === 'npm') return PLAIN_NPM.has(second);
  return PLAIN.has(program) && (program !== 'git' || !second.startsWith('-'));
}

function withoutDirectory([first = '', ...rest]: readonly string[]): readonly string[] {
  return [first.slice(first.lastIndexOf('/') + 1), ...rest];
}
