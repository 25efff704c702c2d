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
    hub.streams.track(c);
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
  const routes = app.routes.filter(({ method, path }) => method !== 'ALL' && path !== '/*');
  app.notFound(async (c) => answerError(await unanswered(c, routes), c));
  return app;
}

/** Why no route answered. A client that is not signed in learns nothing about which routes exist. */
async function unanswered(
  c: Context,
  routes: readonly { readonly method: string; readonly path: string }[],
): Promise<ApiError> {
  const { path, method } = c.req;
  if (path.startsWith('/api/') && !open.has(path) && !(await whoAsks(c))) return notSignedIn();
  const methods = routes.filter((route) => matches(route.path, path)).map((route) => route.method);
  if (!methods.length && !path.startsWith('/api/')) methods.push('GET');
  if (!methods.length) return new ApiError(404, 'not-found', `There is no ${path}.`);
  const allow = [...new Set(methods)].join(', ');
  return new ApiError(405, 'method', `${path} does not take ${method}, only ${allow}.`, { allow });
}

/** Paths that answer without credentials, so a wrong method there reveals nothing. */
const open = new Set(['/api/v1/login', '/api/v1/join', '/api/v1/setup']);

function matches(pattern: string, path: string): boolean {
  const parts = path.split('/');
  const wanted = pattern.split('/');
  return (
    parts.length === wanted.length && wanted.every((part, i) => part.startsWith(':') || part === parts[i])
  );
}

/** The route's pattern, so that /metrics has one line for all ids. */
function routeOf(c: Context): string {
  const isNamed = ({ path }: { path: string }) => /^\/(?:api\/|healthz$|metrics$)/.test(path);
  return matchedRoutes(c).find(isNamed)?.path ?? 'other';
}
