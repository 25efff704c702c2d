import type { Context } from 'hono';
import { ApiError } from './errors.js';

const loopback = new Set(['localhost', '127.0.0.1', '::1']);

/** Refuses changes that another site's page sends. Browsers name the page's origin with every change. */
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

/** The origins under which this request's page may have been opened. */
function ownOrigins(c: Context): string[] {
  const { publicUrl, behindProxy } = c.var.hub;
  const host = c.req.header('host') ?? '';
  const direct = !behindProxy || loopback.has(hostName(host));
  return [new URL(publicUrl).origin, ...(direct ? [`http://${host}`] : [])];
}

/** Refuses a Host that is not ours: another name that was made to point here (DNS rebinding). */
export function checkHost(c: Context): void {
  const { host, publicUrl } = c.var.hub;
  const name = hostName(c.req.header('host') ?? '');
  const local = plainAddress((c.env as NodeEnv | undefined)?.incoming?.socket.localAddress);
  if (loopback.has(name) || name === host || name === local || name === hostName(new URL(publicUrl).host))
    return;
  throw new ApiError(
    421,
    'host',
    `This hub does not answer as ${JSON.stringify(name)}. Start it with --public-url to give it that name.`,
  );
}

interface NodeEnv {
  readonly incoming?: {
    readonly socket: { readonly localAddress?: string; readonly remoteAddress?: string };
  };
}

/** Where the request comes from; a proxy's word counts only where one was announced. */
export function addressOf(c: Context): string {
  const forwarded = c.var.hub.behindProxy ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : '';
  return (
    forwarded || plainAddress((c.env as NodeEnv | undefined)?.incoming?.socket.remoteAddress) || 'unknown'
  );
}

function plainAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:/, '');
}

/** `[::1]:4610` → `::1`, `Localhost:4610` → `localhost`. */
function hostName(host: string): string {
  const name = /^\[([^\]]*)\](?::\d+)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '');
  return name.toLowerCase().replace(/\.$/, '');
}
