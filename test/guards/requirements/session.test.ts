import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { guard } from '../../../src/guards/requirements';
import { findingKey } from '../../../src/guards/requirements/judge';
import type { Requirement, RequirementsConfig, Scope } from '../../../src/guards/requirements/section';
import { carriedOver } from '../../../src/guards/requirements/session';
import * as ctx from './context';

const { FILE, METRICS, NOW, SESSION, blocking, changed, configOf, decide, named, protectedBranch } = ctx;
const { dynamic, singleSession, start, state, stop } = ctx;
const plan = blocking('plan');
const triggered = { sessions: { [SESSION]: { triggered: true } } };
const satisfied = { sessions: { [SESSION]: { triggered: true, satisfied: true } } };
type CarryOver = RequirementsConfig['carryOver'];
type Over = Partial<RequirementsConfig>;

describe('the events that requirements watch', () => {
  const watched = (requirements: Requirement[], over: Over): string[] =>
    guard.interest(configOf(requirements, over)).flatMap(({ kind, tools }) => {
      return tools === undefined ? [kind] : tools.map((tool) => `${kind} ${tool}`);
    });
  const BASE = watched([plan], {});
  const once = blocking('review', { scope: 'single_use', triggers: [{ kind: 'tool', tool: 'Bash' }] });
  const unverified = { stop: { verify: false, scopes: [] } };
  const thinkFirst = { onPlan: true, onPrompt: true };

  test('are tools, the life of a session, and the end of turns', () => {
    const life = ['session.start', 'session.end', 'compact.before'];
    const tools = ['tool.before Edit', 'tool.before Write', 'tool.after ExitPlanMode'];
    expect(BASE).toEqual([...life, ...tools, 'prompt.submit', 'turn.stop', 'permission.request Bash']);
    for (const over of [{ enabled: false }, { reach: 'global-only' } as const])
      expect(watched([plan], over)).toEqual(['session.start']);
    expect(watched([], {})).toEqual(['session.start']);
  });

  test.each<[string, Requirement[], Over, gone: string[], come: string[]]>([
    ['each tool once', [plan, blocking('adr')], {}, [], []],
    ['no ends where none is verified', [plan], unverified, ['turn.stop'], []],
    ['what follows a pass', [plan, once], {}, [], ['tool.before Bash', 'tool.after Bash']],
    ['skills', [plan], { skills: { a: [] } }, [], ['tool.after Skill', 'prompt.expand']],
    ['what precedes a design', [plan], { thinkFirst }, [], ['tool.after EnterPlanMode']],
    ['no requests for permission', [plan], { denyDangerous: false }, ['permission.request Bash'], []],
  ])('differ by %s', (_sentence, requirements, over, gone, come) => {
    const now = watched(requirements, over);
    expect(BASE.filter((one) => !now.includes(one))).toEqual(gone);
    expect(now.filter((one) => !BASE.includes(one))).toEqual(come);
    expect(new Set(now).size).toBe(now.length);
  });
});

