import { type Context, Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import { routes as decisions } from '../decisions/routes.js';
import type { Hub } from '../hub.js';
import { routes as machines } from '../machines/routes.js';
import { routes as people } from '../people/routes.js';
import { routes as reach } from '../reach/routes.js';
import { routes as requests } from '../requests/routes.js';
import { routes as stream } from '../stream/routes.js';
import { ApiError, answerError } from './errors.js';
import { securityHeaders } from './headers.js';
import { operations } from './operations.js';
import { checkHost } from './origin.js';
import { builtPage, page } from './page.js';
import { notSignedIn, whoAsks } from './who.js';

/** Everything that the hub serves. Each part declares its routes with their full path (`/api/v1/…`). */
export function createApp(hub: Hub, pageDirectory = builtPage): Hono {
  const app = new Hono();
  app.onError(answerError);
  app.use(async (c, next) => {
    const start = performance.now();
    c.set('hub', hub);
    await next();
    hub.metrics.request(routeOf(c), c.req.method, c.res.status, (performance.now() - start) / 1000);
  });
  app.use(securityHeaders(hub));
  app.route('/', operations(hub));
  app.use(async (c, next) => {
    checkHost(c);
    // PostgreSQL cannot store a zero byte in text, so such a URL matches nothing.
    if (c.req.url.includes('%00')) throw new ApiError(400, 'path', 'The URL has a zero byte in it.');
    await next();
  });
  for (const part of [people, machines, decisions, requests, stream, reach]) app.route('/', part(hub));
  app.route('/', page(pageDirectory));
  app.notFound(async (c) => {
    const { path } = c.req;
    // A client that is not signed in learns nothing about which routes exist.
    const isKnown = !path.startsWith('/api/') || (await whoAsks(c)) !== null;
    return answerError(isKnown ? new ApiError(404, 'not-found', `There is no ${path}.`) : notSignedIn(), c);
  });
  return app;
}

/** The route's pattern, so that /metrics has one line for all ids. */
function routeOf(c: Context): string {
  const isNamed = ({ path }: { path: string }) => /^\/(?:api\/|healthz$|metrics$)/.test(path);
  return matchedRoutes(c).find(isNamed)?.path ?? 'other';
}
