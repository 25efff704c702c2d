import { describe, expect, it } from 'vitest';
import type { Event, ToolCall } from '../../../src/core/event';
import type { Context, HostProcess, TranscriptFacts } from '../../../src/core/guard';
import type { Json, JsonObject } from '../../../src/core/json';
import { rejectionIn, requestsIn } from '../../../src/guards/requirements/approvals';
import type { Requirement } from '../../../src/guards/requirements/section';
import * as rig from './context';

const TRANSCRIPT = '/home/someone/.claude/projects/p/s.jsonl';
/** This very process: it lives as long as the test does. */
const CLIENT: HostProcess = { pid: process.pid, start: '' };
const plan = rig.blocking('plan', { agentMaySatisfy: false, legacy: false, perBranch: false });
const review = { ...plan, name: 'review', triggers: [{ kind: 'tool' as const, tool: 'Write' }] };

/** A session of Claude Code as the guard sees it: what it writes is there at the next event. */
class Session {
  files: Record<string, Json> = {};
  now = rig.NOW;
  branch = rig.BRANCH;
  ancestors: readonly HostProcess[] = [CLIENT];
  hooks: readonly string[] = [];
  env: Record<string, string> = { CLAUDE_CODE_SESSION_ATTENDED: '1' };
  transcript = TRANSCRIPT;
  /** The client's record. */
  decided: Record<string, NonNullable<TranscriptFacts['decidedOn']>> = {};
  blocked: TranscriptFacts['promptBlocked'];
  rules: Requirement[];

  constructor(...rules: Requirement[]) {
    this.rules = rules;
  }

  async play(event: Event) {
    const over: Partial<Context> = {
      now: this.now * 1000,
      env: (name) => this.env[name] ?? '',
      hostProcess: () => ({ pid: CLIENT.pid }),
      ancestors: () => this.ancestors,
      answeringHooks: () => this.hooks,
      transcript: ({ decidedOn, promptBlocked }) => ({
        ...(decidedOn !== undefined && this.decided[decidedOn] && { decidedOn: this.decided[decidedOn] }),
        ...(promptBlocked !== undefined && this.blocked && { promptBlocked: this.blocked }),
      }),
    };
    const seen = { transcriptPath: this.transcript, ...event } as Event;
    const outcome = await rig.decide(seen, this.rules, { files: this.files, branch: this.branch, over });
    for (const { document, apply } of outcome.changes) {
      const value = apply(this.files[document.path]);
      if (value === undefined) delete this.files[document.path];
      else this.files[document.path] = value;
    }
    return outcome;
  }

  start = () => this.play(rig.start());
  edit = (name = 'Edit') => this.play(rig.calling(rig.call({ nativeName: name, names: [name], op: 'edit' })));
  isHeld = async (name = 'Edit') => (await this.edit(name)).kind === 'deny';

  /** The agent asks; returns our own questions. */
  async ask(callId = 'toolu_1', words = 'May I?') {
    const input = { questions: [{ header: 'Holdpoint', question: words, options: [] }] };
    const { verdict } = await this.play(rig.calling(question({ callId, input })));
    const updated = verdict.kind === 'ask' ? verdict.updatedInput : undefined;
    return { verdict, questions: (updated?.['questions'] ?? []) as unknown as { question: string }[] };
  }

  show = (questions: readonly { question: string }[]) =>
    this.play({
      ...rig.permission(''),
      call: question({ input: { questions: [...questions] as unknown as Json } }),
    } as Event);

  answer(
    questions: readonly { question: string }[],
    said: string,
    callId = 'toolu_1',
    more: JsonObject = {},
  ) {
    const answers = Object.fromEntries(questions.map(({ question }) => [question, said]));
    const input = { questions: questions.map((one) => ({ ...one, header: 'Holdpoint' })) as unknown as Json };
    const raw = { ...input, answers, ...more };
    this.decided[callId] ??= { source: 'user_temporary', result: raw };
    return this.play({ ...rig.called(question({ callId, input })), response: { raw } });
  }

  waiting = () => requestsIn(this.files['approvals.json']);
}

const question = (over: Partial<ToolCall>): ToolCall => rig.named('AskUserQuestion', over);