describe('the end of a turn', () => {
  const scoped = (scope: Scope) => blocking('plan', { scope });
  const verifying = (...scopes: Scope[]): Over => ({ stop: { verify: true, scopes } });
  const rooted = { triggered: true, triggered_sessions: { [SESSION]: 1 } };
  const others = { sessions: { aaaaaaaa: { triggered: true } } };
  const theirs = { triggered: true, triggered_sessions: { aaaaaaaa: 1 } };

  test.each<[string, JsonObject, Requirement, 'hold' | 'nothing', Over?, ctx.Given?]>([
    ['what is triggered and unsatisfied', triggered, plan, 'hold'],
    ['not what was never triggered', {}, plan, 'nothing'],
    ['not what another session triggered', others, plan, 'nothing'],
    ['not what is triggered and satisfied', satisfied, plan, 'nothing'],
    ['not what the root satisfies', { ...triggered, satisfied: true }, plan, 'nothing'],
    ['not where nobody verifies it', triggered, plan, 'nothing', { stop: { verify: false, scopes: [] } }],
    ['what never denies a tool', triggered, { ...plan, stopOnly: true }, 'hold'],
    ['not a scope that is not verified', triggered, scoped('single_use'), 'nothing'],
    ['a single use that is verified', triggered, scoped('single_use'), 'hold', verifying('single_use')],
    ['a branch that this session set off', rooted, scoped('branch'), 'hold', verifying('branch')],
    ['not one that only others set off', theirs, scoped('branch'), 'nothing', verifying('branch')],
    ['what is permanent', rooted, scoped('permanent'), 'hold', verifying('permanent')],
    ['not a branch that is not protected', triggered, protectedBranch(['main']), 'nothing'],
    ['one that is', triggered, protectedBranch(['feature/*']), 'hold'],
    ['not the state of another branch', triggered, plan, 'nothing', {}, { branch: 'other' }],
    ['the later of two sessions', triggered, singleSession(), 'hold', {}, { sessions: [{ startedAt: 9 }] }],
    ['not a session alone', triggered, singleSession(), 'nothing', {}, { sessions: [] }],
  ])('is held by %s', async (_sentence, entry, requirement, kind, over, given) => {
    const files = { [FILE]: state({ [requirement.name]: entry }) };
    expect((await decide(stop(), [requirement], { files, ...given }, over)).kind).toBe(kind);
  });

  test('is held with every name, the command for all of them, and grounds for each', async () => {
    const files = { [FILE]: state({ plan: triggered, adr: triggered }) };
    const requirements = [blocking('plan', { skill: 'team:plan' }), blocking('adr')];
    const { verdict, reason, changes } = await decide(stop(), requirements, { files });
    expect(reason).toBe(
      [
        '## Cannot Complete: Unsatisfied Requirements: plan, adr',
        '| Requirement | Execute |',
        '|---|---|',
        '| plan | `/team:plan` |',
        '| adr | `req satisfy adr` |',
        'Triggered in this session. Satisfy what is listed, or say what is missing: the next stop is not held for it.',
        'Fallback: `req satisfy plan adr --session cad0ac4d`',
      ].join('\n'),
    );
    expect(verdict).toMatchObject({
      grounds: [
        { rule: 'plan', clear: '/team:plan, then req satisfy plan --session cad0ac4d' },
        { rule: 'adr' },
      ],
    });
    expect(changes).toEqual([]);
  });

  test('is held once for a prompt; what is still open then is told to the next session', async () => {
    const files = { [FILE]: state({ plan: triggered }) };
    const { kind, written } = await decide(stop(), [plan], { files, heldBefore: 1 });
    const stop_overrides = [{ session: SESSION, names: ['plan'], at: NOW }];
    expect([kind, written(FILE)]).toEqual(['nothing', { ...files[FILE], stop_overrides }]);
    const well = { files: { [FILE]: state({ plan: satisfied }) }, heldBefore: 1 };
    expect((await decide(stop(), [plan], well)).changes).toEqual([]);
  });

  const OLD = 'requirements/old-work.json';
  const onOld = (entry: JsonObject, name = 'plan') => ({
    [OLD]: state({ [name]: entry }, 'old/work'),
    [METRICS]: { branches: ['old/work', 'feature/auth'] },
  });

  test('is held for what was set off on another branch, with a command that satisfies it there', async () => {
    const files = { ...onOld(triggered), [FILE]: state({ plan: triggered }) };
    const { reason, verdict } = await decide(stop(), [plan], { files });
    expect(reason).toContain('Unsatisfied Requirements: plan, plan (on branch old/work)');
    const here = `\`req satisfy plan --session ${SESSION}\``;
    expect(reason).toContain(
      `Fallback: ${here}, \`req satisfy plan --session ${SESSION} --branch old/work\``,
    );
    expect(verdict).toMatchObject({ grounds: [{}, { fact: expect.stringContaining('on branch old/work') }] });
  });

  test.each<[string, Requirement, ctx.Given]>([
    ['where it is satisfied', plan, { files: onOld(satisfied) }],
    ['by what another session set off', plan, { files: onOld(others) }],
    ['where the session never was', plan, { files: { ...onOld(triggered), [METRICS]: { branches: [] } } }],
    ['by a condition', protectedBranch(['old/*']), { files: onOld(triggered, 'protected') }],
    ['by a value', dynamic('size'), { files: onOld(triggered, 'size') }],
  ])('is not held for another branch %s', async (_sentence, requirement, given) => {
    expect((await decide(stop(), [requirement], given)).kind).toBe('nothing');
  });

  test('asks for a value only if it was set off', async () => {
    const files = { [FILE]: state({ size: triggered }) };
    const brought = { [findingKey(ctx.BRANCH, 'size')]: { kind: 'value', value: 10 } };
    const outcome = await decide(stop(), [dynamic('size')], { files, brought });
    expect([outcome.kind, changed(outcome)]).toEqual(['hold', ['values.json']]);
    expect((await decide(stop(), [dynamic('size')])).asked).toEqual([]);
  });
});

