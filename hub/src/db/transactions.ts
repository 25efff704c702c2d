import { AsyncLocalStorage } from 'node:async_hooks';
import type { Queries, Row, Value } from './database.js';

export interface Result {
  readonly rows: Row[];
  /** What the server reports that it did: `COMMIT`, `ROLLBACK`, `SELECT`. */
  readonly command: string;
}

/** A connection, which runs one statement after the other. */
export type Run = (sql: string, values?: readonly Value[]) => Promise<Result>;

const current = new AsyncLocalStorage<{ isOpen: boolean }>();

/**
 * Throws inside a transaction: a query on the database itself would wait for the transaction to end, which
 * waits for the query.
 */
export function assertNoTransaction(): void {
  if (current.getStore()?.isOpen)
    throw new Error("Inside a transaction, use the transaction's own queries, not the database's.");
}

/** Runs the transaction from behind `begin` to commit or rollback. */
export async function finishTransaction<T>(run: Run, work: (queries: Queries) => Promise<T>): Promise<T> {
  const state = { isOpen: true };
  const queries: Queries = {
    async query<R>(sql: string, values?: readonly Value[]): Promise<R[]> {
      if (!state.isOpen) throw new Error('This transaction has ended.');
      return (await run(sql, values)).rows as R[];
    },
  };
  let result: T;
  try {
    result = await current.run(state, () => work(queries));
  } catch (error) {
    state.isOpen = false;
    // If this fails too, the connection is lost, and the transaction with it.
    await run('rollback').catch(() => {});
    throw error;
  }
  state.isOpen = false;
  const { command } = await run('commit');
  // A query failed and its error was swallowed: the server rolls back and reports success.
  if (command !== 'COMMIT')
    throw new Error('The transaction was rolled back, since a query in it had failed.');
  return result;
}
