import type { Row } from './database.js';

export type ToWorker =
  | { kind: 'query'; id: number; sql: string; values: readonly (string | Uint8Array | null)[] }
  | { kind: 'close' | 'syncs'; id: number };

export interface WorkerError {
  readonly message: string;
  readonly code?: string | undefined;
  readonly constraint?: string | undefined;
  readonly detail?: string | undefined;
}

export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'failed'; message: string }
  | { kind: 'notice'; payload: string }
  | { kind: 'rows'; id: number; rows: Row[]; command: string }
  | ({ kind: 'error'; id: number } & WorkerError);
