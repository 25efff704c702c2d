/** Layers of the config in rising priority. */
export const LAYERS = ['global', 'project', 'local'] as const;

export type Layer = (typeof LAYERS)[number];

/** A stretch of text on one line, counted from one as editors do. */
export interface Span {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** Where a value and, inside a mapping, its key stand in the text. */
export interface Position {
  readonly key?: Span;
  readonly value: Span;
  /** A key with nothing behind it: it says nothing and replaces nothing. */
  readonly empty: boolean;
}

/** A config file as text, kept so that any later trouble can underline its words. */
export interface SourceText {
  /** Relative to the project root, or with `~` for the home. */
  readonly shown: string;
  readonly lines: readonly string[];
}

export const FILE_START: Span = { line: 1, column: 1, length: 0 };
