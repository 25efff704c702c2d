import { Hono } from 'hono';
import type { InferOutput } from 'valibot';
import { readJson } from '../http/body.js';
import { ApiError } from '../http/errors.js';
import { personOnly } from '../http/who.js';
import type { Hub } from '../hub.js';
import { audited } from '../people/audit.js';
import { type Message, ntfyPost, send, webhookPost } from './send.js';
import { type Reach, reachBody, readReach, shownReach, writeReach } from './settings.js';

const path = '/api/v1/settings/reach';

/** Settings of the webhook and the ntfy topic, for admins. */
export function routes(hub: Hub): Hono {
  const app = new Hono();

  app.get(path, personOnly('admin'), async (c) => c.json(shownReach(await readReach(hub.db))));

  app.put(path, personOnly('admin'), async (c) => {
    const body = await readJson(c, reachBody);
    const reach = await hub.db.tx(async (tx) => {
      const next = merged(body, await readReach(tx));
      await writeReach(tx, next);
      await audited(tx, c.var.person.name, 'reach changed', '', {
        webhook: hostOf(next.webhook?.url),
        ntfy: hostOf(next.ntfy?.url),
      });
      return next;
    });
    return c.json(shownReach(reach));
  });

  app.post(`${path}/test`, personOnly('admin'), async (c) => {
    const { webhook, ntfy } = await readReach(hub.db);
    if (!webhook && !ntfy)
      throw new ApiError(409, 'no-reach', 'Save a webhook or an ntfy topic first, then test it.');
    const now = hub.clock();
    const message: Message = {
      kind: 'test',
      id: '',
      rule: '',
      project: '',
      branch: '',
      machine: '',
      since: now.toISOString(),
      link: `${hub.publicUrl}/`,
    };
    const [toWebhook, toNtfy] = await Promise.all([
      webhook && outcome(send(webhookPost(webhook, message, now))),
      ntfy && outcome(send(ntfyPost(ntfy, message))),
    ]);
    const failed = [toWebhook && `Webhook: ${toWebhook}`, toNtfy && `ntfy: ${toNtfy}`].filter(Boolean);
    if (failed.length) throw new ApiError(502, 'reach', failed.join(' '));
    return c.json({ webhook: webhook !== null, ntfy: ntfy !== null });
  });
  return app;
}

/** Why it could not be sent; null if it was. */
function outcome(sent: Promise<void>): Promise<string | null> {
  return sent.then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

function merged({ webhook, ntfy }: InferOutput<typeof reachBody>, before: Reach): Reach {
  return {
    webhook: webhook ? { url: webhook.url, secret: webhook.secret ?? keptSecret(webhook.url, before) } : null,
    ntfy: ntfy ? { url: ntfy.url, ...tokenFor(ntfy, before) } : null,
  };
}

function keptSecret(url: string, { webhook }: Reach): string {
  if (webhook && hostOf(webhook.url) === hostOf(url)) return webhook.secret;
  throw new ApiError(422, 'shape', 'webhook.secret: Give a secret of at least 16 characters.');
}

/** `null` removes the token; a missing one is kept for the same host, and never sent to another. */
function tokenFor(
  { url, token }: NonNullable<InferOutput<typeof reachBody>['ntfy']>,
  { ntfy }: Reach,
): { readonly token?: string } {
  if (token) return { token };
  const keep = token === undefined && ntfy?.token !== undefined && hostOf(ntfy.url) === hostOf(url);
  return keep && ntfy?.token ? { token: ntfy.token } : {};
}

function hostOf(url: string | undefined): string | null {
  return url === undefined ? null : new URL(url).origin;
}
