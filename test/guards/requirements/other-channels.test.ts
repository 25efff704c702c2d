import { describe, expect, it } from 'vitest';
import type { Event } from '../../../src/core/event';
import type { ClientFacts } from '../../../src/core/guard';
import type { HostName } from '../../../src/core/host-name';
import type { Json } from '../../../src/core/json';
import { guard } from '../../../src/guards/requirements';
import { requestsIn } from '../../../src/guards/requirements/approvals';
import type { Requirement } from '../../../src/guards/requirements/section';
import * as rig from './context';

const APPROVALS = 'approvals.json';
const PERSON: ClientFacts = { args: ['/usr/bin/client'], isAttended: true, isSender: true };
const reserved = (name: string, over = {}): Requirement =>
  rig.blocking(name, {
    agentMaySatisfy: false,
    legacy: false,
    perBranch: false,
    description: 'Agree on a plan.',
    ...over,
  });

type Files = Record<string, Json>;

/** A session in a host, event by event. */
function session(host: HostName, requirements: Requirement[], client: ClientFacts = PERSON) {
  let files: Files = {};
  return async (event: Event, now: ClientFacts = client) => {
    const outcome = await rig.decide({ ...event, host } as Event, requirements, { files, client: now });
    files = outcome.changes.reduce<Files>((all, { document: { path }, apply }) => {
      const { [path]: before, ...rest } = all;
      const value = apply(before);
      return value === undefined ? rest : { ...rest, [path]: value };
    }, files);
    return { ...outcome, waiting: requestsIn(files[APPROVALS]), files };
  };
}

const shown = (type: string): Event => ({
  ...rig.prompt(''),
  kind: 'notification',
  raw: { notification_type: type },
});

describe.each([
  ['gemini', 'ToolPermission'],
  ['copilot', 'permission_prompt'],
] as const)("%s asks in the host's own dialog", (host, type) => {
  it('and yes satisfies the rule in its scope, by a person', async () => {
    const on = session(host, [reserved('plan')]);
    const asked = await on(rig.calling());
    expect(asked).toMatchObject({ kind: 'ask', waiting: [{ rule: 'plan', channel: 'dialog' }] });
    expect(asked.reason).toBe(
      'Holdpoint: do you approve `plan` (Agree on a plan.)?\nIf you allow this call, you approve it for this session.',
    );
    expect(await on(shown(type))).toMatchObject({ kind: 'nothing' });
    const done = await on(rig.called(rig.call()));
    expect(done).toMatchObject({ kind: 'nothing', waiting: [] });
    expect(done.changes.map(({ by }) => by)).toContainEqual({ actor: 'person', channel: 'dialog' });
    const other = rig.calling(rig.call({ input: { other: true } }));
    expect(await on(other)).toMatchObject({ kind: 'nothing' });
  });

  it('and sees the end of every call that it may ask about, also for a rule with `on`', () => {
    const rules = [reserved('plan', { triggers: [], effects: ['edit'] })];
    const after = guard
      .interest(rig.configOf(rules))
      .flatMap(({ kind, hosts, tools = [] }) =>
        kind === 'tool.after' && hosts?.includes(host) ? tools : [],
      );
    expect(after).toEqual(expect.arrayContaining(['Edit', 'Write', 'Bash', 'mcp__*']));
  });

  it('and no leaves it open: the call never runs, and the next one asks again', async () => {
    const on = session(host, [reserved('plan')]);
    await on(rig.calling());
    await on(shown(type));
    const other = rig.call({ input: { other: true } });
    expect(await on(rig.called(other))).toMatchObject({ kind: 'nothing', waiting: [{ rule: 'plan' }] });
    expect(await on(rig.calling(other))).toMatchObject({ kind: 'ask' });
  });

  it('for a pass that is good for one call: that call, and no other', async () => {
    const on = session(host, [reserved('ship', { scope: 'single_use' })]);
    expect((await on(rig.calling())).reason).toContain('you approve it for this call.');
    await on(shown(type));
    expect(await on(rig.called(rig.call()))).toMatchObject({ waiting: [] });
    expect(await on(rig.calling())).toMatchObject({ kind: 'ask' });
  });

  it('for several rules in one dialog, but not where the agent has something to do itself', async () => {
    const both = session(host, [reserved('plan'), reserved('design')]);
    expect((await both(rig.calling())).reason).toMatch(/^Holdpoint: do you approve `plan` .* and `design` /);
    await both(shown(type));
    expect(await both(rig.called(rig.call()))).toMatchObject({ waiting: [] });
    expect(await both(rig.calling())).toMatchObject({ kind: 'nothing' });
    const mixed = session(host, [reserved('plan'), rig.blocking('notes', { legacy: false })]);
    expect(await mixed(rig.calling())).toMatchObject({ kind: 'deny' });
    const hub = session(host, [reserved('signed', { approval: 'hub' })]);
    expect(await hub(rig.calling())).toMatchObject({ kind: 'deny' });
  });

  it.each<[string, ClientFacts, string]>([
    ['an event that the client did not send', { ...PERSON, isSender: false }, 'did not come from the client'],
    [
      'a client that an agent has started',
      { ...PERSON, isAttended: false },
      'an agent has started the client',
    ],
    ['a run with a prompt', { ...PERSON, args: ['x', '-p', 'go'] }, 'without a person'],
  ])('and %s does not count', async (_name, client, why) => {
    const on = session(host, [reserved('plan')]);
    const held = await on(rig.calling(), client);
    expect(held).toMatchObject({ kind: 'deny', waiting: [{ channel: 'terminal' }] });
    expect(held.reason).toContain('Nobody can be asked here');
    const forged = session(host, [reserved('plan')]);
    await forged(rig.calling());
    await forged(shown(type));
    const answer = await forged(rig.called(rig.call()), client);
    expect(answer).toMatchObject({ kind: 'advise', waiting: [{ rule: 'plan' }] });
    expect(JSON.stringify(answer.verdict)).toContain(`Not counted as approval of plan: `);
    expect(JSON.stringify(answer.verdict)).toContain(why);
    expect(await forged(rig.calling())).toMatchObject({ kind: 'ask' });
  });

  it('and a call that ran without the dialog does not count', async () => {
    const on = session(host, [reserved('plan')]);
    await on(rig.calling());
    await on(shown('idle_prompt'));
    const answer = await on(rig.called(rig.call()));
    expect(answer).toMatchObject({ kind: 'advise', waiting: [{ rule: 'plan' }] });
    expect(JSON.stringify(answer.verdict)).toContain('did not show its dialog');
  });

  it('and not where the agent may satisfy the rule', async () => {
    const on = session(host, [rig.blocking('plan', { legacy: false })]);
    const held = await on(rig.calling());
    expect(held).toMatchObject({ kind: 'deny' });
    expect(held.files[APPROVALS]).toBeUndefined();
  });
});