/** A session whose edit is held. */
async function held(...rules: Requirement[]): Promise<Session> {
  const session = new Session(...(rules.length === 0 ? [plan] : rules));
  await session.start();
  await session.edit();
  if (rules.length > 1) await session.edit('Write');
  return session;
}

/** A session whose question is shown. */
async function shown(): Promise<{ session: Session; questions: { question: string }[] }> {
  const session = await held();
  const { questions } = await session.ask();
  await session.show(questions);
  return { session, questions };
}

describe('a question', () => {
  it('is put in our own words, never allowed, and satisfies the rule once the record confirms it', async () => {
    const session = await held();
    const { verdict, questions } = await session.ask();
    expect(verdict.kind).toBe('ask');
    expect(questions).toEqual([
      expect.objectContaining({
        header: 'Holdpoint',
        question: expect.stringContaining('"plan" for this session'),
        options: [
          expect.objectContaining({ label: 'Approve' }),
          expect.objectContaining({ label: 'Reject' }),
        ],
      }),
    ]);
    await session.show(questions);
    expect((await session.answer(questions, 'Approve')).kind).toBe('nothing');
    expect(session.waiting()[0]?.answered).toMatchObject({ channel: 'question', call: 'toolu_1' });
    expect(await session.isHeld()).toBe(false);
    expect(JSON.stringify(session.files[rig.FILE])).toContain('"actor":"person","channel":"question"');
    expect(session.waiting()).toEqual([]);
    expect(await session.isHeld()).toBe(false);
  });

  it('has no words of the agent in the name of a branch', async () => {
    const session = new Session(plan);
    session.branch = `x)\u00a0Only\u202fa\u200btest${'x'.repeat(200)}`;
    await session.start();
    await session.edit();
    const [asked] = (await session.ask()).questions;
    expect(asked?.question).toMatch(/\(branch x\)\?Only\?a\?testx+…\)/);
  });

  it('asks nothing about a rule that the config no longer has', async () => {
    const session = await held(plan);
    session.rules = [{ ...plan, name: 'other' }];
    const { verdict } = await session.ask();
    expect(verdict).toMatchObject({ kind: 'deny', reason: expect.stringContaining('Nothing waits') });
  });

  it('answered on one branch lets nothing pass on another', async () => {
    const session = await held({ ...plan, scope: 'branch' });
    const { questions } = await session.ask();
    await session.show(questions);
    await session.answer(questions, 'Approve');
    session.branch = 'other';
    expect(await session.isHeld()).toBe(true);
    expect(session.waiting()).toEqual([]);
    session.branch = rig.BRANCH;
    expect(await session.isHeld()).toBe(false);
  });

  it('of another header is none of our business, and without a request there is nothing to ask', async () => {
    const session = await held();
    const other = { questions: [{ header: 'Colour', question: 'Which?' }] };
    expect((await session.play(rig.calling(question({ callId: 'q', input: other })))).kind).toBe('nothing');
    const idle = new Session(plan);
    await idle.start();
    expect((await idle.ask()).verdict).toMatchObject({
      kind: 'deny',
      reason: expect.stringContaining('Nothing waits'),
    });
  });

  it('asks for all that waits, or for the rule that it names', async () => {
    const session = await held(plan, review);
    expect((await session.ask()).questions).toHaveLength(2);
    const { questions } = await session.ask('toolu_2', 'May I have the review?');
    expect(questions).toEqual([expect.objectContaining({ question: expect.stringContaining('"review"') })]);
  });

  it('is told to the agent at the hold, and to the person once', async () => {
    const session = new Session(plan);
    const begin = await session.start();
    expect(begin.verdict).toMatchObject({
      toPerson: expect.stringContaining('the agent asks you in a dialog'),
    });
    const first = await session.edit();
    expect(first.reason).toContain('call AskUserQuestion with one question and the header "Holdpoint"');
    expect(first.verdict).toMatchObject({
      toPerson: expect.stringContaining('waiting for you: plan'),
      notify: 'Holdpoint is waiting for you: plan',
    });
    expect((await session.edit()).verdict).not.toHaveProperty('toPerson');
    const branch = new Session(rig.protectedBranch([rig.BRANCH], { agentMaySatisfy: false, legacy: false }));
    expect((await branch.edit()).verdict).not.toHaveProperty('toPerson');
  });

  it('that is answered with no leaves the rule open, and the agent hears why', async () => {
    const { session, questions } = await shown();
    const notes = { annotations: { [questions[0]?.question ?? '']: { notes: 'Too big.' } } };
    await session.answer(questions, 'Reject', 'toolu_1', notes);
    expect(session.waiting()).toEqual([]);
    const again = await session.edit();
    expect(again.reason).toMatch(
      /^Rejected by a person: Too big\. \(`plan`\)\. Change what was rejected first\.\n/,
    );
    expect(session.waiting()).toHaveLength(1);
    const { questions: next } = await session.ask('toolu_2');
    await session.show(next);
    await session.answer(next, 'Approve', 'toolu_2');
    expect(await session.isHeld()).toBe(false);
    expect(rejectionIn(session.files['approvals.json'], 'plan', rig.SESSION)).toBeUndefined();
  });

  it('that is answered in own words is a rejection with these', async () => {
    const { session, questions } = await shown();
    await session.answer(questions, 'Approve, but smaller');
    expect((await session.edit()).reason).toMatch(/^Rejected by a person: Approve, but smaller/);
  });
});

