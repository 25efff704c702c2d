import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../../src/core/event';
import type { Failure } from '../../../src/core/failure';
import type { Context, EffectRequest, FileFact } from '../../../src/core/guard';
import type { Json } from '../../../src/core/json';
import { digest } from '../../../src/core/text';
import type { Verdict } from '../../../src/core/verdict';
import type { GatesConfig } from '../../../src/guards/gates/config';
import { guard } from '../../../src/guards/gates/index';
import { gatesDigest } from '../../../src/guards/gates/run/run-record';
import type { GateResult, RunResult } from '../../../src/guards/gates/run-result';
import type { Change, Document, DocumentRef } from '../../../src/state/documents';
import { check, gates } from './run/gates-project';

const NOW = Date.UTC(2026, 0, 1, 12);
const CONFIG = gates([check('c', 'true'), check('a:c', 'true')]);
const HOLD = { guard: 'requirements', verdict: { kind: 'hold', reason: 'r', grounds: [] } } as const;

interface Case {
  readonly event?: Partial<EventOf<'turn.stop'>>;
  readonly config?: Partial<GatesConfig>;
  readonly env?: Record<string, string>;
  readonly state?: object;
  /** What we know of the last run; `true` where it is what the state says. */
  readonly record?: true | object;
  readonly session?: object;
  readonly locked?: boolean;
  readonly position?: 'detached' | 'rebase';
  readonly deliberation?: Partial<Pick<Context, 'earlier' | 'gauntletCompat' | 'refusedStops'>>;
  /** What the effect brings; without it the test ends where one is asked for. */
  readonly effectResult?: Json;
}

function stop(more: Case['event'] = {}): EventOf<'turn.stop'> {
  return {
    v: 1,
    host: 'claude-code',
    hostEvent: 'Stop',
    raw: {},
    sessionId: 's',
    cwd: '/p',
    roots: [],
    at: NOW,
    kind: 'turn.stop',
    continuing: false,
    status: 'completed',
    backgroundTasks: [],
    crons: [],
    ...more,
  } as EventOf<'turn.stop'>;
}

type Step =
  | ({ readonly kind: 'effect' } & EffectRequest)
  | {
      readonly kind: 'outcome';
      readonly verdict: Verdict;
      readonly troubles: readonly Failure[];
      readonly changes: readonly Change[];
    };

async function decide(one: Case): Promise<Step> {
  const config = { ...CONFIG, ...one.config };
  const text = one.state === undefined ? undefined : JSON.stringify(one.state);
  const files = new Map<string, FileFact>([
    [
      'gauntlet_logs/.execution_state',
      text === undefined
        ? { kind: 'missing' }
        : { kind: 'file', size: text.length, mtimeMs: 0, ctimeMs: NOW - 60_000, text },
    ],
    [
      'gauntlet_logs/.gauntlet-run.lock',
      one.locked ? { kind: 'file', size: 1, mtimeMs: 0 } : { kind: 'missing' },
    ],
  ]);
  const place = { root: '/p', gitDir: '/p/.git', commonDir: '/p/.git' };
  const position =
    one.position === 'detached'
      ? ({ kind: 'detached', commit: 'c' } as const)
      : one.position === 'rebase'
        ? ({ kind: 'rebase', branch: 'feat', commit: 'c' } as const)
        : ({ kind: 'branch', branch: 'feat' } as const);
  const record =
    one.record === true ? { state: text, seen_at: 1, passed: [], gates: gatesDigest(config) } : one.record;
  const document = ({ path }: DocumentRef): Document => {
    const value = path.startsWith('gates/session-') ? one.session : record;
    return value === undefined ? { kind: 'missing' } : { kind: 'present', value: value as Json, version: '' };
  };
  const asked: EffectRequest[] = [];
  const changes: Change[] = [];
  const troubles: Failure[] = [];
  const ctx = {
    now: NOW,
    projectRoot: '/p',
    refusedStops: { byGuard: {}, inRow: 0 },
    document,
    change: (change: Change) => changes.push(change),
    env: (name: string) => one.env?.[name] ?? '',
    file: ({ path }: { path: string }) => files.get(path),
    git: { ...place, position },
    earlier: [],
    gauntletCompat: false,
    run: async (effect: EffectRequest) => {
      asked.push(effect);
      if (one.effectResult === undefined) throw new Error('asked');
      return one.effectResult;
    },
    trouble: (failure: Failure) => troubles.push(failure),
    asked: () => undefined,
    ...one.deliberation,
  } as unknown as Context;
  try {
    return { kind: 'outcome', verdict: await guard.decide(stop(one.event), config, ctx), troubles, changes };
  } catch (error) {
    const [effect] = asked;
    if (effect === undefined) throw error;
    return { kind: 'effect', ...effect };
  }
}

