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

const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  '57P01', // the server is shut down
  '57P02', // it crashed
  '57P03', // it is starting
  '53300', // it has too many connections
]);

/** Whether the database is unavailable: stopped, starting, or unreachable. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (awayCodes.has(code) || code.startsWith('08')) return true;
  return (
    /^(Connection terminated|timeout e|The embedded database)/.test(error.message) || isAway(error.cause)
  );
}
