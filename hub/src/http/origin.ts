import { isIPv4, isIPv6 } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { ApiError } from './errors.js';

const loopback = new Set(['localhost', '127.0.0.1', '::1']);

/** Refuses changes sent by another site's page. Browsers send the page's origin with every change. */
export function checkOrigin(c: Context, mode: 'required' | 'optional'): void {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return;
  const origin = c.req.header('origin');
  if (origin === undefined && mode === 'optional') return;
  if (origin === undefined || !ownOrigins(c).includes(origin))
    throw new ApiError(
      403,
      'origin',
      `Changes are accepted only from the hub's own page, ${c.var.hub.publicUrl}.`,
    );
}

/** The origins under which the page of this request may have been opened. */
function ownOrigins(c: Context): string[] {
  const { publicUrl, behindProxy } = c.var.hub;
  const host = c.req.header('host') ?? '';
  const direct = !behindProxy || loopback.has(hostName(host));
  return [new URL(publicUrl).origin, ...(direct ? [`http://${host}`] : [])];
}

/** Refuses a foreign Host: another name that was made to point here (DNS rebinding). */
export function checkHost(c: Context): void {
  const { host, publicUrl } = c.var.hub;
  const name = hostName(c.req.header('host') ?? '');
  const local = plainAddress((c.env as HttpBindings).incoming.socket.localAddress);
  if (loopback.has(name) || name === host || name === local || name === hostName(new URL(publicUrl).host))
    return;
  throw new ApiError(
    421,
    'host',
    `This hub does not answer as ${JSON.stringify(name)}. Start it with --public-url to give it that name.`,
  );
}

/**
 * The client's address, for rate limits; X-Forwarded-For counts only if a proxy was announced. Addresses that
 * one machine can choose from count as one: all of loopback, and a /64 of IPv6.
 */
export function addressOf(c: Context): string {
  const forwarded = c.var.hub.behindProxy ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : '';
  const { remoteAddress } = (c.env as HttpBindings).incoming.socket;
  const address = plainAddress(forwarded || remoteAddress) ?? '';
  if (isIPv4(address)) return address.startsWith('127.') ? 'loopback' : address;
  if (!isIPv6(address)) return 'unknown';
  return address === '::1' ? 'loopback' : `${network(address)}::/64`;
}

/** The first four groups of an IPv6 address. */
function network(address: string): string {
  const [front = '', back] = (address.split('%')[0] ?? '').split('::');
  const first = front ? front.split(':') : [];
  const last = back ? back.split(':') : [];
  const zeros = back === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...last].slice(0, 4).join(':');
}

function plainAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:/, '');
}

/** `[::1]:4610` → `::1`, `Localhost:4610` → `localhost`. */
function hostName(host: string): string {
  const name = /^\[([^\]]*)\](?::\d+)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '');
  return name.toLowerCase().replace(/\.$/, '');
}