/** What becomes of a stop: the work it asks for, or its report. */
async function fate(one: Case): Promise<string> {
  const step = await decide(one);
  if (step.kind === 'effect') return `effect ${step.name}`;
  const { verdict } = step;
  return `${verdict.kind} ${'report' in verdict ? verdict.report?.status : ''}`.trim();
}

const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();
const PASSED = { last_run_completed_at: ago(5), branch: 'feat', last_status: 'passed' };
const literal = { gauntletCompat: true };

describe('before anything runs', () => {
  it.each<[string, Case, string]>([
    [
      'a stop has the gates run, but not for the command that obeys the flag',
      { event: { continuing: true }, deliberation: literal },
      'nothing stop_hook_active',
    ],
    [
      'unless it verifies',
      {
        event: { continuing: true },
        deliberation: literal,
        config: { stopHook: { ...CONFIG.stopHook, reverify: true } },
      },
      'effect run',
    ],
    ['where another guard holds, nothing is said', { deliberation: { earlier: [HOLD] } }, 'nothing'],
    [
      'nor is the flag looked at',
      { event: { continuing: true }, deliberation: { ...literal, earlier: [HOLD] } },
      'nothing',
    ],
    [
      'advice of another guard is no hold',
      { deliberation: { earlier: [{ guard: 'workflow', verdict: { kind: 'advise', grounds: [] } }] } },
      'effect run',
    ],
    [
      'the flag comes before the switch',
      { event: { continuing: true }, deliberation: literal, env: { GAUNTLET_STOP_HOOK_ENABLED: '0' } },
      'nothing stop_hook_active',
    ],
    ['a broken-off turn is not held', { event: { status: 'aborted' } }, 'nothing no_applicable_gates'],
    [
      'they rest after a pass with warnings',
      { state: { ...PASSED, last_status: 'passed_with_warnings' } },
      'nothing interval_not_elapsed',
    ],
    [
      'while the branch is rebased too',
      { state: PASSED, position: 'rebase' },
      'nothing interval_not_elapsed',
    ],
    [
      'without a branch as well',
      { state: { ...PASSED, branch: 'HEAD' }, position: 'detached' },
      'nothing interval_not_elapsed',
    ],
    ['a lock has to be looked at first', { state: PASSED, locked: true }, 'effect run'],
    [
      'so have the logs of a run whose end is not known',
      { state: { ...PASSED, last_status: undefined } },
      'effect run',
    ],
    [
      'where there is a debug log, it is told',
      { state: PASSED, config: { debugLog: { enabled: true, maxSizeMb: 1 } } },
      'effect note',
    ],
  ])('%s', async (_sentence, one, expected) => {
    expect(await fate(one)).toBe(expected);
  });

  it('the effect knows whether the gates might rest', async () => {
    expect(await decide({ state: PASSED, locked: true })).toMatchObject({ input: { restsIfOver: true } });
    expect(await decide({})).toMatchObject({ announce: 'run started', input: { restsIfOver: false } });
  });

  it.each<[string, Partial<EventOf<'turn.stop'>>, string | undefined]>([
    ['the prompt', { promptId: 'p1' }, 'p1'],
    ['its first stop', {}, `stop ${NOW}`],
    ['nothing, later', { continuing: true }, undefined],
  ])('the turn is named after %s', async (_sentence, event, turn) => {
    const step = await decide({ event });
    expect(step.kind === 'effect' ? (step.input as { turn?: string }).turn : 'none').toBe(turn);
  });
});

const failed: GateResult = {
  id: 'check:src:c',
  status: 'fail',
  message: 'Exited with code 1',
  durationMs: 1,
  log: '/p/gauntlet_logs/check_src_c.1.log',
  telling: ['first', 'last'],
};

