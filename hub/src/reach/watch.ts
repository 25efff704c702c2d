import { setTimeout as wait } from 'node:timers/promises';
import type { Hub } from '../hub.js';
import { type Message, ntfyPost, sendWithRetries, webhookPost } from './send.js';
import { type Reach, readReach } from './settings.js';

const key = 'reach.told';
const atOnce = 10;
const afterError = 5000;

interface OpenRequest {
  readonly id: string;
  readonly rule: string;
  readonly project: string;
  readonly branch: string | null;
  readonly machine: string;
  readonly since: Date;
}

/** Notifies people of every request that opens, until the returned function is called. */
export function watchRequests(hub: Hub): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Posts go in lanes: one that hangs delays only what is behind it. */
  const lanes = new Map<number, Promise<void>>();
  let posts = 0;
  let due = false;
  let running: Promise<void> | null = null;

  const run = async (): Promise<void> => {
    while (due && !signal.aborted) {
      due = false;
      // One read for all requests that open in the same moment.
      await wait(100, undefined, { signal });
      const reach = await readReach(hub.db);
      for (const request of await claimNew(hub)) {
        const message = messageFor(hub, request);
        for (const post of postsFor(hub, reach, message)) {
          const lane = posts++ % atOnce;
          lanes.set(
            lane,
            (lanes.get(lane) ?? Promise.resolve()).then(() => attempt(hub, post, signal)),
          );
        }
      }
    }
  };
  const start = (): void => {
    due = true;
    running ??= run()
      .catch(async (error: unknown) => {
        if (signal.aborted) return;
        hub.log({ level: 'error', message: 'could not tell people of requests', error: String(error) });
        due = true;
        await wait(afterError, undefined, { signal }).catch(() => {});
      })
      .finally(() => {
        running = null;
        // A request may have come after the last read.
        if (due && !signal.aborted) start();
      });
  };
  const unsubscribe = hub.fanout.subscribe((notice) => {
    if (notice.kind === 'request') start();
  });
  start();
  return async () => {
    unsubscribe();
    stopping.abort();
    await running;
    await Promise.all(lanes.values());
  };
}

/** Open requests that nobody was notified of. Of several hubs on one database, one gets each of them. */
async function claimNew(hub: Hub): Promise<OpenRequest[]> {
  return hub.db.tx(async (tx) => {
    await tx.query(
      `insert into settings (key, value) values ($1, '{"ids":[]}') on conflict (key) do nothing`,
      [key],
    );
    const [row] = await tx.query<{ readonly value: { readonly ids: string[] } }>(
      'select value from settings where key = $1 for update',
      [key],
    );
    const told = new Set(row?.value.ids);
    const open = await tx.query<OpenRequest>(
      `select requests.id, rule, projects.name as project, branch, machines.name as machine, since
       from requests join projects on projects.id = project_id join machines on machines.id = machine_id
       where answer is null and closed_at is null order by since`,
    );
    const fresh = open.filter(({ id }) => !told.has(id));
    if (fresh.length || told.size !== open.length)
      await tx.query('update settings set value = $2 where key = $1', [
        key,
        { ids: open.map(({ id }) => id) },
      ]);
    return fresh;
  });
}

function messageFor(hub: Hub, { id, rule, project, branch, machine, since }: OpenRequest): Message {
  return {
    kind: 'request',
    id,
    rule,
    project,
    branch: branch ?? '',
    machine,
    since: since.toISOString(),
    link: `${hub.publicUrl}/#waiting`,
  };
}

interface Posting {
  readonly way: 'webhook' | 'ntfy';
  readonly post: Parameters<typeof sendWithRetries>[0];
}

function postsFor(hub: Hub, { webhook, ntfy }: Reach, message: Message): Posting[] {
  return [
    ...(webhook ? [{ way: 'webhook', post: () => webhookPost(webhook, message, hub.clock()) } as const] : []),
    ...(ntfy ? [{ way: 'ntfy', post: () => ntfyPost(ntfy, message) } as const] : []),
  ];
}

async function attempt(hub: Hub, { way, post }: Posting, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  try {
    await sendWithRetries(post, signal);
    hub.metrics.add('reachSent');
  } catch (error) {
    if (signal.aborted) return;
    hub.metrics.add('reachFailed');
    const reason = error instanceof Error ? error.message : String(error);
    hub.log({ level: 'warn', message: `the ${way} could not be reached`, error: reason });
  }
}
