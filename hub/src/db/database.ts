/** A row as both databases give it: int8 as number, timestamps as Date, jsonb parsed. */
export type Row = Record<string, unknown>;

/** What a query may be given. Objects go into jsonb by JSON, Dates into timestamptz, arrays into arrays. */
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

/** PostgreSQL, or PGlite in a worker thread. The same SQL on both. */
export interface Database extends Queries {
  readonly kind: 'postgres' | 'embedded';
  /** One transaction: committed when `work` resolves, rolled back when it rejects. */
  tx<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /**
   * Calls `heard` for every NOTIFY on the channel, from this process or another, until the returned function is called.
   * After a lost connection, in which notices may have been lost too, it is called with `missed`.
   */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** What listeners hear after a gap. They read again what they show. */
export const missed = JSON.stringify({ kind: 'missed' });