test('after a plan the agent hears what stands before the work', async () => {
  const leaving = ctx.called(named('ExitPlanMode', { op: 'plan' }));
  const requirements = [plan, protectedBranch(['main']), dynamic('size')];
  const toAgent = `## Plan Validation Required\n**req satisfy plan** -> \`plan\`\n**Fallback**: \`req satisfy plan --session ${SESSION}\``;
  expect((await decide(leaving, requirements)).verdict).toMatchObject({ kind: 'advise', toAgent });
  const files = { [FILE]: state({ plan: { satisfied: true } }) };
  expect((await decide(leaving, requirements, { files })).kind).toBe('nothing');
});

describe('a session that begins', () => {
  test('has counts of its own, and writes no state where there is nothing to tidy', async () => {
    const fresh = await decide(start(), [plan]);
    const counts = { session_id: SESSION, started_at: NOW, registered_at: NOW };
    expect(fresh.written(METRICS)).toMatchObject(counts);
    expect(fresh.written(FILE)).toBeUndefined();
    const tidy = state({ plan: { sessions: { aaaaaaaa: { satisfied_at: NOW - 400 } } } });
    expect((await decide(start(), [plan], { files: { [FILE]: tidy } })).written(FILE)).toBe(tidy);
    for (const over of [{ enabled: false }, { reach: 'global-only' } as const])
      expect((await decide(start(), [plan], {}, over)).changes).toEqual([]);
  });

  test('moves old keys and drops what is long over, but nothing of a living session', async () => {
    const old = { satisfied: true, satisfied_at: NOW - 90 * 86_400 };
    const before = { [ctx.SESSION_ID]: old, aaaaaaaa: old, bbbbbbbb: old };
    const files = { [FILE]: state({ plan: { sessions: before } }) };
    const sessions = [{ id: 'bbbbbbbb' }, { id: 'aaaaaaaa', alive: false }];
    const { written } = await decide(start(), [plan], { files, sessions });
    expect(written(FILE)).toEqual(state({ plan: { sessions: { [SESSION]: old, bbbbbbbb: old } } }));
  });
});