function after(result: Partial<RunResult>, more: Case = {}): Promise<Step> {
  const effectResult = {
    status: 'passed',
    message: 'm.',
    gates: [],
    ...result,
  } as unknown as Json;
  return decide({ ...more, effectResult });
}

async function verdictAfter(result: Partial<RunResult>, more?: Case) {
  const step = await after(result, more);
  if (step.kind !== 'outcome') throw new Error('asked for more');
  return step;
}

describe('after a run', () => {
  it.each([
    ['passed', 'nothing'],
    ['passed_with_warnings', 'nothing'],
    ['no_applicable_gates', 'nothing'],
    ['no_changes', 'nothing'],
    ['failed', 'hold'],
    ['retry_limit_exceeded', 'advise'],
    ['lock_exists', 'advise'],
    ['lock_conflict', 'advise'],
    ['infrastructure_error', 'advise'],
    ['error', 'advise'],
    ['interval_not_elapsed', 'nothing'],
  ] as const)('%s means %s, in the same word', async (status, kind) => {
    const { verdict } = await verdictAfter({ status });
    expect(verdict).toMatchObject({ kind, report: { status } });
    expect(kind === 'hold').toBe(status === 'failed');
  });

  it('the grounds name the gate that is meant, and where it stands', async () => {
    const place = '.gauntlet/checks/c.yml:1:1';
    const { verdict } = await verdictAfter({
      status: 'failed',
      gates: [
        { ...failed, place },
        { ...failed, status: 'pass' },
      ],
    });
    expect('grounds' in verdict ? verdict.grounds : []).toEqual([
      expect.objectContaining({ rule: 'check:src:c', place, fact: expect.stringContaining('code 1') }),
    ]);
  });

  it.each([
    ['the hook verifies', {}, true],
    ['the command does not', { deliberation: literal }, false],
    [
      'unless it was told to',
      { deliberation: literal, config: { stopHook: { ...CONFIG.stopHook, reverify: true } } },
      true,
    ],
  ])('the reason is true: %s', async (_sentence, more, verifies) => {
    const { verdict } = await verdictAfter({ status: 'failed', gates: [failed], run: 3, maxRuns: 4 }, more);
    const reason = 'reason' in verdict ? verdict.reason : '';
    expect(reason).toContain(verifies ? 'to verify your fixes' : 'in this turn is not checked');
    expect(reason).toContain('This was run 3 of 4; 1 retry left.');
  });

  it('the reason stays short enough for the client, whatever failed', async () => {
    const telling = Array.from({ length: 20 }, () => 'x'.repeat(300));
    const many = Array.from({ length: 40 }, (_, n) => ({ ...failed, id: `check:src:gate-${n}`, telling }));
    const { verdict } = await verdictAfter({
      status: 'failed',
      gates: many,
      message: '40 gates did not pass.',
    });
    const reason = 'reason' in verdict ? verdict.reason : '';
    expect(reason.length).toBeLessThan(9500);
    expect(reason).toContain('… and 28 more, in the console log');
  });

  it('a run that was killed before is told, whatever came of this one', async () => {
    const { verdict, troubles } = await verdictAfter({ killed: 'an earlier run was killed' });
    const detail = 'an earlier run was killed';
    expect(troubles).toEqual([{ code: 'effect.failed', guard: 'gates', detail, isPast: true }]);
    expect(verdict).toMatchObject({
      kind: 'advise',
      toPerson: 'Holdpoint: an earlier run was killed.',
      report: { status: 'passed' },
    });
  });

  it('somebody else’s hold that has come up since goes first', async () => {
    const step = await after({ status: 'failed' }, { deliberation: { earlier: [HOLD] } });
    expect(step).toMatchObject({ verdict: { kind: 'nothing' } });
  });
});

const TREE = 'a'.repeat(40);
const SEEN = { ...PASSED, working_tree_ref: TREE, base_commit: 'b1' };
const SESSION = { root: '/p', session_id: 's', at: NOW - 3_600_000, head: 'h1', base: 'b1' };

