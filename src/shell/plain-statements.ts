import type { Command, PipelineNode, Statement, Word } from 'unbash';
import { endOfDocument } from './quoted-document';

/**
 * Parts of a line in which a shell only splits words and chains commands: a word, a quoted text that nothing is
 * expanded in, an operator, output that goes nowhere, blanks. The text of a here-document, as agents write commit
 * messages, is found by itself.
 */
const TOKEN =
  /([\w./=:@%+,^-]+)|'([^']*)'|"([^"$`\\]*)"|(&&|\|\||;|\||\n)|([ \t]+(?:2>&1|[12&]?> ?\/dev\/null)(?=[ \t;|&\n]|$))|([ \t]+)/y;

/** Words that mean something else at the beginning of a command, and assignments. */
const NO_COMMAND =
  /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|in|select|function|time|coproc)$|^\w+\+?=/;

interface Token {
  readonly kind: 'text' | 'untold' | 'operator' | 'gap';
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** The statements of a plain line, in the shape that the parser gives them; `undefined` for any other line. */
export function plainStatements(text: string): readonly Statement[] | undefined {
  const tokens = tokensOf(text);
  if (tokens === undefined) return undefined;
  const statements: Statement[] = [];
  for (const { part, endedBy } of split(tokens, [';', '\n'])) {
    if (part.every(({ kind }) => kind === 'gap')) {
      // Output that goes nowhere by itself is a command that succeeds.
      if (endedBy === ';' || part.some(({ value }) => value.includes('>'))) return undefined;
      continue;
    }
    const command = chainOf(text, part);
    if (command === undefined) return undefined;
    statements.push({ type: 'Statement', ...spanOf(part), command, background: undefined });
  }
  return statements;
}

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const start = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) {
      const end = endOfDocument(text, start);
      if (end === undefined) return undefined;
      tokens.push({ kind: 'untold', value: text.slice(start, end), start, end });
      TOKEN.lastIndex = end;
      continue;
    }
    const [value, plain, single, double, operator] = found;
    const place = { start, end: TOKEN.lastIndex };
    const written = plain ?? single ?? double;
    if (written !== undefined) tokens.push({ kind: 'text', value: written, ...place });
    else tokens.push({ kind: operator === undefined ? 'gap' : 'operator', value, ...place });
  }
  return tokens;
}

interface Part {
  readonly part: readonly Token[];
  /** The operator after it; empty at the end. */
  readonly endedBy: string;
}

function split(tokens: readonly Token[], operators: readonly string[]): Part[] {
  const parts: Part[] = [];
  let part: Token[] = [];
  for (const token of tokens) {
    if (token.kind !== 'operator' || !operators.includes(token.value)) {
      part.push(token);
      continue;
    }
    parts.push({ part, endedBy: token.value });
    part = [];
  }
  return [...parts, { part, endedBy: '' }];
}

function chainOf(text: string, tokens: readonly Token[]): Statement['command'] | undefined {
  const links = split(tokens, ['&&', '||']);
  const commands = links.flatMap(({ part }) => pipelineOf(text, part) ?? []);
  const [only] = commands;
  if (commands.length !== links.length) return undefined;
  if (commands.length === 1) return only;
  const operators = links.slice(0, -1).map(({ endedBy }) => (endedBy === '&&' ? '&&' : '||'));
  return { type: 'AndOr', ...spanOf(tokens), commands, operators };
}

function pipelineOf(text: string, tokens: readonly Token[]): PipelineNode | undefined {
  const stages = split(tokens, ['|']);
  const commands = stages.flatMap(({ part }) => commandOf(text, part) ?? []);
  const [only] = commands;
  if (commands.length !== stages.length) return undefined;
  if (commands.length === 1) return only;
  const operators = commands.slice(1).map(() => '|' as const);
  return { type: 'Pipeline', ...spanOf(tokens), prefixes: [], commands, operators };
}

function commandOf(text: string, tokens: readonly Token[]): Command | undefined {
  const [name, ...args] = wordsOf(text, tokens);
  if (name === undefined || NO_COMMAND.test(name.text)) return undefined;
  return { type: 'Command', ...spanOf(tokens), name, prefix: [], suffix: args, args, redirects: [] };
}

function wordsOf(text: string, tokens: readonly Token[]): Word[] {
  const words: Word[] = [];
  let isOpen = false;
  for (const token of tokens) {
    const before = isOpen ? words.pop() : undefined;
    if (token.kind !== 'gap') words.push(wordOf(text, before, token));
    else if (before !== undefined) words.push(before);
    isOpen = token.kind !== 'gap';
  }
  return words;
}

/** A piece that cannot be told makes the word one; a glob is such a piece, and has nothing inside. */
function wordOf(text: string, before: Word | undefined, { kind, value, start, end }: Token): Word {
  const pos = before?.pos ?? start;
  const raw = text.slice(pos, end);
  const isUntold = kind === 'untold' || before?.parts !== undefined;
  const glob = { type: 'Glob', kind: 'star', pos, end, text: raw, value: raw } as const;
  return {
    type: 'Word',
    text: raw,
    value: `${before?.value ?? ''}${value}`,
    pos,
    end,
    parts: isUntold ? [glob] : undefined,
  };
}

/** From the first word to the last. */
function spanOf(tokens: readonly Token[]): { pos: number; end: number } {
  const words = tokens.filter(({ kind }) => kind !== 'gap');
  return { pos: words[0]?.start ?? 0, end: words.at(-1)?.end ?? 0 };
}
