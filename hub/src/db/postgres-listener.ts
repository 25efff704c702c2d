import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { type Heard, missed } from './database.js';

export interface Listener {
  listen(heard: Heard): Promise<() => void>;
  close(): Promise<void>;
}

const beat = 30_000;

/** One connection for all listeners, opened for the first one and replaced when it breaks. */
export function openListener(config: pg.ClientConfig): Listener {
  const listeners = new Set<Heard>();
  let client: pg.Client | undefined;
  let opening: Promise<pg.Client> | undefined;
  let isClosed = false;

  const tell = (payload: string) => {
    for (const heard of [...listeners]) heard(payload);
  };

  async function open(): Promise<pg.Client> {
    const made = new pg.Client({ ...config, query_timeout: 10_000 });
    made.on('error', () => {});
    made.on('notification', ({ payload = '' }) => tell(payload));
    await made.connect();
    try {
      await made.query('listen hub');
    } catch (error) {
      await made.end().catch(() => {});
      throw error;
    }
    // A connection that a firewall dropped is only noticed when it is used.
    const timer = setInterval(() => void made.query('select 1').catch(() => made.end()), beat);
    made.once('end', () => {
      clearInterval(timer);
      if (client !== made) return;
      client = undefined;
      if (!isClosed) void reopen();
    });
    client = made;
    return made;
  }

  /** Waits for a connection that is already being opened. */
  function connected(): Promise<pg.Client> {
    if (client) return Promise.resolve(client);
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  async function reopen(): Promise<void> {
    for (let pause = 50; !isClosed; pause = Math.min(pause * 2, 2000)) {
      await wait(pause);
      try {
        if (!isClosed) await connected();
        break;
      } catch {
        // The server is still away.
      }
    }
    if (!isClosed) tell(missed);
  }

  return {
    async listen(heard) {
      listeners.add(heard);
      await connected();
      return () => void listeners.delete(heard);
    },
    async close() {
      isClosed = true;
      await client?.end().catch(() => {});
    },
  };
}