describe('within the interval', () => {
  it.each<[string, Case, string | undefined]>([
    ['our own run rests on its files', { state: SEEN, record: true }, TREE],
    ['also in a session', { state: SEEN, record: true, session: SESSION }, TREE],
    [
      'not one that counted from another base',
      { state: SEEN, record: true, session: { ...SESSION, base: 'b0' } },
      undefined,
    ],
    [
      'not a state that was written during the session, and not by us',
      { state: SEEN, session: SESSION },
      undefined,
    ],
    [
      'not on a pass of other gates',
      { state: SEEN, record: { state: JSON.stringify(SEEN), gates: 'x' } },
      undefined,
    ],
    ['nor one that was changed', { state: SEEN, record: { state: '{}' }, session: SESSION }, undefined],
  ])('%s', async (_sentence, one, restsOn) => {
    const step = await decide(one);
    expect(step).toMatchObject({ kind: 'effect', input: { restsIfOver: false } });
    expect((step as { input: { restsOn?: string } }).input.restsOn).toBe(restsOn);
  });

  it('what another program wrote before the session began still counts for its own command', async () => {
    const session = { ...SESSION, at: NOW };
    expect(await fate({ state: SEEN, session, deliberation: literal })).toBe('nothing interval_not_elapsed');
  });
});

describe('beside the gates', () => {
  const ASIDE = [{ what: 'the branch `aside`', exit: '`git switch aside`', version: 'c1' }];
  const WEAKER = { facts: ['3 tests deleted in a.test.js'], changed: ['1 assertion changed in b.test.js'] };
  const HOLDING = { weakening: 'hold' } as const;
  it.each<[string, Partial<RunResult>, Case, string]>([
    ['work put aside is held', { aside: ASIDE }, {}, 'hold: get it back with `git switch aside`'],
    ['weaker checks are told', { weaker: WEAKER }, {}, 'advise: 3 tests deleted in a.test.js. '],
    ['or held', { weaker: WEAKER }, { config: HOLDING }, 'hold: - 3 tests deleted in a.test.js\n'],
    ['with a way out', { weaker: WEAKER }, { config: HOLDING }, 'hold: `holdpoint trust --accept`'],
    [
      'not once a person has accepted them, though changed assertions are said',
      { weaker: WEAKER },
      { config: HOLDING, session: { ...SESSION, accepted: WEAKER.facts } },
      'advise: Changed since the session began: 1 assertion changed in b.test.js.',
    ],
    [
      'changed assertions alone are ordinary work',
      { weaker: { facts: [], changed: WEAKER.changed } },
      {},
      'nothing: ',
    ],
    [
      'held once for it, the turn ends and the person knows',
      { aside: ASIDE },
      {
        session: { ...SESSION, aside: digest('c1') },
        deliberation: { refusedStops: { byGuard: { gates: 1 }, inRow: 0 } },
      },
      'advise: Unchecked work from during this session is in the branch `aside`.',
    ],
    [
      'which is not said again',
      { aside: ASIDE },
      { session: { ...SESSION, aside: digest('c1'), released: digest('c1') } },
      'nothing: ',
    ],
    ['also while the gates rest', { status: 'interval_not_elapsed', aside: ASIDE }, {}, 'hold: aside'],
    [
      'what failed is held for that',
      { status: 'failed', gates: [failed], aside: ASIDE },
      {},
      'hold: check:src:c',
    ],
  ])('%s', async (_sentence, result, one, expected) => {
    const { verdict } = await verdictAfter(result, { session: SESSION, ...one });
    const [kind, text = ''] = expected.split(/: (.*)/s);
    expect(verdict.kind).toBe(kind);
    expect('reason' in verdict ? verdict.reason : 'toPerson' in verdict ? verdict.toPerson : '').toContain(
      text,
    );
  });

  it('what became weaker is noted for a person to accept', async () => {
    const { changes } = await verdictAfter({ weaker: WEAKER }, { session: SESSION });
    const [noted] = changes.map((change) => change.apply(SESSION));
    expect(noted).toMatchObject({ ...SESSION, weaker: WEAKER.facts, told: expect.any(String) });
    const again = await verdictAfter({ weaker: WEAKER }, { session: noted as object });
    expect(again).toMatchObject({ verdict: { kind: 'nothing' }, changes: [] });
  });
});

describe('what it watches', () => {
  it('is the end of a turn, and the start of a session to say so', () => {
    expect(guard.interest(CONFIG)).toEqual([{ kind: 'turn.stop' }, { kind: 'session.start' }]);
  });
});
