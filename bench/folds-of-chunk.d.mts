/** What the build notes of a function or a variable at the top of a chunk. */
export interface Note {
  readonly id: string;
  readonly chunk: string;
  readonly file: string;
  readonly name: string;
  /** Its name in the chunk, by which others mention it. */
  readonly short: string;
  readonly isVariable: boolean;
  readonly isMovable: boolean;
  readonly size: number;
  readonly mentions: readonly string[];
  readonly handedOn: readonly string[];
  readonly atOnce: readonly string[];
}

/** A row of the bench: what its last turn ran, and what those ran of which code is kept. */
export interface RanEvent {
  readonly weight: number;
  readonly home: string;
  readonly kind: string;
  readonly last: ReadonlySet<string>;
  readonly kept: ReadonlySet<string>;
}

export declare function foldsOfChunk(
  notes: readonly Note[],
  events: readonly RanEvent[],
): Map<string, string>;
