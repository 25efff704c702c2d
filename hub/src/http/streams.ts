import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Database } from '../db/database.js';

/** Whose request it is, according to its credential. */
export type Credential =
  | { readonly kind: 'machine'; readonly machine: string }
  | { readonly kind: 'person'; readonly person: string; readonly signIn: string };

/** All open event streams of this process. */
export interface Streams {
  readonly size: number;
  /** Registers the response if it is an event stream. */
  track(c: Context): void;
  /** Ends the streams whose machine was revoked or whose sign-in ended. */
  endStale(db: Database, now: Date): Promise<void>;
  endAll(): void;
}

export function newStreams(): Streams {
  const open = new Map<ServerResponse, Credential | undefined>();
  return {
    get size() {
      return open.size;
    },
    track(c) {
      if (!c.res.headers.get('content-type')?.startsWith('text/event-stream')) return;
      const response = (c.env as HttpBindings).outgoing;
      if (response.destroyed) return;
      open.set(response, c.get('credential'));
      response.once('close', () => open.delete(response));
    },
    async endStale(db, now) {
      // Streams that open during the query were not checked, and stay.
      const asked = [...open];
      const credentials = asked.flatMap(([, one]) => (one ? [one] : []));
      const machines = credentials.flatMap((one) => (one.kind === 'machine' ? [one.machine] : []));
      const signIns = credentials.flatMap((one) => (one.kind === 'person' ? [one.signIn] : []));
      const rows = await db.query<{ readonly id: string }>(
        `select id from machines where id = any($1::text[]) and revoked_at is null
         union all select token_hash from sign_ins where token_hash = any($2::text[]) and expires_at > $3`,
        [machines, signIns, now],
      );
      const valid = new Set(rows.map(({ id }) => id));
      for (const [response, one] of asked)
        if (one && !valid.has(one.kind === 'machine' ? one.machine : one.signIn)) response.end();
    },
    endAll() {
      for (const response of open.keys()) response.end();
    },
  };
}