describe('codex', () => {
  it('names the line that a person types, and takes it', async () => {
    const on = session('codex', [reserved('plan'), reserved('design')]);
    const held = await on(rig.calling());
    expect(held).toMatchObject({ kind: 'deny', waiting: [{ channel: 'command' }, { channel: 'command' }] });
    expect(held.reason).toMatch(/^Or the user types exactly this, .*: holdpoint approve plan design$/m);
    const typed = await on(rig.prompt('holdpoint approve plan design\n'));
    expect(typed).toMatchObject({ kind: 'deny', reason: 'Approved: plan, design', waiting: [] });
    expect(await on(rig.calling())).toMatchObject({ kind: 'nothing' });
  });

  it.each([
    'Please holdpoint approve plan',
    'holdpoint approve plan\nand go on',
    'holdpoint approve',
    'holdpoint approve --note x',
  ])('does not take %j', async (text) => {
    const on = session('codex', [reserved('plan')]);
    expect(await on(rig.prompt(text))).toMatchObject({ kind: 'nothing' });
    expect(await on(rig.calling())).toMatchObject({ kind: 'deny' });
  });

  it.each<[string, Partial<ClientFacts>, string]>([
    ['exec', { args: ['codex', 'exec', 'holdpoint approve plan'] }, 'without a person'],
    ['a forged event', { isSender: false }, 'did not come from the client'],
    ['a nested client', { isAttended: false }, 'an agent has started the client'],
  ])('does not take it from %s', async (_name, over, why) => {
    const on = session('codex', [reserved('plan')], { ...PERSON, ...over });
    const typed = await on(rig.prompt('holdpoint approve plan'));
    expect(typed).toMatchObject({ kind: 'deny' });
    expect(typed.reason).toContain(why);
    expect((await on(rig.calling())).reason).toContain('Nobody can be asked here');
  });

  it('says which rules there are', async () => {
    const on = session('codex', [reserved('plan')]);
    const { reason } = await on(rig.prompt('holdpoint approve plam'));
    expect(reason).toBe("Not counted as approval of plam: there is no rule 'plam' (known: plan).");
  });
});

it.each(['cursor', 'opencode'] as const)('%s: only a terminal, and the hold says so', async (host) => {
  const on = session(host, [reserved('plan')]);
  const held = await on(rig.calling());
  expect(held).toMatchObject({ kind: 'deny', waiting: [{ channel: 'terminal' }] });
  expect(held.reason).toContain('in their own terminal');
});
