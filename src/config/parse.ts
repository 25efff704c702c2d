import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type ParsedNode,
  Parser,
  type Scalar,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { detailOf } from '../core/failure';
import { isJsonObject, type Json, type JsonObject } from '../core/json';
import { type DiagnosticCode, errorFinding, FILE_START, type Finding, type Span } from './diagnostics';
import { pointerOf } from './pointer';

/** Where a value and, inside a mapping, its key are in the text. */
export interface Position {
  readonly key?: Span;
  readonly value: Span;
  /** A key without a value, which overrides nothing. */
  readonly empty: boolean;
}

export interface LocatedFinding extends Finding {
  readonly span: Span;
}

/** A parsed config text. If it does not parse, the value is empty and the findings say why. */
export interface Parsed {
  readonly ok: boolean;
  readonly value: JsonObject;
  /** Keyed by pointer. */
  readonly positions: ReadonlyMap<string, Position>;
  readonly findings: readonly LocatedFinding[];
}

/** Deeper nesting would overflow the composer's stack, which can kill the process instead of throwing. */
const MAX_OPEN = 200;
/** About ten thousand lines. Beyond that, parsing takes seconds instead of milliseconds. */
const MAX_LEXEMES = 100_000;
/** One mistake often causes many follow-up errors. */
const MAX_SYNTAX_ERRORS = 10;

type YamlDocument = Document.Parsed<ParsedNode>;

/** The range between two offsets, cut at the end of its first line. */
type SpanBetween = (start: number, end: number) => Span;

/** Parses a config text. Never throws. */
export function parseConfig(text: string, yaml: '1.1' | '1.2'): Parsed {
  const counter = new LineCounter();
  const spanBetween = spansIn(text, counter);
  const conflict = mergeConflict(text);
  if (conflict !== undefined) return broken([conflict]);
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
      errors.push(syntaxFinding(span, 'a second YAML document starts here; a config file has only one'));
    }
    return errors.length > 0 ? broken(errors) : readDocument(document, spanBetween, yaml);
  } catch (error) {
    // The library does not promise never to throw, and a config must not stop the hook.
    return broken([syntaxFinding(FILE_START, notYaml(detailOf(error)))]);
  }
}

const CONFLICT_MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?=[ \t\r]|$)/;

/** Reports leftover merge conflict markers as one error, where the parser would report many. */
function mergeConflict(text: string): LocatedFinding | undefined {
  const marked = text.split('\n').flatMap((line, at) => (CONFLICT_MARKER.test(line) ? [at + 1] : []));
  const [line] = marked;
  if (line === undefined) return undefined;
  const places = marked.length === 1 ? `line ${line}` : `lines ${marked.join(', ')}`;
  const message = `merge conflict markers left in the file (${places})`;
  const hint = 'choose one side and delete the marker lines';
  return { ...syntaxFinding({ line, column: 1, length: 7 }, message), hint };
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

/** The parser's tokens, cut off once the text exceeds our limits. */
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
      const message = `the file has more than ${MAX_LEXEMES} tokens`;
      return onLimit(parser.offset, 'config.too-large', message);
    }
    if (parser.stack.length > MAX_OPEN) return onLimit(parser.offset, 'config.syntax', 'nested too deeply');
  }
  yield* parser.end();
}

