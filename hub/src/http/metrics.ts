import type { Database, Queries } from '../db/database.js';

/** What the process counts by itself; the rest of /metrics is asked of the database. */
export interface Metrics {
  /** Adds to a counter, by default 1. */
  add(counter: Counter, by?: number): void;
  /** Notes one answered request. */
  request(route: string, method: string, status: number, seconds: number): void;
  /** Notes that a stream opened (1) or ended (-1). */
  streams(by: 1 | -1): void;
  text(): string;
}

export type Counter =
  | 'decisions'
  | 'batches'
  | 'databaseErrors'
  | 'reachSent'
  | 'reachFailed'
  | 'signInsFailed';

export function newMetrics(): Metrics {
  return { add() {}, request() {}, streams() {}, text: () => '' };
}

/** The same database, with failed queries counted. */
export function countErrors(db: Database, metrics: Metrics): Database {
  const counted = (queries: Queries): Queries => ({
    query: (sql, values) =>
      queries.query(sql, values).catch((error: unknown) => {
        metrics.add('databaseErrors');
        throw error;
      }) as never,
  });
  return {
    kind: db.kind,
    query: counted(db).query,
    tx: (work) => db.tx((queries) => work(counted(queries))),
    listen: (channel, heard) => db.listen(channel, heard),
    close: () => db.close(),
  };
}