describe('an answer changes nothing, and is noted,', () => {
  const ignored = { kind: 'advise', grounds: [{ fact: expect.stringContaining('does not count') }] };

  it('if no question was asked', async () => {
    const session = await held();
    const before = session.files['approvals.json'];
    const forged = [{ question: 'Holdpoint: do you approve "plan" for this session? (branch feature/auth)' }];
    expect((await session.answer(forged, 'Approve', 'toolu_9')).verdict).toMatchObject(ignored);
    expect(session.files['approvals.json']).toBe(before);
    expect(await session.isHeld()).toBe(true);
  });

  it('if no dialog was shown', async () => {
    const session = await held();
    const { questions } = await session.ask();
    expect((await session.answer(questions, 'Approve')).verdict).toMatchObject(ignored);
    expect(await session.isHeld()).toBe(true);
  });

  it('if it comes twice, or again for the next request', async () => {
    const { session, questions } = await shown();
    await session.answer(questions, 'Approve');
    expect((await session.answer(questions, 'Approve')).verdict).toMatchObject(ignored);
    expect(await session.isHeld()).toBe(false);
    delete session.files[rig.FILE];
    await session.edit();
    expect((await session.answer(questions, 'Approve')).verdict).toMatchObject(ignored);
    expect(await session.isHeld()).toBe(true);
  });

  it('if it comes after the person has rejected, or after the session', async () => {
    const { session, questions } = await shown();
    await session.answer(questions, 'Reject');
    expect((await session.answer(questions, 'Approve')).verdict).toMatchObject(ignored);
    expect(await session.isHeld()).toBe(true);
    const other = await shown();
    await other.session.play(rig.end());
    expect((await other.session.answer(other.questions, 'Approve')).verdict).toMatchObject(ignored);
    expect(await other.session.isHeld()).toBe(true);
  });

  it('if its options were shown with other meanings', async () => {
    const session = await held();
    const { questions } = await session.ask();
    const options = [
      { label: 'Approve', description: 'Not now' },
      { label: 'Reject', description: 'Go on' },
    ];
    await session.show(questions.map((one) => ({ ...one, options })));
    expect((await session.answer(questions, 'Approve')).verdict).toMatchObject(ignored);
    expect(await session.isHeld()).toBe(true);
  });

  const cases: [string, (session: Session) => void][] = [
    ['if it comes from another client', (session) => (session.ancestors = [{ pid: 1, start: '1' }])],
    [
      'if its client was started at another time',
      (session) => (session.ancestors = [{ ...CLIENT, start: '7' }]),
    ],
    ['if its event names another transcript', (session) => (session.transcript = '/tmp/forged.jsonl')],
    ['if nobody is at the client', (session) => (session.env = { CLAUDE_CODE_SESSION_ATTENDED: '0' })],
    ['if another hook could have answered', (session) => (session.hooks = ['PermissionRequest in x.json'])],
  ];
  it.each(cases)('%s', async (_, change) => {
    const { session, questions } = await shown();
    change(session);
    expect((await session.answer(questions, 'Approve')).verdict).toMatchObject(ignored);
    const after = Object.assign(new Session(plan), { files: session.files, decided: session.decided });
    expect(await after.isHeld()).toBe(true);
    const asked = await held();
    change(asked);
    expect((await asked.ask('toolu_2')).verdict).toMatchObject({ kind: 'deny' });
  });

  it('if the record has no word of it; after a minute it is withdrawn', async () => {
    const { session, questions } = await shown();
    await session.answer(questions, 'Approve');
    session.decided = {};
    expect((await session.edit()).reason).toContain('try the call again in a moment');
    expect(session.waiting()[0]?.answered).toBeDefined();
    session.now += 61;
    const late = await session.edit();
    expect(late).toMatchObject({
      kind: 'deny',
      verdict: { toPerson: expect.stringContaining('does not count') },
    });
    expect(session.waiting()[0]?.answered).toBeUndefined();
  });

  it.each(['hook', 'config', 'user_reject'])('if the record says that %s decided', async (source) => {
    const { session, questions } = await shown();
    await session.answer(questions, 'Approve');
    session.decided = { toolu_1: { source, result: {} } };
    const next = await session.edit();
    expect(next).toMatchObject({
      kind: 'deny',
      verdict: { toPerson: expect.stringContaining('not by a person'), grounds: [{}, { rule: 'plan' }] },
    });
    expect(session.waiting()[0]).not.toHaveProperty('answered');
    session.decided = {};
    expect(await session.isHeld()).toBe(true);
  });

  it('if the record has another answer', async () => {
    const { session, questions } = await shown();
    await session.answer(questions, 'Approve');
    session.decided = { toolu_1: { source: 'user_temporary', result: { answers: {} } } };
    expect(await session.isHeld()).toBe(true);
  });

  it('if the event that would confirm it names another transcript', async () => {
    const { session, questions } = await shown();
    await session.answer(questions, 'Approve');
    session.transcript = '/tmp/forged.jsonl';
    expect(await session.isHeld()).toBe(true);
  });
});

