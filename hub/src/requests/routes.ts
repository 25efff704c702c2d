import { Hono } from 'hono';
import { readCursor, readLimit, writeCursor } from '../decisions/cursor.js';
import { readJson } from '../http/body.js';
import { machineOnly, personOnly } from '../http/who.js';
import type { Hub } from '../hub.js';
import { answerRequest, answerShape, confirmAnswer, pendingAnswers } from './answer.js';
import { closeRequest, openRequest, requestShape } from './open.js';
import { listWaiting } from './rows.js';

export function routes(hub: Hub): Hono {
  const app = new Hono();

  app.post('/api/v1/requests', machineOnly, async (c) => {
    const asked = await readJson(c, requestShape);
    return c.json(await openRequest(hub.db, c.var.machine, asked));
  });

  app.post('/api/v1/requests/:id/close', machineOnly, async (c) => {
    await closeRequest(hub.db, c.var.machine, c.req.param('id'));
    return c.body(null, 204);
  });

  app.post('/api/v1/requests/:id/received', machineOnly, async (c) => {
    await confirmAnswer(hub, c.var.machine, c.req.param('id'));
    return c.body(null, 204);
  });

  app.get('/api/v1/approvals', machineOnly, async (c) => {
    const place = readCursor(c.req.query('since'));
    const pending = await pendingAnswers(
      hub,
      [c.var.machine],
      place ? [new Date(place[0]), place[1]] : undefined,
    );
    const last = pending.at(-1);
    return c.json({
      items: pending.map(({ delivery }) => delivery),
      next: last ? writeCursor([last.answeredAt.toISOString(), last.delivery.id]) : null,
    });
  });

  app.get('/api/v1/waiting', personOnly('viewer'), async (c) => {
    const { limit, before } = c.req.query();
    return c.json(await listWaiting(hub.db, readLimit(limit, 100, 500), readCursor(before)));
  });

  app.post('/api/v1/requests/:id', personOnly('approver'), async (c) => {
    const given = await readJson(c, answerShape);
    await answerRequest(hub, c.var.person, c.req.param('id'), given);
    return c.json({ id: c.req.param('id'), answer: given.answer });
  });

  return app;
}
