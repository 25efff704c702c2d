import {
  Composer,
  type CST,
  type Document,
  isCollection,
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  type ParsedNode,
  Parser,
  visit,
  type YAMLError,
} from 'yaml';
import { detailOf } from '../core/failure';
import { isJsonObject, type JsonObject } from '../core/json';
import { type DiagnosticCode, errorFinding, FILE_START, type Finding, type Span } from './diagnostics';
import { YamlWalk } from './yaml-walk';

/** Where a value and, inside a mapping, its key are in the text. */
export interface Position {
  readonly key?: Span;
  readonly value: Span;
  /** A key with nothing behind it: it says nothing and replaces nothing. */
  readonly empty: boolean;
}

export interface LocatedFinding extends Finding {
  readonly span: Span;
}

/** A config text as data. Where it does not parse, the value is empty and the findings say why. */
export interface Parsed {
  readonly ok: boolean;
  readonly value: JsonObject;
  /** By pointer. */
  readonly positions: ReadonlyMap<string, Position>;
  readonly findings: readonly LocatedFinding[];
}

/** Deeper nesting would overflow the composer's stack, which can end the process rather than throw. */
const MAX_OPEN = 200;
/** About ten thousand lines. Beyond it reading takes seconds, not milliseconds. */
const MAX_LEXEMES = 100_000;
/** One slip often trips the parser again and again. */
const MAX_SYNTAX_ERRORS = 10;

type YamlDocument = Document.Parsed<ParsedNode>;

/** The stretch between two offsets, cut at the end of its first line. */
export type SpanBetween = (start: number, end: number) => Span;

/** Parses a config text. Never throws. */
export function parseConfig(text: string, yaml: '1.1' | '1.2'): Parsed {
  const counter = new LineCounter();
  const spanBetween = spansIn(text, counter);
  try {
    const exceeded: LocatedFinding[] = [];
    const tokens = boundedTokens(text, counter, (offset, code, message) => {
      exceeded.push({ ...errorFinding(code, message), span: spanBetween(offset - 1, offset) });
    });
    const [document, second] = composeTwo(tokens, text);
    if (exceeded.length > 0) return broken(exceeded);
    if (document === undefined) return { ok: true, value: {}, positions: new Map(), findings: [] };
    const errors = document.errors
      .slice(0, MAX_SYNTAX_ERRORS)
      .map((error) => syntaxError(error, document, text, spanBetween));
    if (second !== undefined) {
      const span = spanBetween(second.range[0], second.range[0] + 3);
      errors.push(syntaxFinding(span, 'a second YAML document starts here; a config file holds one'));
    }
    return errors.length > 0 ? broken(errors) : readDocument(document, spanBetween, yaml);
  } catch (error) {
    // The library has no promise that it never throws, and a config must not stop the hook.
    return broken([syntaxFinding(FILE_START, notYaml(detailOf(error)))]);
  }
}

function spansIn(text: string, counter: LineCounter): SpanBetween {
  return (start, end) => {
    const { line, col } = counter.linePos(Math.max(0, start));
    const newline = text.indexOf('\n', start);
    const lineEnd = newline < 0 ? text.length : newline;
    const length = Math.max(0, Math.min(end, lineEnd) - start);
    return { line: Math.max(1, line), column: Math.max(1, col), length };
  };
}

/** The parser's tokens, which end early once the text goes beyond what a config can be. */
function* boundedTokens(
  text: string,
  counter: LineCounter,
  onLimit: (offset: number, code: DiagnosticCode, message: string) => void,
): Generator<CST.Token> {
  const parser = new Parser(counter.addNewLine);
  counter.addNewLine(0);
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    lexemes += 1;
    if (lexemes > MAX_LEXEMES) {
      const message = `the file has more than ${MAX_LEXEMES} words and signs`;
      return onLimit(parser.offset, 'config.too-large', message);
    }
    if (parser.stack.length > MAX_OPEN) return onLimit(parser.offset, 'config.syntax', 'nested too deeply');
  }
  yield* parser.end();
}

/** The documents of a text as syntax trees, at most two: more than one is an error already. */
function composeTwo(tokens: Iterable<CST.Token>, text: string): YamlDocument[] {
  const composer = new Composer({
    prettyErrors: false,
    // Our own walk compares keys: the library compares every key with every other.
    uniqueKeys: false,
    merge: false,
    stringKeys: true,
    resolveKnownTags: false,
  });
  const documents: YamlDocument[] = [];
  for (const document of composer.compose(tokens, true, text.length)) {
    if (documents.push(document) === 2) break;
  }
  return documents;
}

