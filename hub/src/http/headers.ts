import type { MiddlewareHandler } from 'hono';
import type { Hub } from '../hub.js';

const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `connect-src 'self'`,
  `img-src 'self' data:`,
  `font-src 'self'`,
  `manifest-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** Headers of every response: no foreign resources, no embedding, no caching unless a route sets it. */
export function securityHeaders(hub: Hub): MiddlewareHandler {
  const always: [string, string][] = [
    ['content-security-policy', policy],
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
    ['x-frame-options', 'DENY'],
  ];
  if (hub.publicUrl.startsWith('https:')) always.push(['strict-transport-security', 'max-age=31536000']);
  return async (c, next) => {
    await next();
    const { headers } = c.res;
    for (const [name, value] of always) headers.set(name, value);
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
  };
}
