/** A row as both databases return it: int8 as number, timestamps as Date, jsonb parsed. */
export type Row = Record<string, unknown>;

/** A query parameter. Objects become jsonb, Dates timestamptz, arrays arrays. */
export type Value =
  | string
  | number
  | boolean
  | Date
  | Uint8Array
  | null
  | readonly string[]
  | { readonly [key: string]: unknown };

export interface Queries {
  query<T = Row>(sql: string, values?: readonly Value[]): Promise<T[]>;
}

export type Heard = (payload: string) => void;

/** PostgreSQL, or PGlite in a worker thread. Both run the same SQL. */
export interface Database extends Queries {
  readonly kind: 'postgres' | 'embedded';
  /** One transaction: committed when `work` resolves, rolled back when it rejects. */
  tx<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /**
   * Calls `heard` for every NOTIFY on the channel `hub`, from this process or another, until the returned
   * function is called. After a lost connection, when notices may have been lost too, it is called with `missed`.
   */
  listen(heard: Heard): Promise<() => void>;
  close(): Promise<void>;
}

/** What listeners get after a gap: they must read again what they show. */
export const missed = JSON.stringify({ kind: 'missed' });