describe('two questions at once', () => {
  it('are two', async () => {
    const session = await held(plan, review);
    const [one, two] = [await session.ask('toolu_1', 'plan?'), await session.ask('toolu_2', 'review?')];
    await session.show(one.questions);
    await session.show(two.questions);
    await session.answer(two.questions, 'Approve', 'toolu_2');
    await session.answer(one.questions, 'Reject', 'toolu_1');
    expect([await session.isHeld('Edit')]).toEqual([true]);
    expect(requestsIn(session.files['approvals.json']).map(({ rule }) => rule)).toEqual(['plan']);
    expect(JSON.stringify(session.files[rig.FILE])).toContain('"review"');
  });

  it('of the same words are told apart by their calls', async () => {
    const session = await held();
    const { questions } = await session.ask('toolu_1');
    await session.ask('toolu_2');
    await session.show(questions);
    const second = await session.answer(questions, 'Approve', 'toolu_2');
    expect(second.verdict).toMatchObject({ kind: 'advise' });
    await session.answer(questions, 'Approve', 'toolu_1');
    expect(await session.isHeld()).toBe(false);
  });
});

describe('the client of a session', () => {
  it('that dies in the middle of a question leaves the rule open, and its successor asks anew', async () => {
    const { session, questions } = await shown();
    const dead = { pid: 4_000_000, start: '1', transcript: TRANSCRIPT };
    session.files['approvals.json'] = {
      ...(session.files['approvals.json'] as JsonObject),
      clients: { [rig.SESSION]: dead },
    };
    await session.play(rig.start('resume'));
    expect(await session.isHeld()).toBe(true);
    const next = await session.ask('toolu_2');
    await session.show(next.questions);
    await session.answer(questions, 'Approve', 'toolu_2');
    expect(await session.isHeld()).toBe(false);
  });

  it('stays the one that it began in while that one lives', async () => {
    const session = await held();
    session.transcript = '/tmp/forged.jsonl';
    await session.play(rig.start('resume'));
    expect((await session.ask()).verdict).toMatchObject({ kind: 'deny' });
    session.transcript = TRANSCRIPT;
    expect((await session.ask()).verdict.kind).toBe('ask');
  });

  it('without a person has no channel, and the hold says so', async () => {
    const session = new Session(plan);
    session.env = { CLAUDE_CODE_SESSION_ATTENDED: '0' };
    const begin = await session.start();
    expect(begin.verdict).toMatchObject({
      toAgent: expect.stringContaining(
        'A person has to approve `plan`: when a call is held for it, nobody can be asked in this session, so tell the user',
      ),
      toPerson: expect.stringContaining('nobody can be asked in this session'),
    });
    expect((await session.edit()).reason).toContain('nobody can be asked in this session');
    expect(session.waiting()[0]?.channel).toBe('terminal');
  });
});

