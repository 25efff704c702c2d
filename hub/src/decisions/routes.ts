import { type Context, Hono } from 'hono';
import * as v from 'valibot';
import { readJson } from '../http/body.js';
import { ApiError } from '../http/errors.js';
import { machineOnly, personOnly } from '../http/who.js';
import type { Hub } from '../hub.js';
import { readCursor, readLimit, readNumberCursor } from './cursor.js';
import { openIngest } from './ingest.js';
import { listDecisions, listRuns, listSessions, wholeDecision } from './lists.js';
import { markDecision, markShape } from './marks.js';
import { openRuleStatistics } from './rule-statistics.js';
import { saveSessions, sessionsShape } from './session-reports.js';
import { batchShape } from './shape.js';

export function routes(hub: Hub): Hono {
  const app = new Hono();
  const ingest = openIngest(hub);
  const rules = openRuleStatistics(hub);

  app.post('/api/v1/decisions', machineOnly, async (c) => {
    const { decisions } = await readJson(c, batchShape);
    return c.json(await ingest(c.var.machine, decisions));
  });

  app.post('/api/v1/sessions', machineOnly, async (c) => {
    const { sessions } = await readJson(c, sessionsShape);
    await saveSessions(hub.db, c.var.machine, sessions);
    return c.body(null, 204);
  });

  app.get('/api/v1/decisions', personOnly('viewer'), async (c) => {
    const { rule, held, before } = c.req.query();
    const filters = { ...filtersOf(c), before: readNumberCursor(before) };
    return c.json(await listDecisions(hub.db, { ...filters, rule, held: isSet(held) }));
  });

  app.get('/api/v1/decisions/:machine/:id', personOnly('viewer'), async (c) => {
    const found = await wholeDecision(hub.db, c.req.param('machine'), c.req.param('id'));
    if (!found) throw new ApiError(404, 'unknown', 'No such decision.');
    return c.json(found);
  });

  app.post('/api/v1/decisions/:machine/:id/mark', personOnly('approver'), async (c) => {
    const { mark } = await readJson(c, markShape);
    await markDecision(hub.db, c.var.person, c.req.param('machine'), c.req.param('id'), mark);
    return c.json({ mark });
  });

  app.get('/api/v1/sessions', personOnly('viewer'), async (c) =>
    c.json(await listSessions(hub.db, { ...filtersOf(c), live: isSet(c.req.query('live')) })),
  );

  app.get('/api/v1/runs', personOnly('viewer'), async (c) => c.json(await listRuns(hub.db, filtersOf(c))));

  app.get('/api/v1/rules', personOnly('viewer'), async (c) => {
    const { since, project } = c.req.query();
    return c.json({ items: await rules(since, project), next: null });
  });

  return app;
}

function filtersOf(c: Context) {
  const { limit, before, project, machine, session } = c.req.query();
  return { limit: readLimit(limit, 100, 500), before: readCursor(before), project, machine, session };
}

function isSet(value: string | undefined): boolean {
  if (value === undefined || v.is(v.picklist(['', '0', 'false']), value)) return false;
  return true;
}
