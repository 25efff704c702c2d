import { type Document, LineCounter, type ParsedNode, type YAMLError } from 'yaml';
import { detailOf } from '../core/failure';
import { isJsonObject, type JsonObject } from '../core/json';
import { type Composed, composeYaml, MAX_LEXEMES } from './compose';
import type { Finding } from './diagnostics';
import * as say from './messages';
import { FILE_START, type Position, type Span } from './source';
import { spanAt } from './span';
import { unclosedBy } from './unclosed';
import { YamlWalk } from './yaml-walk';

export interface LocatedFinding {
  readonly span: Span;
  readonly finding: Finding;
}

/** A config text as data. Where it does not parse, the value is empty and the findings say why. */
export interface Parsed {
  readonly ok: boolean;
  readonly value: JsonObject;
  /** By pointer. */
  readonly positions: ReadonlyMap<string, Position>;
  readonly findings: readonly LocatedFinding[];
}

/** One slip often trips the parser again and again. */
const MAX_SYNTAX_ERRORS = 10;

/** Parses a config text. Never throws. */
export function parseConfig(text: string, yaml: '1.1' | '1.2'): Parsed {
  const counter = new LineCounter();
  try {
    const composed = composeYaml(text, counter);
    if (composed.kind !== 'documents') return broken([beyondLimit(composed, text, counter)]);
    const [document, second] = composed.documents;
    if (document === undefined) return { ok: true, value: {}, positions: new Map(), findings: [] };
    const errors = syntaxErrors(document, second, text, counter);
    return errors.length > 0 ? broken(errors) : readDocument(document, text, counter, yaml);
  } catch (error) {
    // The library has no promise that it never throws, and a config must not stop the hook.
    return broken([located(FILE_START, 'config.syntax', say.syntax(detailOf(error)))]);
  }
}

function readDocument(
  document: Document.Parsed<ParsedNode>,
  text: string,
  counter: LineCounter,
  yaml: '1.1' | '1.2',
): Parsed {
  const walk = new YamlWalk(text, counter, yaml);
  const value = walk.read(document.contents);
  const warnings = document.warnings.slice(0, MAX_SYNTAX_ERRORS).map((warning) => {
    const span = spanAt(text, counter, warning.pos[0], warning.pos[1]);
    return located(span, 'config.syntax', say.syntax(detailOf(warning)), 'warning');
  });
  const findings = [...warnings, ...walk.findings];
  if (walk.refused) return broken(findings);
  if (value === null) return { ok: true, value: {}, positions: new Map(), findings };
  if (isJsonObject(value)) return { ok: true, value, positions: walk.positions, findings };
  const span = walk.positions.get('')?.value ?? FILE_START;
  return broken([...findings, located(span, 'config.not-a-mapping', say.notAMapping())]);
}

function syntaxErrors(
  document: Document.Parsed<ParsedNode>,
  second: Document.Parsed<ParsedNode> | undefined,
  text: string,
  counter: LineCounter,
): LocatedFinding[] {
  const found = document.errors
    .slice(0, MAX_SYNTAX_ERRORS)
    .map((error) => syntaxError(error, document, text, counter));
  if (second === undefined) return found;
  const start = second.range[0];
  return [
    ...found,
    located(spanAt(text, counter, start, start + 3), 'config.syntax', say.severalDocuments()),
  ];
}

function syntaxError(
  error: YAMLError,
  document: Document.Parsed<ParsedNode>,
  text: string,
  counter: LineCounter,
): LocatedFinding {
  const [start, end] = error.pos;
  const lastSign = text.trimEnd().length;
  const opened = unclosedBy(error, document);
  if (opened !== undefined) {
    const follows = { sign: text[start] ?? '', line: counter.linePos(start).line };
    const next = start < lastSign ? follows : undefined;
    const span = spanAt(text, counter, opened.start, opened.start + 1);
    return located(span, 'config.syntax', say.syntax(say.neverClosed(opened.sign, next)));
  }
  // Behind the last line there is nothing to show.
  const span =
    start < lastSign ? spanAt(text, counter, start, end) : spanAt(text, counter, lastSign, lastSign);
  return located(span, 'config.syntax', syntaxMessage(error));
}

function syntaxMessage(error: YAMLError): string {
  if (error.code === 'TAB_AS_INDENT') return say.tabIndent();
  if (error.code === 'NON_STRING_KEY') return say.keyNotText();
  return say.syntax(detailOf(error));
}

function beyondLimit(
  composed: Exclude<Composed, { kind: 'documents' }>,
  text: string,
  counter: LineCounter,
): LocatedFinding {
  const span = spanAt(text, counter, composed.offset - 1, composed.offset);
  switch (composed.kind) {
    case 'too-deep':
      return located(span, 'config.syntax', say.tooDeep());
    case 'too-long':
      return located(span, 'config.too-large', say.tooLong(MAX_LEXEMES));
  }
}

function broken(findings: readonly LocatedFinding[]): Parsed {
  return { ok: false, value: {}, positions: new Map(), findings };
}

function located(
  span: Span,
  code: Finding['code'],
  message: string,
  severity: Finding['severity'] = 'error',
): LocatedFinding {
  return { span, finding: { code, severity, message } };
}
