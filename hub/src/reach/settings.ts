import * as v from 'valibot';
import type { Queries } from '../db/database.js';

/** Where to notify people that something waits. */
export interface Reach {
  readonly webhook: { readonly url: string; readonly secret: string } | null;
  readonly ntfy: { readonly url: string; readonly token?: string | undefined } | null;
}

const key = 'reach';

const url = v.pipe(
  v.string('A URL is text.'),
  v.maxLength(2000),
  v.check(isWebUrl, 'Give a URL that starts with http:// or https:// and has no user name in it.'),
);

/** What an admin sends. A missing secret stays as it was, if the URL's host stays the same. */
export const reachBody = v.object({
  webhook: v.nullish(
    v.object({
      url,
      secret: v.nullish(
        v.pipe(v.string(), v.minLength(16, 'A secret needs at least 16 characters.'), v.maxLength(500)),
      ),
    }),
  ),
  ntfy: v.nullish(
    v.object({
      url,
      token: v.nullish(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,500}$/, 'A token has no spaces in it.'))),
    }),
  ),
});

export async function readReach(queries: Queries): Promise<Reach> {
  const [row] = await queries.query<{ readonly value: Reach }>('select value from settings where key = $1', [
    key,
  ]);
  return { webhook: row?.value.webhook ?? null, ntfy: row?.value.ntfy ?? null };
}

export async function writeReach(tx: Queries, reach: Reach): Promise<void> {
  await tx.query(
    'insert into settings (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value',
    [key, { ...reach }],
  );
}

/** The settings as admins may see them: without secrets. */
export function shownReach({ webhook, ntfy }: Reach): Record<string, unknown> {
  return {
    webhook: webhook && { url: webhook.url, hasSecret: true },
    ntfy: ntfy && { url: ntfy.url, hasToken: ntfy.token !== undefined },
  };
}

function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && !username && !password;
}
