import { Hono } from 'hono';
import { routes as decisions } from '../decisions/routes.js';
import type { Hub } from '../hub.js';
import { routes as machines } from '../machines/routes.js';
import { routes as people } from '../people/routes.js';
import { routes as reach } from '../reach/routes.js';
import { routes as requests } from '../requests/routes.js';
import { routes as stream } from '../stream/routes.js';
import { answerError } from './errors.js';

/** Everything that the hub answers. Each part names its routes with their full path (`/api/v1/…`). */
export function createApp(hub: Hub): Hono {
  const app = new Hono();
  app.onError(answerError);
  app.use(async (c, next) => {
    c.set('hub', hub);
    await next();
  });
  for (const part of [people, machines, decisions, requests, stream, reach]) app.route('/', part(hub));
  return app;
}
