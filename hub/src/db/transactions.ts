import { AsyncLocalStorage } from 'node:async_hooks';
import type { Queries, Row, Value } from './database.js';

export interface Result {
  readonly rows: Row[];
  /** What the server says it did: `COMMIT`, `ROLLBACK`, `SELECT`. */
  readonly command: string;
}

/** One connection, which runs one statement after the other. */
export type Run = (sql: string, values?: readonly Value[]) => Promise<Result>;

const current = new AsyncLocalStorage<{ isOpen: boolean }>();

/**
 * Throws inside a transaction: there, a query of the database itself would wait for the transaction to end, which
 * waits for the query.
 */
export function assertNoTransaction(): void {
  if (current.getStore()?.isOpen)
    throw new Error("Inside a transaction, use the transaction's own queries, not the database's.");
}

/** From `begin`, which has run, to commit or rollback. */
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
    // Where this fails too, the connection is lost, and with it the transaction.
    await run('rollback').catch(() => {});
    throw error;
  }
  state.isOpen = false;
  const { command } = await run('commit');
  // A failed query whose error was swallowed: the server rolls back and calls it a success.
  if (command !== 'COMMIT')
    throw new Error('The transaction was rolled back, since a query in it had failed.');
  return result;
}
