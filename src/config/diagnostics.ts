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

/** A problem without its place in a file. */
export interface Finding {
  readonly code: DiagnosticCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly hint?: string;
  /** The part of the config that has no effect until this is fixed. */
  readonly switchesOff?: string;
  /** What stays in effect without it. */
  readonly rest?: string;
}

/** A range of text on one line; line and column count from one, as in editors. */
export interface Span {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

export const FILE_START: Span = { line: 1, column: 1, length: 0 };

/** The text of a config file, kept so that a diagnostic can underline part of it. */
export interface SourceText {
  /** Relative to the project root, or with `~` for the home. */
  readonly shown: string;
  readonly lines: readonly string[];
}

/** A finding with its place in a file. Plain JSON: it is stored in the compiled config. */
export interface Diagnostic extends Finding {
  /** The top-level key of the model that it concerns; absent if it concerns a whole file of ours. */
  readonly topKey?: string;
  readonly place: Span & { readonly file: string; readonly sourceLine: string };
}

/** Longer lines are cut, because diagnostics are stored and shown. */
const SHOWN_LINE = 160;

export function errorFinding(code: DiagnosticCode, message: string): Finding {
  return { code, severity: 'error', message };
}

export function diagnose(source: SourceText, span: Span, finding: Finding): Diagnostic {
  const { line, column } = span;
  const fits = column - 1 < SHOWN_LINE;
  const sourceLine = fits ? (source.lines[line - 1] ?? '').slice(0, SHOWN_LINE) : '';
  const length = Math.min(span.length, SHOWN_LINE);
  return { ...finding, place: { file: source.shown, line, column, length, sourceLine } };
}

/** The diagnostic as text for people, with the place of an error underlined. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { place, severity, message, hint, switchesOff, rest } = diagnostic;
  const lines = [`${showPlace(place)}: ${severity}: ${escapeControls(message)}`];
  // A warning may stand at the start of every session, and names what it is about.
  if (severity === 'error' && place.sourceLine.trim() !== '') lines.push(...underline(place));
  if (hint !== undefined) lines.push(`hint: ${escapeControls(hint)}`);
  if (rest !== undefined)
    lines.push(
      `note: the rest of \`${escapeControls(rest)}\` counts without it, and may hold more than you meant`,
    );
  if (switchesOff !== undefined) lines.push(switchedOffLine(escapeControls(switchesOff)));
  return lines.join('\n');
}

/** The diagnostic on one line. */
export function diagnosticLine({ place, message, hint }: Diagnostic): string {
  return `${showPlace(place)}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}

/** `file:line:column`. */
export function showPlace(place: Omit<Span, 'length'> & { readonly file: string }): string {
  return `${place.file}:${place.line}:${place.column}`;
}

/** What an unreadable file disables. */
export function wholeFile(): string {
  return 'everything in this file';
}

/** The last line of a diagnostic that disables something. */
export function switchedOffLine(what: string): string {
  return `disabled until this is fixed: ${what}`;
}

function underline(place: Diagnostic['place']): string[] {
  const start = place.column - 1;
  const before = escapeControls(place.sourceLine.slice(0, start));
  const marked = escapeControls(place.sourceLine.slice(start, start + place.length));
  const after = escapeControls(place.sourceLine.slice(start + place.length));
  const tail = '~'.repeat(Math.max(0, [...marked].length - 1));
  return [`  ${before}${marked}${after}`, `  ${' '.repeat([...before].length)}^${tail}`];
}

const NAMED_CONTROLS: Readonly<Record<string, string>> = { '\t': '\\t', '\r': '\\r', '\n': '\\n' };

/** Control and direction-changing characters could otherwise rewrite what a terminal shows. */
function escapeControls(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => NAMED_CONTROLS[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The known name that was probably meant, if one is close enough. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = fold(name);
  // In a short word, two edits make a different word.
  let bestDistance = (wanted.length <= 4 ? 1 : 2) + 1;
  let best: string | undefined;
  for (const candidate of known) {
    const folded = fold(candidate);
    if (Math.abs(folded.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, folded);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

export function didYouMean(name: string): string {
  return `did you mean \`${name}\`?`;
}

/** `triggerTools`, `trigger-tools` and `trigger_tools` count as the same name. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}

/** Damerau-Levenshtein distance with adjacent swaps. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const change = at(row - 1, column - 1) + (isSame ? 0 : 1);
      const swap = isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
      rows[row]?.push(Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, change, swap));
    }
  }
  return at(from.length, to.length);
}
