import type { ConfigPlace } from '../core/failure';
import { hintLine, switchedOffLine } from './messages';
import type { SourceText, Span } from './source';

export type DiagnosticCode =
  | 'config.syntax'
  | 'config.too-large'
  | 'config.unreadable'
  | 'config.not-a-mapping'
  | 'config.duplicate-key'
  | 'config.unknown-key'
  | 'config.wrong-type'
  | 'config.invalid-value'
  | 'config.missing-key'
  | 'config.defined-twice'
  | 'config.not-read'
  | 'config.not-enforced';

/** What is wrong, before it is known where. */
export interface Finding {
  readonly code: DiagnosticCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly hint?: string;
  /** The part of the config that is without effect until this is mended. */
  readonly switchesOff?: string;
}

/** A finding at its place in a file. It is plain JSON: the compiled config carries it. */
export interface Diagnostic extends Finding {
  /** The top-level key of the model that it concerns; absent where it concerns a whole file of ours. */
  readonly topKey?: string;
  readonly place: ConfigPlace & { readonly length: number; readonly sourceLine: string };
}

/** Longer lines are cut: a diagnostic is kept and shown, a megabyte on one line is not. */
const SHOWN_LINE = 160;

export function diagnose(source: SourceText, span: Span, finding: Finding): Diagnostic {
  const line = source.lines[span.line - 1] ?? '';
  const fits = span.column - 1 < SHOWN_LINE;
  return {
    ...finding,
    place: {
      file: source.shown,
      line: span.line,
      column: span.column,
      length: Math.min(span.length, SHOWN_LINE),
      sourceLine: fits ? line.slice(0, SHOWN_LINE) : '',
    },
  };
}

/** The diagnostic as people read it, with the text underlined. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { place, severity, message, hint, switchesOff } = diagnostic;
  const lines = [`${showPlace(place)}: ${severity}: ${escapeControls(message)}`];
  if (place.sourceLine.trim() !== '') lines.push(...underline(place));
  if (hint !== undefined) lines.push(hintLine(escapeControls(hint)));
  if (switchesOff !== undefined) lines.push(switchedOffLine(escapeControls(switchesOff)));
  return lines.join('\n');
}

export function showPlace(place: ConfigPlace): string {
  return `${place.file}:${place.line}:${place.column}`;
}

function underline(place: Diagnostic['place']): string[] {
  const start = place.column - 1;
  const before = escapeControls(place.sourceLine.slice(0, start));
  const marked = escapeControls(place.sourceLine.slice(start, start + place.length));
  const after = escapeControls(place.sourceLine.slice(start + place.length));
  const tail = '~'.repeat(Math.max(0, width(marked) - 1));
  return [`  ${before}${marked}${after}`, `  ${' '.repeat(width(before))}^${tail}`];
}

function width(text: string): number {
  return [...text].length;
}

/** Control and direction-changing characters could otherwise rewrite what a terminal shows. */
function escapeControls(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => {
      if (char === '\t') return '\\t';
      if (char === '\r') return '\\r';
      if (char === '\n') return '\\n';
      return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
    },
  );
}
