import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/json';
import {
  answerChanges,
  type Channel,
  type PersonAnswer,
  type Request,
  rejectionIn,
  requestsIn,
} from '../../../src/guards/requirements/approvals';
import type { Requirement } from '../../../src/guards/requirements/section';
import type { Change } from '../../../src/state/documents';
import * as rig from './context';

const APPROVALS = 'approvals.json';
const reserved = (over: Partial<ReturnType<typeof rig.blocking>> = {}) =>
  rig.blocking('plan', { agentMaySatisfy: false, legacy: false, perBranch: false, ...over });

type Files = Record<string, Json>;

function applied(changes: readonly Change[], files: Files = {}): Files {
  return changes.reduce<Files>((all, { document, apply }) => {
    const value = apply(all[document.path]);
    const { [document.path]: _, ...rest } = all;
    return value === undefined ? rest : { ...rest, [document.path]: value };
  }, files);
}

const whose = { session: rig.SESSION, sessionId: rig.SESSION_ID, project: rig.ROOT, branch: rig.BRANCH };

function answered(requirement: Requirement, over: Partial<PersonAnswer> = {}, files: Files = {}): Files {
  const answer = {
    verdict: 'approve',
    requirement,
    whose,
    channel: 'terminal',
    now: rig.NOW,
    ...over,
  } as const;
  const changes = answerChanges(answer, () => ({ kind: 'missing' }));
  return applied(changes, files);
}

const isHeld = async (requirement: Requirement, files: Files, branch = rig.BRANCH): Promise<boolean> =>
  (await rig.decide(rig.calling(), [requirement], { files, branch })).kind === 'deny';

/** What waits after an edit was held. */
async function held(requirement: Requirement = reserved(), files: Files = {}) {
  const outcome = await rig.decide(rig.calling(), [requirement], { files });
  return { ...outcome, files: applied(outcome.changes, files) };
}

describe('what waits for a person', () => {
  it('is noted once for a rule and a session when a reserved rule holds', async () => {
    const { files } = await held(reserved({ description: 'Agree on a plan.' }));
    const [request, ...more] = requestsIn(files[APPROVALS]);
    expect(more).toEqual([]);
    expect(request).toMatchObject({
      rule: 'plan',
      description: 'Agree on a plan.',
      ...whose,
      since: rig.NOW,
      decision: 'd-test',
    });
    const again = await held(reserved(), files);
    expect(again.files[APPROVALS]).toBe(files[APPROVALS]);
  });

  it('is nothing where the agent may satisfy the rule', async () => {
    const { files } = await held(rig.blocking('plan'));
    expect(files[APPROVALS]).toBeUndefined();
  });

  it('ends with the session', async () => {
    const { files } = await held();
    const { changes } = await rig.decide(rig.end(), [reserved()], { files });
    expect(requestsIn(applied(changes, files)[APPROVALS])).toEqual([]);
  });

  it('ends when the rule is satisfied in another way', async () => {
    const { files } = await held();
    const { [APPROVALS]: waiting = null } = files;
    const other = rig.blocking('other', { agentMaySatisfy: false });
    const satisfied = { ...answered(reserved(), {}), [APPROVALS]: waiting };
    const { changes } = await rig.decide(rig.calling(), [reserved(), other], { files: satisfied });
    expect(requestsIn(applied(changes, satisfied)[APPROVALS]).map(({ rule }) => rule)).toEqual(['other']);
  });
});

describe("a person's answer", () => {
  it.each(['session', 'branch', 'permanent', 'single_use'] as const)(
    'satisfies in scope %s',
    async (scope) => {
      const { files } = await held(reserved({ scope }));
      const after = answered(reserved({ scope }), { note: 'Fine.' }, files);
      expect(requestsIn(after[APPROVALS])).toEqual([]);
      expect(await isHeld(reserved({ scope }), after)).toBe(false);
      const text = JSON.stringify(after[scope === 'permanent' ? rig.PROJECT : rig.FILE]);
      expect(text).toContain('"actor":"person","channel":"terminal"');
      expect(text).toContain('"note":"Fine."');
    },
  );

  it('that says no leaves the rule open, and the reason is kept until the next answer', async () => {
    const { files } = await held();
    const after = answered(reserved(), { verdict: 'reject', note: 'Too big.', channel: 'question' }, files);
    expect(requestsIn(after[APPROVALS])).toEqual([]);
    expect(rejectionIn(after[APPROVALS], 'plan', rig.SESSION)).toMatchObject({
      note: 'Too big.',
      channel: 'question',
    });
    expect(await isHeld(reserved(), after)).toBe(true);
    expect(rejectionIn(answered(reserved(), {}, after)[APPROVALS], 'plan', rig.SESSION)).toBeUndefined();
  });

  it('that has to be confirmed does not count yet', async () => {
    const { files } = await held();
    const after = answered(reserved(), { provisional: { call: 'toolu_1' }, channel: 'question' }, files);
    expect(requestsIn(after[APPROVALS])[0]?.answered).toMatchObject({ call: 'toolu_1', channel: 'question' });
    expect(await isHeld(reserved(), after)).toBe(true);
  });

  it('to a rule of the hub counts from the hub alone', async () => {
    const rule = reserved({ approval: 'hub' });
    const channels: Channel[] = ['question', 'command', 'dialog', 'terminal', 'hub'];
    const open = await Promise.all(
      channels.map((channel) => isHeld(rule, answered(rule, { channel, proof: { signature: 's' } }))),
    );
    // Not even from there without a signature that the pinned key has made; see test/uplink.
    expect(open).toEqual([true, true, true, true, true]);
    const byTerminal = answered(reserved(), { channel: 'terminal' });
    expect(await isHeld(rule, byTerminal)).toBe(true);
    const [request] = requestsIn((await held(rule)).files[APPROVALS]) as [Request];
    expect(request.channel).toBe('hub');
  });

  it('for a computed value ends after a while, and is sealed', async () => {
    const rule = rig.dynamic('size', { agentMaySatisfy: false });
    const brought = { [`${rig.BRANCH} size`]: { kind: 'value', value: 99, summary: '', base: '' } };
    const files = answered(rule);
    expect(await rig.decide(rig.calling(), [rule], { files, brought })).toMatchObject({ kind: 'nothing' });
    const forged = JSON.parse(JSON.stringify(files).replace('"channel":"terminal"', '"channel":"question"'));
    expect(await rig.decide(rig.calling(), [rule], { files: forged, brought })).toMatchObject({
      kind: 'deny',
    });
  });
});
