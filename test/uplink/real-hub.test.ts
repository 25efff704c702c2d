import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json';
import { endServer } from '../../src/server/control';
import { EDIT, eventsIn } from '../e2e/events';
import { commandFile } from '../e2e/rig';
import { STRESS } from '../stress';
import { isHeld, type Machine, machine, until } from './rig';

/** The hub of this repository, where it was built. */
const HUB =
  process.env['HOLDPOINT_TEST_HUB'] ?? fileURLToPath(new URL('../../hub/dist/main.mjs', import.meta.url));

const CONFIG = `requirements:
  signed: {enabled: true, trigger_tools: [Edit], approval: hub, description: Show the plan.}
  other: {enabled: true, trigger_tools: [MultiEdit], approval: hub, approval_ttl: 8h}
  plan: {enabled: true, trigger_tools: [Write]}
`;

describe.skipIf(!existsSync(HUB))('with the hub of this repository', () => {
  let here: Machine;
  let hub: ChildProcess;
  let url = '';
  let cookie = '';
  let env: Record<string, string>;

  const run = (...args: string[]): ChildProcess =>
    spawn(process.execPath, [...args, '--data', join(here.dir, 'hub')], {
      cwd: here.repo,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  const startHub = async (...program: string[]): Promise<JsonObject> => {
    const port = url === '' ? '0' : new URL(url).port;
    hub = run(...program, '--port', port, '--key', join(here.dir, 'signing.key'), '--json');
    const [line] = await once(createInterface({ input: hub.stdout as NodeJS.ReadableStream }), 'line');
    return JSON.parse(line as string) as JsonObject;
  };
  const person = async (path: string, body?: object): Promise<JsonObject> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      // A connection that is kept may be closed by the hub while this process waits for a command.
      headers: { cookie, origin: url, 'content-type': 'application/json', connection: 'close' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return (await response.json()) as JsonObject;
  };
  const items = async (path: string): Promise<JsonObject[]> => {
    const { items: found } = await person(path);
    return found as unknown as JsonObject[];
  };

  beforeAll(async () => {
    here = machine(CONFIG);
    const bin = join(here.dir, 'bin');
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'holdpoint-hub'),
      `#!/bin/sh\nexec '${process.execPath}' --liftoff-only '${HUB}' "$@"\n`,
    );
    chmodSync(join(bin, 'holdpoint-hub'), 0o755);
    env = { ...here.environment(here.env), PATH: `${bin}:${process.env['PATH']}` };
    // A person's act, as long as no agent is above it.
    const own = [commandFile('holdpoint'), 'hub'];
    const first = await startHub(...own);
    url = String(first['url']);
    await until(() => existsSync(join(here.home, '.config/holdpoint/hub.json')));
    const user = run(...own, 'user', 'add', 'ana', '--role', 'approver', '--passphrase-stdin');
    user.stdin?.end('correct horse battery\n');
    expect(await once(user, 'exit')).toEqual([0, null]);
    await person('/login', { name: 'ana', passphrase: 'correct horse battery' });
  });
  afterAll(async () => {
    await endServer(join(here.dir, 'run', 's'));
    hub.kill('SIGTERM');
    await once(hub, 'exit');
    here.remove();
  });

  const waitingFor = (rule: string): Promise<JsonObject> =>
    until(async () => (await items('/waiting')).find((one) => one['rule'] === rule));

  it('a wrong argument is told by the command that was typed', () => {
    const words = [commandFile('holdpoint'), 'hub', 'user', 'add'];
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: here.repo, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('See holdpoint hub --help.')]);
  });

  it('an agent that is held is shown, and goes on once it is approved', async () => {
    here.event(eventsIn(here).start('startup'));
    expect(here.edit().stdout).toContain(url);
    const request = await waitingFor('signed');
    expect(request).toMatchObject({ description: 'Show the plan.', branch: 'feature/auth' });
    await person(`/requests/${request['id']}`, { answer: 'approve' });
    await until(() => !isHeld(here.edit()));
    expect(await items('/waiting')).toEqual([]);
  });

  it('a rejection is read by the agent, and a rotated key goes on', async () => {
    const multi = () => here.event(eventsIn(here).pre('MultiEdit', EDIT));
    multi();
    const request = await waitingFor('other');
    await person(`/requests/${request['id']}`, { answer: 'reject', note: 'split it' });
    await until(() => multi().stdout.includes('Rejected by a person: split it'));
    const rotate = run(HUB, 'rotate-key');
    expect(await once(rotate, 'exit')).toEqual([0, null]);
    const again = await waitingFor('other');
    expect(again['id']).not.toBe(request['id']);
    await person(`/requests/${again['id']}`, { answer: 'approve' });
    await until(() => !isHeld(multi()));
    expect(isHeld(here.edit())).toBe(false);
  });

  it.runIf(STRESS)('hub and server ended at random: every decision is there once (stress)', async () => {
    // By SIGTERM the command ends its hub as well.
    hub.kill('SIGTERM');
    await once(hub, 'exit');
    await startHub(HUB);
    for (let turn = 0; turn < 50; turn++) {
      for (const id of ['a', 'b', 'c'])
        here.event(eventsIn(here).pre('Write', EDIT, { tool_use_id: `${turn}${id}` }));
      await after(Math.random() * 500);
      if (turn % 2 === 1) {
        hub.kill('SIGKILL');
        await once(hub, 'exit');
        await startHub(HUB);
      } else {
        await endServer(join(here.dir, 'run', 's'));
        here.event(eventsIn(here).start('resume'));
      }
    }
    const journal = readFileSync(join(here.repo, '.git/holdpoint/journal.jsonl'), 'utf8')
      .split('\n')
      .filter(Boolean);
    const ids = [...new Set(journal.map((line) => String(JSON.parse(line).id)))].sort();
    const shown = await until(async () => {
      const rows = (await items('/decisions?limit=500')).map((one) => String(one['id']));
      return ids.every((id) => rows.includes(id)) && rows;
    });
    expect([...shown].sort()).toEqual(ids);
  });
});