function readDocument(document: YamlDocument, spanBetween: SpanBetween, yaml: '1.1' | '1.2'): Parsed {
  const walk = new YamlWalk(spanBetween, yaml);
  const value = walk.read(document.contents);
  const warnings = document.warnings.slice(0, MAX_SYNTAX_ERRORS).map((warning): LocatedFinding => {
    const finding = syntaxFinding(spanBetween(...warning.pos), notYaml(detailOf(warning)));
    return { ...finding, severity: 'warning' };
  });
  const findings = [...warnings, ...walk.findings];
  if (walk.refused) return broken(findings);
  if (value === null) return { ok: true, value: {}, positions: new Map(), findings };
  if (isJsonObject(value)) return { ok: true, value, positions: walk.positions, findings };
  const span = walk.positions.get('')?.value ?? FILE_START;
  const message = 'the file must hold a mapping of keys to values';
  return broken([...findings, { ...errorFinding('config.not-a-mapping', message), span }]);
}

function syntaxError(
  error: YAMLError,
  document: YamlDocument,
  text: string,
  spanBetween: SpanBetween,
): LocatedFinding {
  const [start, end] = error.pos;
  const lastSign = text.trimEnd().length;
  const opened = unclosedBy(error, document);
  if (opened !== undefined) {
    const { line } = spanBetween(start, start);
    const where = start < lastSign ? notClosedBefore(text[start] ?? '', line) : 'never closed';
    const span = spanBetween(opened.start, opened.start + 1);
    return syntaxFinding(span, notYaml(`this ${opened.sign} is ${where}`));
  }
  // Behind the last line there is nothing to show.
  const span = start < lastSign ? spanBetween(start, end) : spanBetween(lastSign, lastSign);
  if (error.code === 'TAB_AS_INDENT') return syntaxFinding(span, 'a tab cannot indent YAML; use spaces');
  if (error.code === 'NON_STRING_KEY') {
    return syntaxFinding(span, 'a key must be text, not a list or a mapping');
  }
  return syntaxFinding(span, notYaml(detailOf(error)));
}

function notClosedBefore(next: string, line: number): string {
  return next === '}' || next === ']'
    ? `not closed before the ${next} in line ${line}`
    : `not closed before line ${line}, which is not indented as a part of it`;
}

/** A bracket or a quote, and the end of everything that was taken for a part of it. */
type Opened = { readonly sign: string; readonly start: number; readonly end: number };

const OPENED_BY: Readonly<Record<string, string>> = { '}': '{', ']': '[', '"': '"', "'": "'" };

/** What was opened and has no end, where an error says so: the library only points to where it gave up. */
function unclosedBy(error: YAMLError, document: YamlDocument): Opened | undefined {
  const sign = openingSignIn(error);
  if (sign === undefined) return undefined;
  const [end] = error.pos;
  const opened = openedIn(document.contents).filter((one) => one.sign === sign && one.end === end);
  // Of brackets that end at one place the inner ones may be closed; the errors go from the inside outwards.
  const alike = document.errors.filter((other) => openingSignIn(other) === sign && other.pos[0] === end);
  return opened[alike.length - 1 - alike.indexOf(error as (typeof alike)[number])];
}

function openingSignIn({ message }: YAMLError): string | undefined {
  const [, bracket, quote] = /end with a ([}\]])$|^Missing closing (["'])quote$/.exec(message) ?? [];
  return OPENED_BY[bracket ?? quote ?? ''];
}

/** The outer ones first. */
function openedIn(contents: ParsedNode | null): Opened[] {
  const found: Opened[] = [];
  visit(contents, {
    Node: (_, node) => {
      const sign = openingSignOf(node);
      const [start, end] = node.range ?? [];
      if (sign !== undefined && start !== undefined && end !== undefined) found.push({ sign, start, end });
    },
  });
  return found;
}

function openingSignOf(node: unknown): string | undefined {
  if (isCollection(node)) return node.flow === true ? (isMap(node) ? '{' : '[') : undefined;
  if (!isScalar(node)) return undefined;
  return node.type === 'QUOTE_DOUBLE' ? '"' : node.type === 'QUOTE_SINGLE' ? "'" : undefined;
}

function broken(findings: readonly LocatedFinding[]): Parsed {
  return { ok: false, value: {}, positions: new Map(), findings };
}

function syntaxFinding(span: Span, message: string): LocatedFinding {
  return { ...errorFinding('config.syntax', message), span };
}

function notYaml(detail: string): string {
  return `not valid YAML: ${detail}`;
}