/** The YAML documents of a text, at most two, since more than one is an error anyway. */
function composeTwo(tokens: Iterable<CST.Token>, text: string): YamlDocument[] {
  const composer = new Composer({
    prettyErrors: false,
    // We look for duplicate keys ourselves: the library compares every key with every other.
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
  const { value, positions, findings: found } = readTree(document.contents, spanBetween, yaml);
  const warnings = document.warnings.slice(0, MAX_SYNTAX_ERRORS).map((warning): LocatedFinding => {
    const finding = syntaxFinding(spanBetween(...warning.pos), notYaml(detailOf(warning)));
    return { ...finding, severity: 'warning' };
  });
  const findings = [...warnings, ...found];
  if (value === undefined) return broken(findings);
  if (value === null) return { ok: true, value: {}, positions: new Map(), findings };
  if (isJsonObject(value)) return { ok: true, value, positions, findings };
  const span = positions.get('')?.value ?? FILE_START;
  const message = 'the file must be a mapping of keys to values';
  return broken([...findings, { ...errorFinding('config.not-a-mapping', message), span }]);
}

function syntaxError(
  error: YAMLError,
  document: YamlDocument,
  text: string,
  spanBetween: SpanBetween,
): LocatedFinding {
  const [start, end] = error.pos;
  const contentEnd = text.trimEnd().length;
  const opened = unclosedBy(error, document);
  if (opened !== undefined) {
    const { line } = spanBetween(start, start);
    const where = start < contentEnd ? notClosedBefore(text[start] ?? '', line) : 'never closed';
    const span = spanBetween(opened.start, opened.start + 1);
    return syntaxFinding(span, notYaml(`this ${opened.sign} is ${where}`));
  }
  // There is nothing to show after the last line.
  const span = start < contentEnd ? spanBetween(start, end) : spanBetween(contentEnd, contentEnd);
  if (error.code === 'TAB_AS_INDENT') return syntaxFinding(span, 'a tab cannot indent YAML; use spaces');
  if (error.code === 'NON_STRING_KEY') {
    return syntaxFinding(span, 'a key must be text, not a list or a mapping');
  }
  const finding = syntaxFinding(span, notYaml(detailOf(error)));
  return NEEDS_QUOTES.includes(error.code) ? { ...finding, hint: IN_QUOTES } : finding;
}

/** What the library says of unquoted text that looks like something else. */
const NEEDS_QUOTES = ['BLOCK_AS_IMPLICIT_KEY', 'BLOCK_IN_FLOW', 'BAD_SCALAR_START'];
const IN_QUOTES = 'put text that contains `: `, or begins with a special character, in quotes';

function notClosedBefore(next: string, line: number): string {
  return next === '}' || next === ']'
    ? `not closed before the ${next} in line ${line}`
    : `not closed before line ${line}, which is not indented enough to belong to it`;
}

/** An opening bracket or quote, and where the node that it starts ends. */
type Opened = { readonly sign: string; readonly start: number; readonly end: number };

const OPENED_BY: Readonly<Record<string, string>> = { '}': '{', ']': '[', '"': '"', "'": "'" };

/** The bracket or quote that an error reports as unclosed: the library only says where it gave up. */
function unclosedBy(error: YAMLError, document: YamlDocument): Opened | undefined {
  const sign = openingSignIn(error);
  if (sign === undefined) return undefined;
  const [end] = error.pos;
  const opened = openedIn(document.contents).filter((one) => one.sign === sign && one.end === end);
  // Of brackets that end at the same offset, the inner ones may be closed; errors come innermost first.
  const alike = document.errors.filter((other) => openingSignIn(other) === sign && other.pos[0] === end);
  return opened[alike.length - 1 - alike.indexOf(error as (typeof alike)[number])];
}

function openingSignIn({ message }: YAMLError): string | undefined {
  const [, bracket, quote] = /end with a ([}\]])$|^Missing closing (["'])quote$/.exec(message) ?? [];
  return OPENED_BY[bracket ?? quote ?? ''];
}

/** Outermost first. */
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

/** Nodes that may be read again through aliases: an alias bomb needs a billion, a person a few hundred. */
const MAX_ALIASED = 10_000;
/** Aliases can nest deeper than the text itself. */
const MAX_DEPTH = 100;
const YES = /^(?:yes|Yes|YES|on|On|ON)$/;
const NO = /^(?:no|No|NO|off|Off|OFF)$/;

/** Converts a syntax tree to JSON, with the place of each key and value; `undefined` if it is refused. */
function readTree(root: unknown, spanBetween: SpanBetween, yaml: '1.1' | '1.2') {
  const positions = new Map<string, Position>();
  const findings: LocatedFinding[] = [];
  const anchors = new Map<string, unknown>();
  /** Anchored nodes that are currently being read through an alias. */
  const open = new Set<unknown>();
  let refused = false;
  let aliased = 0;
  let merging = 0;

  const spanOf = (node: unknown): Span | undefined =>
    isNode(node) && node.range ? spanBetween(node.range[0], node.range[1]) : undefined;
  const report = (span: Span | undefined, code: DiagnosticCode, message: string): void => {
    findings.push({ ...errorFinding(code, message), span: span ?? FILE_START });
  };
  const refuse = (node: unknown, message: string): Json => {
    refused = true;
    report(spanOf(node), 'config.syntax', message);
    return null;
  };

  const read = (node: unknown, path: readonly string[], key?: Span): Json => {
    if (refused) return null;
    if (open.size > 0 && ++aliased > MAX_ALIASED) return refuse(node, 'aliases repeat too much text');
    if (path.length > MAX_DEPTH) return refuse(node, 'nested too deeply');
    if (isAlias(node)) return readAlias(node, path, key);
    if (open.size === 0 && isNode(node) && node.anchor) anchors.set(node.anchor, node);
    const value = contentOf(node, path);
    locate(node, path, value === null, key);
    return value;
  };

  const locate = (node: unknown, path: readonly string[], empty: boolean, key?: Span): void => {
    const pointer = pointerOf(path);
    if (merging > 0 && positions.has(pointer)) return;
    const span = (empty ? key : undefined) ?? spanOf(node) ?? key ?? FILE_START;
    positions.set(pointer, { ...(key && { key }), value: span, empty });
  };

  const contentOf = (node: unknown, path: readonly string[]): Json => {
    if (isMap(node)) return Object.fromEntries(readMapping(node, path));
    if (isSeq(node)) return node.items.map((item, at) => read(item, [...path, String(at)]));
    return isScalar(node) ? readScalar(node) : null;
  };

  const readMapping = (map: YAMLMap, path: readonly string[]): Map<string, Json> => {
    const own = new Map<string, Json>();
    const merged: [string, Json][] = [];
    const lines = new Map<string, number>();
    for (const pair of map.items) {
      const span = spanOf(pair.key) ?? spanOf(map) ?? FILE_START;
      if (isMergeKey(pair.key)) {
        merged.push(...readMerged(pair.value, path, span));
        continue;
      }
      const key = keyOf(pair.key);
      const first = lines.get(key);
      const twice = `\`${key}\` appears twice in this mapping, first on line ${first}; this one wins`;
      if (first !== undefined) report(span, 'config.duplicate-key', twice);
      lines.set(key, span.line);
      own.set(key, read(pair.value, [...path, key], span));
    }
    for (const [key, value] of merged) if (!own.has(key)) own.set(key, value);
    return own;
  };

  /** The entries behind a `<<`. The mapping's own keys win over them, earlier list items over later ones. */
  const readMerged = (value: unknown, path: readonly string[], key: Span): [string, Json][] => {
    merging += 1;
    const nodes = isSeq(value) ? value.items : [value];
    const mappings = nodes.map((node) => read(node, path, key));
    merging -= 1;
    if (!mappings.every(isJsonObject)) {
      report(key, 'config.wrong-type', '`<<` takes a mapping or a list of mappings');
    }
    return mappings.filter(isJsonObject).flatMap((one) => Object.entries(one) as [string, Json][]);
  };

  const readAlias = (alias: Alias, path: readonly string[], key?: Span): Json => {
    const target = anchors.get(alias.source);
    const shown = `\`*${alias.source}\``;
    if (target === undefined)
      return refuse(alias, `${shown} refers to an anchor that is not defined above it; put a glob in quotes`);
    if (open.has(target)) return refuse(alias, `${shown} is inside its own anchor`);
    open.add(target);
    const value = read(target, path, key);
    open.delete(target);
    return value;
  };

  const readScalar = (scalar: Scalar): Json => {
    const { value, type } = scalar;
    const isOldWord = yaml === '1.1' && type === 'PLAIN' && typeof value === 'string';
    if (isOldWord && (YES.test(value) || NO.test(value))) return YES.test(value);
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    report(spanOf(scalar), 'config.invalid-value', `${String(value)} is not a valid value in a config`);
    return null;
  };

  const value = read(root, []);
  return { value: refused ? undefined : value, positions, findings };
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
}

function keyOf(key: unknown): string {
  // YAML 1.1 reads `on` as a boolean; as a key it is meant as a word.
  if (isScalar(key) && typeof key.value === 'boolean' && key.source !== undefined) return key.source;
  return isScalar(key) ? String(key.value ?? '') : '';
}