describe('what a new session takes over', () => {
  const OVER: CarryOver = { sources: ['clear'], windowSeconds: 300, scopes: ['session'] };
  const once = blocking('plan', { scope: 'single_use' });
  const ago = (seconds: number, more: JsonObject = {}): JsonObject => {
    return { satisfied: true, satisfied_at: NOW - seconds, satisfied_by: 'skill', ...more };
  };
  const [late, expired] = [{ metadata: { original_satisfied_at: NOW - 301 } }, { expires_at: NOW - 1 }];

  test.each<[string, JsonObject, string | undefined, Requirement?, CarryOver?]>([
    ['what another has just satisfied', { a: ago(10) }, 'a'],
    ['the newest of several', { a: ago(90), b: ago(20), c: ago(50) }, 'b'],
    ['up to the last second of the window', { a: ago(300) }, 'a'],
    ['what a clock that went back dates into the future', { a: ago(-50) }, 'a'],
    ['an approval', { a: ago(10) }, 'a', dynamic('plan')],
    ['a single use where the config says so', { a: ago(10) }, 'a', once, { ...OVER, scopes: ['single_use'] }],
    ['not what is older than the window', { a: ago(301) }, undefined],
    ['not what is older at its source', { a: ago(10, late) }, undefined],
    ['not what has expired', { a: ago(10, expired) }, undefined],
    ['not what was only set off', { a: { triggered: true, triggered_at: NOW } }, undefined],
    ['not what says nothing of its time', { a: { satisfied: true } }, undefined],
    ['not a scope that is not named', { a: ago(10) }, undefined, once],
    ['not a condition', { a: ago(10) }, undefined, { ...protectedBranch([]), name: 'plan' }],
    ['not entries that are none', { a: 'yes', b: [true] }, undefined],
    ['not what it has already', { [SESSION]: ago(200), a: ago(10) }, undefined],
  ])('%s', (_sentence, sessions, from, requirement = plan, over = OVER) => {
    const carried = carriedOver('clear', {
      config: configOf([requirement], { carryOver: over }),
      state: state({ plan: { sessions } }),
      session: SESSION,
      now: NOW,
      isSigned: () => false,
    });
    expect(carried.map((one) => one.from)).toEqual(from === undefined ? [] : [from]);
  });

  test('is written with its source and its end, and told where the config wants it', async () => {
    const sessions = { [SESSION]: { triggered: true }, aaaaaaaa: ago(10, { expires_at: NOW + 40 }) };
    const files = { [FILE]: state({ plan: { sessions } }) };
    const { verdict, written } = await decide(start('clear'), [plan], { files });
    const own = { triggered: true, satisfied_at: NOW, satisfied_by: 'carry_over', expires_at: NOW + 40 };
    const source = { original_satisfied_at: NOW - 10, original_satisfied_by: 'skill' };
    const metadata = { carried_from: 'aaaaaaaa', ...source, carry_over_window: 300 };
    const after = { plan: { sessions: { [SESSION]: { ...own, metadata } } } };
    expect(written(FILE)).toMatchObject({ requirements: after });
    expect(verdict).toMatchObject({ toAgent: expect.stringContaining('`plan` from aaaaaaaa (10 s ago)') });
    for (const source of ['startup', 'resume', 'compact'] as const)
      expect((await decide(start(source), [plan], { files })).written(FILE)).toEqual(files[FILE]);
  });
});

test('a session that ends closes its counts, and takes its own where it shall', async () => {
  const both = { [SESSION]: { satisfied: true }, aaaaaaaa: { satisfied: true } };
  const branch = { design: { scope: 'branch', satisfied: true, sessions: {} }, foreign: { sessions: both } };
  const session = (sessions: JsonObject) => ({ plan: { scope: 'session', sessions }, ...branch });
  const files = { [FILE]: state(session(both)), [METRICS]: { tools: {} } };
  const requirements = [plan, blocking('design', { scope: 'branch' })];
  const { written } = await decide(ctx.end(), requirements, { files });
  expect(written(METRICS)).toMatchObject({ ended_at: NOW });
  expect(written(FILE)).toEqual(files[FILE]);
  expect(changed(await decide(ctx.end(), requirements))).toEqual([]);
  const cleared = await decide(ctx.end(), requirements, { files }, { clearSessionState: true });
  expect(cleared.written(FILE)).toMatchObject({ requirements: session({ aaaaaaaa: { satisfied: true } }) });
  const none = await decide(ctx.end(), requirements, {}, { clearSessionState: true });
  expect(none.written(FILE)).toBeUndefined();
});

test('a compaction is counted', async () => {
  const event = { ...stop(), kind: 'compact.before', trigger: 'auto' } as const;
  const { written } = await decide(event, [plan], { files: { [METRICS]: { compaction_count: 1 } } });
  expect(written(METRICS)).toMatchObject({ compaction_count: 2 });
});
