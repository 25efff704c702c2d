import type { Database } from '../db/database.js';
import { hashOf } from '../hub.js';

export interface TokenOwner {
  readonly id: string;
  readonly revoked_at: Date | null;
}

export type FindMachine = (token: string) => Promise<TokenOwner | null>;

interface Asked {
  readonly hash: string;
  resolve(owner: TokenOwner | null): void;
  reject(error: unknown): void;
}

/**
 * Finds the machine with a token. Nothing is cached, so that a revoked one is refused at once; requests that
 * arrive during a lookup share the next one, because a thousand machines may send at the same time.
 */
export function openTokens(db: Database): FindMachine {
  let waiting: Asked[] = [];
  let isReading = false;

  async function readAll(): Promise<void> {
    isReading = true;
    while (waiting.length > 0) {
      const asked = waiting;
      waiting = [];
      await read(asked);
    }
    isReading = false;
  }

  async function read(asked: readonly Asked[]): Promise<void> {
    try {
      const rows = await db.query<TokenOwner & { readonly token_hash: string }>(
        'select token_hash, id, revoked_at from machines where token_hash = any($1::text[])',
        [[...new Set(asked.map(({ hash }) => hash))]],
      );
      const owners = new Map(rows.map((row) => [row.token_hash, row]));
      for (const { hash, resolve } of asked) resolve(owners.get(hash) ?? null);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  return (token) =>
    new Promise((resolve, reject) => {
      waiting.push({ hash: hashOf(token), resolve, reject });
      if (!isReading) void readAll();
    });
}
