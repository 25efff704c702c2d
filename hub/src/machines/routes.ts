import { Hono } from 'hono';
import { readJson } from '../http/body.js';
import { ApiError } from '../http/errors.js';
import { addressOf } from '../http/origin.js';
import { machineOnly } from '../http/who.js';
import type { Hub } from '../hub.js';
import { Failures } from './failures.js';
import { join, joinShape } from './join.js';

export function routes(hub: Hub): Hono {
  const app = new Hono();
  const failures = new Failures();

  app.post('/api/v1/join', async (c) => {
    const address = addressOf(c);
    const now = hub.clock().getTime();
    if (failures.isLimited(address, now))
      throw new ApiError(429, 'attempts', 'Too many failed attempts. Try again in five minutes.', {
        'Retry-After': '300',
      });
    const { code, name } = await readJson(c, joinShape);
    try {
      return c.json(await join(hub, code, name));
    } catch (error) {
      if (error instanceof ApiError) failures.add(address, now);
      throw error;
    }
  });

  app.get('/api/v1/keys', machineOnly, (c) => {
    const { publicKey: key, chain } = hub.keys;
    return c.json({ key, chain });
  });

  return app;
}
