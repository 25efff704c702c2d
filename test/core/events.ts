import type { Envelope, Event, EventOf } from '../../src/core/event';
import type { GuardName } from '../../src/core/guard';
import type { Grounds, GuardVerdict, Verdict } from '../../src/core/verdict';

export const AT = Date.UTC(2026, 0, 1);

const envelope: Envelope = {
  v: 1,
  host: 'claude-code',
  hostEvent: 'Test',
  raw: {},
  sessionId: 'session-one',
  cwd: '/p',
  roots: [],
  at: AT,
};

type StopFacts = Partial<
  Pick<EventOf<'turn.stop'>, 'continuing' | 'lastMessage' | 'saidSincePrompt' | 'at' | 'sessionId'>
> & {
  readonly promptId?: string | undefined;
};

/** A stop of the prompt `p1`, unless `promptId` says otherwise. */
export function stop(facts: StopFacts = {}): EventOf<'turn.stop'> {
  const { promptId, ...rest } = { promptId: 'p1', ...facts };
  return {
    ...envelope,
    ...(promptId !== undefined && { promptId }),
    kind: 'turn.stop',
    continuing: false,
    status: 'completed',
    backgroundTasks: [],
    crons: [],
    ...rest,
  };
}

export function tool(facts: Partial<Envelope> = {}): Event {
  const call = { nativeName: 'Bash', names: ['Bash'], op: 'shell', input: {}, paths: [] } as const;
  return { ...envelope, ...facts, kind: 'tool.before', call };
}

export function sessionStart(): Event {
  return { ...envelope, kind: 'session.start', source: 'startup' };
}

export const grounds: readonly Grounds[] = [{ rule: 'r', fact: 'f' }];

export function says(guard: GuardName, verdict: Verdict): GuardVerdict {
  return { guard, verdict };
}

/** A verdict that binds, with a reason that names its guard and kind. */
export function binds(guard: GuardName, kind: 'hold' | 'ask' | 'deny'): GuardVerdict {
  return says(guard, { kind, reason: `${guard} says ${kind}`, grounds });
}
