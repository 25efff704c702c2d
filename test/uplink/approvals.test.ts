import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json';
import { satisfyRoot } from '../../src/guards/requirements/state';
import { EDIT, eventsIn, KEY, OTHER_SESSION } from '../e2e/events';
import { at } from '../e2e/rig';
import { type Asked, type FakeHub, fakeHub, isHeld, type Machine, machine, until } from './rig';

const CONFIG = `requirements:
  signed: {enabled: true, trigger_tools: [Edit], approval: hub, description: Show the plan and wait.}
  other: {enabled: true, trigger_tools: [Write], approval: hub}
  branchwise: {enabled: true, trigger_tools: [MultiEdit], approval: hub, scope: branch}
  once: {enabled: true, trigger_tools: [Bash], approval: hub, scope: single_use}
  short: {enabled: true, trigger_tools: [NotebookEdit], approval: hub, approval_ttl: 8s}
  reserved: {enabled: true, trigger_tools: [Read], agent_may_satisfy: false}
`;
const STATE = '.git/requirements/feature-auth.json';

let hub: FakeHub;
let here: Machine;
beforeAll(async () => {
  hub = await fakeHub();
});
afterAll(() => hub.end());
afterEach(() => here.remove());

async function joined(config = CONFIG): Promise<void> {
  here = machine(config);
  expect(await here.join(hub)).toMatchObject({ exitCode: 0, stderr: '' });
}

const call = (tool: string, more = {}) =>
  here.event(eventsIn(here).pre(tool, tool === 'Bash' ? { command: 'make' } : EDIT, more));
const isOpen = (tool: string, more = {}): boolean => isHeld(call(tool, more));

/** Has a call held, and the hub hear of it. */
async function asked(tool = 'Edit', rule = 'signed', more = {}): Promise<Asked> {
  expect(isOpen(tool, more)).toBe(true);
  expect(here.sync()).toMatchObject({ exitCode: 0 });
  const { requests } = await hub.state();
  const found = requests.findLast((one) => one.rule === rule);
  if (found === undefined) throw new Error(`nobody asked for ${rule}`);
  return found;
}

