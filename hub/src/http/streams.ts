import type { Database } from '../db/database.js';
import type { Connection } from '../stream/connection.js';

/** Whose request it is, according to its credential. */
export type Credential =
  | { readonly kind: 'machine'; readonly machine: string }
  | { readonly kind: 'person'; readonly person: string; readonly signIn: string };

/** All open event streams of this process. */
export interface Streams {
  readonly size: number;
  add(connection: Connection, credential: Credential): void;
  remove(connection: Connection): void;
  /** Ends the streams whose machine was revoked or whose sign-in ended. */
  endStale(db: Database, now: Date): Promise<void>;
  endAll(): void;
}

export function newStreams(): Streams {
  const open = new Map<Connection, Credential>();
  return {
    get size() {
      return open.size;
    },
    add: (connection, credential) => void open.set(connection, credential),
    remove: (connection) => void open.delete(connection),
    async endStale(db, now) {
      // Streams that open during the query were not checked, and stay.
      const asked = [...open];
      const machines = asked.flatMap(([, one]) => (one.kind === 'machine' ? [one.machine] : []));
      const signIns = asked.flatMap(([, one]) => (one.kind === 'person' ? [one.signIn] : []));
      const rows = await db.query<{ readonly id: string }>(
        `select id from machines where id = any($1::text[]) and revoked_at is null
         union all select token_hash from sign_ins where token_hash = any($2::text[]) and expires_at > $3`,
        [machines, signIns, now],
      );
      const valid = new Set(rows.map(({ id }) => id));
      for (const [connection, one] of asked)
        if (!valid.has(one.kind === 'machine' ? one.machine : one.signIn)) connection.end();
    },
    endAll() {
      for (const connection of [...open.keys()]) connection.end();
    },
  };
}
