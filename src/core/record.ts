import type { Decision } from './decision';
import type { Event } from './event';
import type { Failure } from './failure';
import type { Json, JsonObject } from './json';
import { sentenceOf } from './messages';
import { isoTime } from './text';
import type { Spoken } from './verdict';

/** What is worth a line in the journal. */
export interface Proceeding {
  readonly id: string;
  readonly event: Event;
  readonly decision: Decision['kind'];
  /** How the gates' run ended, where there was one. */
  readonly status?: string;
  /** Whether there is a line already that says only that something began. */
  readonly announced: boolean;
  readonly spoken: readonly Spoken[];
  readonly written: readonly string[];
  readonly setAside: readonly string[];
  readonly failures: readonly Failure[];
  readonly losses: readonly string[];
  readonly durationMs: number;
}

/** A plain allow that changed nothing leaves no trace, unless somebody waits to read how it went on. */
export function isWorthALine(proceeding: Proceeding): boolean {
  const { decision, announced, spoken, written, setAside, failures, losses } = proceeding;
  if (decision !== 'nothing' || announced) return true;
  if (spoken.some(({ verdict }) => 'grounds' in verdict && verdict.grounds.length > 0)) return true;
  return written.length + setAside.length + failures.length + losses.length > 0;
}

/** One decision as it stands in the journal: names, rules and places, never prompts, contents or environment. */
export function journalEntry(proceeding: Proceeding): JsonObject {
  const { id, event, decision, status, spoken, written, setAside, failures, losses, durationMs } = proceeding;
  const call = 'call' in event ? event.call : undefined;
  return {
    id,
    at: isoTime(event.at),
    host: event.host,
    session: event.sessionId,
    event: event.hostEvent,
    ...(call && { tool: call.nativeName }),
    ...(call?.callId !== undefined && { call: call.callId }),
    ...(event.agent && { agent: event.agent.id }),
    decision,
    ...(status !== undefined && { status }),
    verdicts: verdictEntries(spoken),
    ...listed('written', written),
    ...listed('set_aside', setAside),
    ...listed('failures', failures.map(failureEntry)),
    ...listed('losses', losses),
    ms: durationMs,
  };
}

function verdictEntries(spoken: readonly Spoken[]): Json[] {
  const entries: Json[] = [];
  for (const { guard, verdict } of spoken) {
    if (verdict.kind === 'nothing') continue;
    entries.push({ guard, verdict: verdict.kind, grounds: verdict.grounds.map((ground) => ({ ...ground })) });
  }
  return entries;
}

function failureEntry(failure: Failure): Json {
  return { code: failure.code, message: sentenceOf(failure) };
}

function listed(name: string, items: readonly Json[]): JsonObject {
  return items.length === 0 ? {} : { [name]: items };
}
