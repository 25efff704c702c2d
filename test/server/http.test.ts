import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EDIT, eventsIn } from '../e2e/events';
import { type HostDocument, makeRig, type Rig } from '../e2e/rig';
import { makeServerRig, type ServerRig } from './server-rig';

let rig: Rig;
let servers: ServerRig;
beforeEach(() => {
  rig = makeRig();
  servers = makeServerRig(rig);
});
afterEach(async () => {
  await servers.stop();
  rig.remove();
});

const token = (): string => readFileSync(join(rig.home, '.config/holdpoint/http-token'), 'utf8').trim();

async function post(event: HostDocument | string, shown = `Bearer ${token()}`): Promise<[number, string]> {
  const port = (await servers.status())?.http;
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { authorization: shown, 'content-type': 'application/json' },
    body: typeof event === 'string' ? event : JSON.stringify(event),
  });
  return [answer.status, await answer.text()];
}

it('answers what the hook would print, also what it leaves to a process of its own', async () => {
  await servers.serve(['--http', '0']);
  const event = eventsIn(rig).pre('Edit', EDIT, { tool_use_id: 'a' });
  const id = /why \w+/;
  const expected = rig.hook(event, { args: ['--host', 'claude-code'] }).stdout.replace(id, '');
  rig.write('.claude/requirements.local.yaml', '{}\n');
  for (const served of [0, 1]) {
    const [status, body] = await post(event);
    expect([status, body.replace(id, '')]).toEqual([200, expected]);
    expect((await servers.status())?.answered).toBe(served);
  }
  expect(await post(eventsIn(rig).pre('Read', EDIT))).toEqual([200, '']);
});

it('takes nothing from whoever does not show the token, which is the user’s alone', async () => {
  await servers.serve(['--http', '0']);
  expect(statSync(join(rig.home, '.config/holdpoint/http-token')).mode & 0o777).toBe(0o600);
  const event = eventsIn(rig).pre('Edit', EDIT);
  for (const shown of ['', 'Bearer ', `Bearer ${token()}x`, token()]) {
    expect(await post(event, shown)).toEqual([401, '']);
  }
});

it('does not start with a token that others have read', async () => {
  rig.writeHome('.config/holdpoint/http-token', 'a token that is known\n');
  chmodSync(join(rig.home, '.config/holdpoint/http-token'), 0o644);
  const started = servers.start(['--http', '0']);
  expect(await started.ended).toBe(1);
  expect(started.said()).toContain('mode 600');
  expect(await servers.status()).toBeUndefined();
});

it.each(['no JSON', '{"something":"else"}', ''])(
  'says that %j is no event, instead of letting it pass',
  async (text) => {
    await servers.serve(['--http', '0']);
    const { stderr } = rig.hookText(text, { args: ['--host', 'claude-code'] });
    expect(await post(text)).toEqual([400, `${JSON.stringify({ error: stderr.trim() })}\n`]);
  },
);

it('a stop that a loop holds is answered with the refusal, though the hook says it by its exit code', async () => {
  await servers.serve(['--http', '0']);
  rig.holdpoint(['loop', 'start', '--session', 's', 'go on']);
  const stop = { ...eventsIn(rig).stop(false), session_id: 's' };
  const [status, body] = await post(stop);
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ decision: 'block', reason: expect.stringContaining('ITERATION') });
});
