import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { notSignedIn, whoAsks } from '../http/who.js';
import type { Hub } from '../hub.js';
import { Connection } from './connection.js';
import { MachineFeed } from './machines.js';
import { PeopleFeed } from './people.js';

const beatMs = 15_000;

export function routes(hub: Hub): Hono {
  const app = new Hono();
  const people = new PeopleFeed(hub);
  const machines = new MachineFeed(hub);

  hub.fanout.subscribe((notice) => {
    people.heard(notice);
    machines.heard(notice);
  });
  setInterval(() => {
    people.send(': beat\n\n');
    machines.sendComment(': beat\n\n');
  }, beatMs).unref();

  app.get('/api/v1/stream', async (c) => {
    const who = await whoAsks(c);
    if (!who) throw notSignedIn();
    const headers = {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    };
    // Nobody would read or end the stream of a HEAD request.
    if (c.req.method === 'HEAD') return c.body(null, 200, headers);
    const machine = 'machine' in who ? who.machine : null;
    const connection = new Connection(
      () => {
        hub.streams.remove(connection);
        if (machine === null) people.remove(connection);
        else machines.remove(machine, connection);
      },
      () => (c.env as HttpBindings).outgoing.destroy(),
    );
    hub.streams.add(connection, c.get('credential'));
    connection.send('retry: 1000\n\n');
    if (machine === null) people.add(connection);
    else machines.add(machine, connection);
    return new Response(connection.body, { headers });
  });

  return app;
}
