import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import type { FromWorker, ToWorker } from './pglite-messages.js';
import { SyncedFiles } from './synced-files.js';

const int8 = 20;
const numeric = 1700;
const date = 1082;

const port = parentPort;
if (!port) throw new Error('This is the worker of the embedded database.');
const post = (message: FromWorker) => port.postMessage(message);

const { directory } = workerData as { directory: string };
const files = new SyncedFiles(directory);
const stderrLines: string[] = [];

try {
  const db = await PGlite.create({
    fs: files,
    // PGlite's own parameters turn fsync off.
    startParams: [
      ...PGlite.defaultStartParams.filter((part) => part !== '-F'),
      '-c',
      'wal_sync_method=fsync',
    ],
    parsers: { [int8]: Number, [numeric]: Number, [date]: (text: string) => text },
    onStderr: (text) => stderrLines.push(text) > 20 && stderrLines.splice(0, 10).length < 0,
  });
  db.onNotification((_, payload) => post({ kind: 'notice', payload }));
  port.on('message', (message: ToWorker) => void answer(db, message));
  post({ kind: 'ready' });
} catch (error) {
  post({ kind: 'failed', message: [String(error), ...stderrLines.slice(-3)].join(' ') });
}

async function answer(db: PGlite, message: ToWorker): Promise<void> {
  const { id } = message;
  try {
    if (message.kind === 'query') {
      const { rows, command = '' } = await db.query<Record<string, unknown>>(message.sql, [
        ...message.values,
      ]);
      post({ kind: 'rows', id, rows, command });
    } else {
      if (message.kind === 'close') await db.close();
      post({ kind: 'rows', id, rows: [{ syncs: files.syncs }], command: '' });
    }
  } catch (error) {
    const { code, constraint, detail } = error as { code?: string; constraint?: string; detail?: string };
    post({ kind: 'error', id, message: messageOf(error), code, constraint, detail });
    // PostgreSQL panicked, for example on a full disk: only a new thread recovers.
    if (isFatal(error)) process.exit(1);
  }
}

function isFatal(error: unknown): boolean {
  const { name, severity } = (error ?? {}) as { name?: unknown; severity?: unknown };
  return name === 'RuntimeError' || name === 'ExitStatus' || severity === 'PANIC' || severity === 'FATAL';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
