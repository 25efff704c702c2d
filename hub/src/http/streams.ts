import type { Database } from '../db/database.js';
import type { Connection } from '../stream/connection.js';

/** All open event streams of this process. */
export interface Streams {
  readonly size: number;
  /** The credential is a machine's id, or a sign-in's. */
  add(connection: Connection, credential: string): void;
  remove(connection: Connection): void;
  /** Ends the streams whose machine was revoked or whose sign-in ended. */
  endStale(db: Database, now: Date): Promise<void>;
  endAll(): void;
}

export function newStreams(): Streams {
  const open = new Map<Connection, string>();
  return {
    get size() {
      return open.size;
    },
    add: (connection, credential) => void open.set(connection, credential),
    remove: (connection) => void open.delete(connection),
    async endStale(db, now) {
      // Streams that open during the query were not checked, and stay.
      const asked = [...open];
      const rows = await db.query<{ readonly id: string }>(
        `select id from machines where id = any($1::text[]) and revoked_at is null
         union all select token_hash from sign_ins where token_hash = any($1::text[]) and expires_at > $2`,
        [asked.map(([, credential]) => credential), now],
      );
      const valid = new Set(rows.map(({ id }) => id));
      for (const [connection, credential] of asked) if (!valid.has(credential)) connection.end();
    },
    endAll() {
      for (const connection of [...open.keys()]) connection.end();
    },
  };
}
