import type { DoubleQuotedChild, Word as SyntaxWord, WordPart } from 'unbash';
import { braceAlternatives } from './braces';
import { knownWord, type Word } from './command';
import { answerOf } from './known-answers';
import type { Scope } from './scope';
import { variableValue } from './variables';
import type { Worlds } from './worlds';

const MOST_WORDS = 256;

/** A piece of a word: its alternatives (several only for braces), or nothing that can be told. */
interface Piece {
  readonly texts: readonly string[] | undefined;
  /** The result of an unquoted expansion: the shell splits it and reads globs in it. */
  readonly splits: boolean;
}

const UNTOLD: Piece = { texts: undefined, splits: false };

/** What a word of the text becomes: usually one word, more or none after braces and unquoted variables. */
export function expandWord(word: SyntaxWord, worlds: Worlds, scope: Scope): readonly Word[] {
  const unknown: Word = { kind: 'unknown', text: word.text };
  const parameters = allParameters(word, scope);
  if (parameters !== undefined) return parameters;
  const pieces = piecesOf(word, worlds, scope);
  const [single] = pieces;
  if (pieces.length === 1 && single?.splits && single.texts?.[0] !== undefined) {
    return splitWords(single.texts[0]) ?? [unknown];
  }
  let texts: string[] = [''];
  for (const piece of pieces) {
    if (piece.texts === undefined || piece.texts.some((text) => piece.splits && isSplit(text)))
      return [unknown];
    const { texts: alternatives } = piece;
    texts = texts.flatMap((before) => alternatives.map((text) => before + text));
    if (texts.length > MOST_WORDS) return [unknown];
  }
  return texts.map(knownWord);
}

/** A word where the shell expands no braces and splits nothing: redirections, assignments, here-strings. */
export function expandOne(word: SyntaxWord, worlds: Worlds, scope: Scope): Word {
  const pieces = piecesOf(word, worlds, scope);
  let text = '';
  for (const piece of pieces) {
    if (piece.texts?.length !== 1) return { kind: 'unknown', text: word.text };
    text += piece.texts[0];
  }
  return knownWord(text);
}

function piecesOf(word: SyntaxWord, worlds: Worlds, scope: Scope): readonly Piece[] {
  const parts = word.parts;
  const rest = word.text.startsWith('~') ? afterTilde(word, parts, worlds, scope) : undefined;
  if (rest !== undefined) return rest;
  return parts === undefined ? [plain(word.value)] : parts.map((part) => pieceOf(part, worlds, scope));
}

/** `~` and `~/…` are the home directory; other people's homes cannot be told. */
function afterTilde(
  word: SyntaxWord,
  parts: readonly WordPart[] | undefined,
  worlds: Worlds,
  scope: Scope,
): readonly Piece[] {
  const home = variableValue('HOME', worlds, scope);
  const [first, ...more] = parts ?? [];
  const start = first === undefined ? word.value : first.type === 'Literal' ? first.value : '~';
  if (home === undefined || (start !== '~' && !start.startsWith('~/'))) return [UNTOLD];
  return [plain(home + start.slice(1)), ...more.map((part) => pieceOf(part, worlds, scope))];
}

function pieceOf(part: WordPart, worlds: Worlds, scope: Scope): Piece {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return plain(part.value);
    case 'DoubleQuoted':
    case 'LocaleString':
      return quotedPiece(part.parts, worlds, scope);
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
      return { ...expansionPiece(part, worlds, scope), splits: true };
    case 'BraceExpansion':
      return { texts: braceAlternatives(part.text), splits: false };
    case 'Glob':
    case 'ExtendedGlob':
    case 'ArithmeticExpansion':
    case 'ProcessSubstitution':
      return UNTOLD;
  }
}

function quotedPiece(children: readonly DoubleQuotedChild[], worlds: Worlds, scope: Scope): Piece {
  let text = '';
  for (const child of children) {
    const piece = child.type === 'Literal' ? plain(child.value) : expansionPiece(child, worlds, scope);
    if (piece.texts === undefined) return UNTOLD;
    text += piece.texts[0] ?? '';
  }
  return plain(text);
}

type Expansion = Exclude<DoubleQuotedChild, { type: 'Literal' }>;

function expansionPiece(part: Expansion, worlds: Worlds, scope: Scope): Piece {
  switch (part.type) {
    case 'SimpleExpansion':
      return told(variableValue(part.text.slice(1), worlds, scope));
    case 'ParameterExpansion':
      return part.operation === undefined && part.prefix === undefined && part.index === undefined
        ? told(variableValue(part.parameter, worlds, scope))
        : UNTOLD;
    case 'CommandExpansion':
      return told(answerOf(part.text, worlds, scope));
    case 'ArithmeticExpansion':
      return UNTOLD;
  }
}

/** `"$@"`, alone in its word, stands for the arguments one by one. */
function allParameters(word: SyntaxWord, scope: Scope): readonly Word[] | undefined {
  return word.text === '"$@"' || word.text === '$@' || word.text === '$*' ? scope.positional : undefined;
}

function splitWords(text: string): readonly Word[] | undefined {
  if (hasGlob(text)) return undefined;
  return text
    .split(/[ \t\n]+/)
    .filter((word) => word !== '')
    .map(knownWord);
}

function isSplit(text: string): boolean {
  return hasGlob(text) || /[ \t\n]/.test(text);
}

function hasGlob(text: string): boolean {
  return text.includes('*') || text.includes('?') || text.includes('[');
}

function plain(text: string): Piece {
  return { texts: [text], splits: false };
}

function told(value: string | undefined): Piece {
  return value === undefined ? UNTOLD : plain(value);
}