describe('the typed command', () => {
  const typed = (session: Session, name: string, args: string, source = 'plugin') =>
    session.play({
      ...rig.start(),
      kind: 'prompt.expand',
      name,
      args,
      source,
      raw: { prompt: `/${name} ${args}` },
    } as Event);

  it('approves once the record says that it was typed', async () => {
    const session = await held();
    expect(await typed(session, 'holdpoint:approve', 'plan')).toMatchObject({
      kind: 'deny',
      reason: 'Approved: plan',
      verdict: { bare: true },
    });
    expect(await session.isHeld()).toBe(true);
    session.blocked = 'typed';
    expect(await session.isHeld()).toBe(false);
    expect(JSON.stringify(session.files[rig.FILE])).toContain('"actor":"person","channel":"command"');
  });

  it('does not count from a schedule, from a command of the project, or as a prompt', async () => {
    const session = await held();
    await session.play(rig.prompt('/holdpoint:approve plan'));
    expect(session.waiting()[0]?.answered).toBeUndefined();
    expect((await typed(session, 'holdpoint:approve', 'plan', 'project')).kind).toBe('nothing');
    await typed(session, 'holdpoint:approve', 'plan');
    session.blocked = 'scheduled';
    const next = await session.edit();
    expect(next.verdict).toMatchObject({ kind: 'deny', toPerson: expect.stringContaining('does not count') });
  });

  it('rejects with a note, names what waits, and leaves the hub alone', async () => {
    const session = await held(plan, { ...review, approval: 'hub' });
    expect((await typed(session, 'holdpoint:approve', 'plna')).reason).toContain('Waiting: plan, review.');
    expect((await typed(session, 'holdpoint:approve', 'review')).reason).toContain(
      'Only the hub approves `review`',
    );
    expect((await typed(session, 'holdpoint:reject', 'plan not yet')).reason).toBe('Rejected: plan');
    expect((await session.edit()).reason).toMatch(/^Rejected by a person: not yet/);
  });

  it('says how to take back what is satisfied already', async () => {
    const session = await held(plan);
    await typed(session, 'holdpoint:approve', 'plan');
    session.blocked = 'typed';
    expect((await session.edit()).kind).toBe('nothing');
    expect((await typed(session, 'holdpoint:reject', 'plan')).reason).toContain(
      'satisfied already and stays so; run `holdpoint reject plan` in a terminal',
    );
  });
});

describe('the dialog for one call', () => {
  const once = { ...plan, scope: 'single_use' as const, triggers: [{ kind: 'tool' as const, tool: '*' }] };
  const mode = (native: string) => ({ permissionMode: { native, canonical: 'unknown' as const } });
  const bash = (native: string) => ({ ...rig.calling(rig.bash('git commit')), ...mode(native) });

  it.each([
    ['default', 'ask'],
    ['acceptEdits', 'ask'],
    ['bypassPermissions', 'deny'],
    ['dontAsk', 'deny'],
    ['auto', 'deny'],
  ])('in mode %s: %s', async (native, kind) => {
    const session = new Session(once);
    await session.start();
    expect((await session.play(bash(native))).kind).toBe(kind);
  });

  it('is the pass of that call', async () => {
    const session = new Session(once);
    await session.start();
    const asked = bash('default');
    await session.play({ ...asked, call: { ...asked.call, callId: 'toolu_9' } });
    expect(session.files[rig.METRICS]).toMatchObject({
      requirements: { plan: { taken: { [rig.BRANCH]: { by: 'toolu_9' } } } },
    });
  });

  it('is not for edits, subagents, other scopes, or where nobody is', async () => {
    const session = new Session(once);
    expect((await session.play(bash('default'))).kind).toBe('deny');
    await session.start();
    expect((await session.play({ ...rig.calling(), ...mode('default') })).kind).toBe('deny');
    expect((await session.play({ ...bash('default'), agent: { id: 'a' } })).kind).toBe('deny');
    session.hooks = ['PermissionRequest in x.json'];
    expect((await session.play(bash('default'))).kind).toBe('deny');
  });
});