describe('a rule that only the hub can approve', () => {
  it('says that the machine has to join, and after that where to approve', async () => {
    here = machine(CONFIG);
    expect(here.edit().stdout).toMatch(/has not joined one\. A person has to run `holdpoint join URL CODE`/);
    await here.join(hub);
    expect(here.edit({ tool_use_id: 'again' }).stdout).toContain(`the hub's page (${hub.url})`);
    expect(here.holdpoint(['approve', 'signed'], { env: here.env })).toMatchObject({ exitCode: 1 });
    const { stdout } = here.holdpoint(['waiting'], { env: here.env });
    expect(stdout).toMatch(/^ {2}signed .*only on the hub's page/);
    expect(stdout).not.toContain('holdpoint approve');
    expect(isOpen('Edit')).toBe(true);
  });

  it('sends what is asked, and lets the agent go once a person has approved', async () => {
    await joined();
    here.write('new.txt', 'x\n');
    const request = await asked();
    expect(request).toMatchObject({
      rule: 'signed',
      description: 'Show the plan and wait.',
      scope: 'session',
      branch: 'feature/auth',
      changes: { names: expect.arrayContaining(['new.txt']) },
      digest: expect.stringMatching(/^place:[0-9a-f]{64}$/),
    });
    await hub.tell('answer', { id: request.id });
    here.sync();
    expect(isOpen('Edit')).toBe(false);
    const after = await hub.state();
    expect(after.requests.find(({ id }) => id === request.id)).toMatchObject({ received: true });
    expect(at(here.readJson(STATE), 'requirements', 'signed', 'sessions', KEY)).toMatchObject({
      actor: 'person',
      channel: 'hub',
    });
    expect(here.holdpoint(['log']).stdout).toMatch(/approve .*signed by a person on the hub/);
    here.sync();
    expect((await hub.state()).decisions.find((one) => one['event'] === 'approve')).toMatchObject({
      actor: 'person',
      channel: 'hub',
      by: 'ana',
    });
  });

  it('tells the agent of a rejection, and asks anew at the next attempt', async () => {
    await joined();
    const request = await asked();
    await hub.tell('answer', { id: request.id, answer: 'reject', note: 'use the existing parser' });
    here.sync();
    expect(here.edit().stdout).toContain('Rejected by a person: use the existing parser');
    const again = await asked();
    expect(again.id).not.toBe(request.id);
  });

  it('ends with `approval_ttl`', async () => {
    await joined();
    const request = await asked('NotebookEdit', 'short');
    expect(request).toMatchObject({ ttl: 8 });
    await hub.tell('answer', { id: request.id });
    here.sync();
    expect(isOpen('NotebookEdit')).toBe(false);
    await until(() => isOpen('NotebookEdit'));
  });

  it('is approved for one call, and not again when that is put back', async () => {
    await joined();
    const request = await asked('Bash', 'once');
    await hub.tell('answer', { id: request.id });
    here.sync();
    const before = readFileSync(join(here.repo, STATE), 'utf8');
    expect(isOpen('Bash', { tool_use_id: 'toolu_1' })).toBe(false);
    here.event(eventsIn(here).post('Bash', { command: 'make' }, { tool_use_id: 'toolu_1' }));
    expect(isOpen('Bash', { tool_use_id: 'toolu_2' })).toBe(true);
    writeFileSync(join(here.repo, STATE), before);
    expect(isOpen('Bash', { tool_use_id: 'toolu_3' })).toBe(true);
  });

  it('stays held when the machine leaves, and does not come back with another machine id', async () => {
    await joined();
    const request = await asked();
    await hub.tell('answer', { id: request.id });
    here.sync();
    expect(isOpen('Edit')).toBe(false);
    expect(here.holdpoint(['leave'], { env: here.env })).toMatchObject({ exitCode: 0 });
    expect(here.edit().stdout).toMatch(/has not joined one/);
    await here.join(hub);
    expect(isOpen('Edit')).toBe(true);
  });

  it('what is reserved for people can be approved on the page too', async () => {
    await joined();
    const request = await asked('Read', 'reserved');
    await hub.tell('answer', { id: request.id });
    here.sync();
    expect(isOpen('Read')).toBe(false);
  });

  it('is approved in a linked work tree whose config alone has the rule', async () => {
    await joined();
    here.git('add', '.');
    here.git('commit', '-qm', 'config');
    const tree = join(here.dir, 'tree');
    here.git('worktree', 'add', '-q', '-b', 'stricter', tree);
    writeFileSync(
      join(tree, '.holdpoint/config.yaml'),
      `${CONFIG}  newer: {enabled: true, trigger_tools: [Glob], approval: hub}\n`,
    );
    here.event(eventsIn(here).start('startup'));
    const there = { cwd: tree, session_id: OTHER_SESSION };
    const { id } = await asked('Glob', 'newer', there);
    await hub.tell('answer', { id });
    here.sync();
    expect(isOpen('Glob', there)).toBe(false);
  });

  it('is approved also where the uplink has forgotten what it asked', async () => {
    await joined();
    const { id } = await asked();
    await hub.tell('answer', { id });
    rmSync(join(here.home, '.config/holdpoint/uplink/state.json'));
    here.sync();
    expect(isOpen('Edit')).toBe(false);
  });

  it('is asked for however long its description and its `approval_ttl` are', async () => {
    await joined(`requirements:
  long: {enabled: true, trigger_tools: [Edit], approval: hub, approval_ttl: 999999h, description: ${'x'.repeat(12_000)}}
`);
    const { description, ttl } = await asked('Edit', 'long');
    expect(String(description)).toHaveLength(10_000);
    expect(ttl).toBe(10 * 366 * 86_400);
  });
});

describe('what does not count', () => {
  const forged: readonly (readonly [what: string, body: object])[] = [
    ['another key', { by: 'stranger' }],
    ['another machine', { over: { machine: 'elsewhere' } }],
    ['another project', { over: { project: 'elsewhere' } }],
    ['another place', { over: { digest: `place:${'0'.repeat(64)}` } }],
    ['no place', { over: { digest: '' } }],
    ['another rule', { over: { rule: 'other' } }],
    ['another scope', { over: { scope: 'permanent' } }],
    ['another session', { over: { session: OTHER_SESSION } }],
    ['what is over', { over: { until: '2020-01-01T00:00:00.000Z' } }],
    ['another version', { over: { v: 2 } }],
    ['another kind', { over: { kind: 'key' } }],
    ['another request', { over: { request: 'another' } }],
  ];
  it('statements about something else, or of somebody else', async () => {
    await joined();
    for (const [what, body] of forged) {
      const { id } = await asked();
      await hub.tell('answer', { id, ...body });
      here.sync();
      expect([what, isOpen('Edit')]).toEqual([what, true]);
    }
  });

  it('an approval that is over for a fast clock: the status says why the agent is still held', async () => {
    await joined();
    const { id } = await asked('NotebookEdit', 'short');
    await hub.tell('answer', { id, over: { until: new Date(Date.now() - 1000).toISOString() } });
    here.sync();
    expect(isOpen('NotebookEdit')).toBe(true);
    const { stdout } = here.holdpoint(['hub', 'status'], { env: here.env });
    expect(stdout).toContain(
      `Last ignored: the answer ${id} does not count: its time is over, by this machine's clock.`,
    );
  });

  it('a statement for a branch on another one, a changed one, and a signature of something else', async () => {
    await joined();
    const request = await asked('MultiEdit', 'branchwise');
    await hub.tell('answer', { id: request.id, over: { branch: 'other' } });
    here.sync();
    expect(isOpen('MultiEdit')).toBe(true);
    const { id } = await asked();
    const delivery = await hub.tell('answer', { id, silent: true });
    const changed = String(delivery['statement']).replace('"by":"ana"', '"by":"bob"');
    for (const data of [
      { ...delivery, statement: changed },
      { ...delivery, signature: Buffer.alloc(64).toString('base64') },
    ]) {
      await hub.tell('deliver', { id, data });
      here.sync();
      expect(isOpen('Edit')).toBe(true);
    }
    await hub.tell('deliver', { id, data: delivery });
    here.sync();
    expect(isOpen('Edit')).toBe(false);
  });

  it('an approval that was copied: to another rule, session, branch, project, or written by hand', async () => {
    await joined();
    const request = await asked();
    await hub.tell('answer', { id: request.id });
    here.sync();
    expect(isOpen('Edit')).toBe(false);
    const state = here.readJson(STATE) as {
      requirements: Record<string, { sessions: Record<string, object> }>;
    };
    const own = state.requirements['signed']?.sessions[KEY] as { metadata: object };
    const other = OTHER_SESSION.replaceAll('-', '').slice(0, 8);
    const { metadata: _, ...byHand } = own;
    const entry = (one: object) => ({ ...one, scope: 'session', sessions: { [KEY]: one, [other]: one } });
    const requirements = {
      ...state.requirements,
      signed: { ...state.requirements['signed'], sessions: { [KEY]: own, [other]: own } },
      other: entry(own),
      branchwise: { ...own, scope: 'branch', sessions: {} },
      once: entry(byHand),
    };
    writeFileSync(join(here.repo, STATE), JSON.stringify({ ...state, requirements }));
    expect(isOpen('Edit')).toBe(false);
    expect(isOpen('Edit', { session_id: OTHER_SESSION })).toBe(true);
    for (const tool of ['Write', 'MultiEdit', 'Bash']) expect([tool, isOpen(tool)]).toEqual([tool, true]);
    const copy = join(here.dir, 'copy');
    cpSync(here.repo, copy, { recursive: true });
    expect(isOpen('Edit', { cwd: copy })).toBe(true);
    here.git('switch', '-q', '-c', 'elsewhere');
    expect(isOpen('MultiEdit')).toBe(true);
  });

  it('the same answer once more, after a new request for the same', async () => {
    await joined();
    const first = await asked();
    const delivery = await hub.tell('answer', { id: first.id, answer: 'reject', note: 'no' });
    here.sync();
    const again = await asked();
    await hub.tell('deliver', { id: again.id, data: delivery });
    here.sync();
    expect((await hub.state()).requests.find(({ id }) => id === again.id)).not.toMatchObject({
      closed: true,
    });
    const approved = await hub.tell('answer', { id: again.id });
    here.sync();
    expect(isOpen('Edit')).toBe(false);
    here.event(eventsIn(here).end());
    writeFileSync(join(here.repo, STATE), '{}');
    await hub.tell('deliver', { id: again.id, data: approved });
    here.sync();
    expect(isOpen('Edit')).toBe(true);
  });
});

describe('what an agent asks with the token, or writes by hand', () => {
  it('what the rule says and what has changed come from the project itself', async () => {
    await joined();
    expect(isOpen('Edit')).toBe(true);
    const elsewhere = join(here.tmp, 'calm');
    mkdirSync(join(elsewhere, '.holdpoint'), { recursive: true });
    writeFileSync(
      join(elsewhere, '.holdpoint/config.yaml'),
      CONFIG.replace('approval: hub', 'approval: hub, approval_ttl: 900h'),
    );
    const file = join(here.repo, '.git/holdpoint/approvals.json');
    const { requests, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as { requests: object[] };
    const forged = requests.map((one) => ({ ...one, description: 'Mends a typo.', project: elsewhere }));
    writeFileSync(file, JSON.stringify({ ...rest, requests: forged }));
    here.write('new.txt', 'x\n');
    const request = await asked();
    expect(request).toMatchObject({
      description: 'Show the plan and wait.',
      changes: { names: expect.arrayContaining(['new.txt']) },
    });
    expect(request).not.toHaveProperty('ttl');
  });

  it('an approval without an end ends with the `approval_ttl` of the rule', async () => {
    await joined();
    const { id } = await asked('NotebookEdit', 'short');
    await hub.tell('answer', { id, over: { until: null, at: new Date(Date.now() - 9000).toISOString() } });
    here.sync();
    expect(isOpen('NotebookEdit')).toBe(true);
  });

  it('what a person has cleared does not count when it is put back', async () => {
    await joined();
    for (const [tool, rule] of [
      ['Edit', 'signed'],
      ['MultiEdit', 'branchwise'],
    ] as const) {
      await hub.tell('answer', { id: (await asked(tool, rule)).id });
      here.sync();
      expect([rule, isOpen(tool)]).toEqual([rule, false]);
    }
    const before = readFileSync(join(here.repo, STATE), 'utf8');
    expect(here.req(['clear', 'signed'], { env: here.env })).toMatchObject({ exitCode: 0 });
    writeFileSync(join(here.repo, STATE), before);
    expect([isOpen('Edit'), isOpen('MultiEdit')]).toEqual([true, false]);
  });
});

describe('an approval for one call', () => {
  /** How many calls go through, with the state put back at each. */
  function passes(event: 'post' | 'postFailure', putBack: () => void): number {
    const ids = ['toolu_1', 'toolu_2', 'toolu_3'];
    const firstHeld = ids.findIndex((tool_use_id) => {
      if (isOpen('Bash', { tool_use_id })) return true;
      putBack();
      here.event(eventsIn(here)[event]('Bash', { command: 'make' }, { tool_use_id, error: 'Exit code 1' }));
      putBack();
      return false;
    });
    return firstHeld < 0 ? ids.length : firstHeld;
  }
  async function approvedOnce(): Promise<string> {
    await joined();
    await hub.tell('answer', { id: (await asked('Bash', 'once')).id });
    here.sync();
    return readFileSync(join(here.repo, STATE), 'utf8');
  }

  it('is used by a command that fails, since nobody can tell what it did before', async () => {
    await approvedOnce();
    expect(passes('postFailure', () => {})).toBe(1);
  });

  it('is used also where a failing command puts the state back', async () => {
    const before = await approvedOnce();
    expect(passes('postFailure', () => writeFileSync(join(here.repo, STATE), before))).toBe(1);
  });

  it('is used also where it is recorded on another branch and put back there', async () => {
    const before = await approvedOnce();
    here.git('switch', '-q', '-c', 'elsewhere');
    expect(passes('post', () => writeFileSync(join(here.repo, STATE), before))).toBe(1);
  });

  it('is used also where it was written down for every session', async () => {
    const state = JSON.parse(await approvedOnce()) as {
      requirements: Record<string, { sessions: Record<string, { metadata: JsonObject }> }>;
    };
    const metadata = state.requirements['once']?.sessions[KEY]?.metadata ?? {};
    const owner = { branch: 'feature/auth', project: here.repo, now: 1 };
    const satisfaction = { by: 'person', at: 1, actor: 'person', channel: 'hub', metadata } as const;
    const forged = satisfyRoot({ ...state, requirements: {} }, owner, 'once', 'single_use', satisfaction);
    writeFileSync(join(here.repo, STATE), JSON.stringify(forged));
    expect(passes('post', () => {})).toBe(1);
  });
});

describe('keys', () => {
  it('a new key counts if the pinned one has signed it, and what the old one signed before stays', async () => {
    await joined();
    const first = await asked();
    await hub.tell('answer', { id: first.id });
    here.sync();
    await hub.tell('rotate');
    const second = await asked('Write', 'other');
    await hub.tell('answer', { id: second.id, by: 'former' });
    here.sync();
    expect([isOpen('Edit'), isOpen('Write')]).toEqual([false, true]);
    await hub.tell('answer', { id: second.id });
    here.sync();
    expect(isOpen('Write')).toBe(false);
    const status = here.holdpoint(['hub', 'status', '--json'], { env: here.env }).json;
    expect(status).toMatchObject({
      joined: true,
      url: hub.url,
      reachable: true,
      behind: 1,
      key: (await hub.state()).key,
    });
  });

  it('the config can ask for a key', async () => {
    const { key } = await hub.state();
    await joined(`${CONFIG}hub: {key: 'sha256:${'0'.repeat(64)}'}\n`);
    expect(here.edit().stdout).toMatch(/the config asks for another hub \(`hub\.key`\)/);
    const { id } = await asked('Edit', 'signed', { tool_use_id: 'b' });
    await hub.tell('answer', { id });
    here.sync();
    expect(isOpen('Edit')).toBe(true);
    here.write('.holdpoint/config.yaml', `${CONFIG}hub: {key: '${key}'}\n`);
    await hub.tell('answer', { id });
    here.sync();
    expect(isOpen('Edit')).toBe(false);
  });
});
