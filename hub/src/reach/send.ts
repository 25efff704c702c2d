import { createHmac } from 'node:crypto';
import { lookup as systemLookup } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Reach } from './settings.js';

/** A message to people. Names only: no plan, no changes, no secret. */
export interface Message {
  readonly kind: 'request' | 'test';
  readonly id: string;
  readonly rule: string;
  readonly project: string;
  readonly branch: string;
  readonly machine: string;
  readonly since: string;
  /** Where to answer it. */
  readonly link: string;
}

const timeout = 5000;
/** Pauses before the second and the third try. */
const pauses = [500, 2000] as const;

interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Tries three times, then throws the last failure; stops early if the signal aborts. */
export async function sendWithRetries(post: () => Post, signal: AbortSignal): Promise<void> {
  for (const pause of pauses) {
    try {
      return await send(post(), signal);
    } catch (error) {
      if (signal.aborted || error instanceof Refused) throw error;
      await wait(pause, undefined, { signal });
    }
  }
  await send(post(), signal);
}

export function webhookPost(webhook: NonNullable<Reach['webhook']>, message: Message, now: Date): Post {
  const body = JSON.stringify({ v: 1, text: sentence(message), ...message });
  const t = Math.floor(now.getTime() / 1000);
  const signature = createHmac('sha256', webhook.secret).update(`${t}.${body}`).digest('hex');
  return {
    url: webhook.url,
    body,
    headers: { 'content-type': 'application/json', 'x-holdpoint-signature': `t=${t},v1=${signature}` },
  };
}

export function ntfyPost(ntfy: NonNullable<Reach['ntfy']>, message: Message): Post {
  return {
    url: ntfy.url,
    body: sentence(message),
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      title: message.kind === 'test' ? 'Holdpoint: test' : 'Holdpoint: approval needed',
      click: message.link,
      priority: message.kind === 'test' ? 'default' : 'high',
      tags: 'raised_hand',
      ...(ntfy.token && { authorization: `Bearer ${ntfy.token}` }),
    },
  };
}

function sentence({ kind, rule, project, branch }: Message): string {
  if (kind === 'test') return 'Messages from Holdpoint arrive here.';
  return `${rule} waits for a person in ${project}${branch && ` on ${branch}`}.`;
}

/** A failure that a retry does not change. */
class Refused extends Error {}

/** One try. Does not follow redirects: only the host that an admin gave is contacted. */
export function send({ url, body, headers }: Post, signal?: AbortSignal): Promise<void> {
  const target = new URL(url);
  const host = target.hostname.replace(/^\[|\]$/g, '');
  // An IP address needs no lookup, so `safeLookup` never sees it.
  if (isIP(host) && isBlocked(host)) return Promise.reject(new Refused(`${host} is not allowed.`));
  const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      target,
      {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body), 'user-agent': 'holdpoint-hub' },
        lookup: safeLookup,
        agent: false,
        ...(signal && { signal }),
      },
      (answer) => {
        answer.destroy();
        const status = answer.statusCode ?? 0;
        if (status >= 200 && status < 300) resolve();
        else reject(new (retryable(status) ? Error : Refused)(`The other side answered with ${status}.`));
      },
    );
    // A limit for the whole exchange; the socket's own timeout restarts with every byte.
    const timer = setTimeout(() => outgoing.destroy(new Error('No answer within 5 s.')), timeout);
    outgoing.on('close', () => clearTimeout(timer));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function retryable(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

const blocked = new BlockList();
blocked.addSubnet('169.254.0.0', 16, 'ipv4');
blocked.addSubnet('fe80::', 10, 'ipv6');
blocked.addAddress('fd00:ec2::254', 'ipv6');
blocked.addAddress('100.100.100.200', 'ipv4');
blocked.addAddress('168.63.129.16', 'ipv4');

/**
 * Refuses names that resolve to link-local or metadata addresses. Checks the very address that is then used.
 */
export const safeLookup: LookupFunction = (hostname, options, callback) => {
  systemLookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const bad = addresses.find(({ address }) => isBlocked(address));
    if (bad)
      return callback(new Refused(`${hostname} leads to ${bad.address}, which is not allowed.`), '', 0);
    if (options.all) return callback(null, addresses);
    const [first] = addresses;
    callback(null, first?.address ?? '', first?.family ?? 0);
  });
};

export function isBlocked(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return blocked.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}
