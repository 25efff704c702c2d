import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { missed } from './database.js';

type Heard = (payload: string) => void;

export interface Listener {
  listen(channel: string, heard: Heard): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const beat = 30_000;

/** One connection for all LISTENs, opened at the first one and replaced when it breaks. */
export function openListener(config: pg.ClientConfig): Listener {
  const channels = new Map<string, Set<Heard>>();
  let client: pg.Client | undefined;
  let opening: Promise<pg.Client> | undefined;
  let isClosed = false;

  const tell = (channel: string, payload: string) => {
    for (const heard of [...(channels.get(channel) ?? [])]) heard(payload);
  };

  async function open(): Promise<pg.Client> {
    const made = new pg.Client({ ...config, query_timeout: 10_000 });
    made.on('error', () => {});
    made.on('notification', ({ channel, payload = '' }) => tell(channel, payload));
    await made.connect();
    try {
      for (const channel of channels.keys()) await made.query(`listen ${pg.escapeIdentifier(channel)}`);
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
    if (!isClosed) for (const channel of channels.keys()) tell(channel, missed);
  }

  return {
    async listen(channel, heard) {
      const known = channels.get(channel);
      if (known) known.add(heard);
      else channels.set(channel, new Set([heard]));
      await (await connected()).query(`listen ${pg.escapeIdentifier(channel)}`);
      return async () => {
        channels.get(channel)?.delete(heard);
      };
    },
    async close() {
      isClosed = true;
      await client?.end().catch(() => {});
    },
  };
}
