import type { Change } from '../state/documents';
import type { Event } from './event';
import type { Failure } from './failure';
import type { RefusedStops } from './guard';
import type { JsonObject } from './json';
import {
  degrade,
  recordFrom,
  recordRefusal,
  recordToJson,
  recordToolUse,
  type SessionRecord,
} from './refused-stops';
import type { GuardName } from './selection';
import { sessionRecordRef } from './text';
import type { Decision, Remarks, Report, Spoken, Verdict, VerdictKind } from './verdict';

/** The last line of every hold: where to find the details. */
export function whyLine(id: string): string {
  return `Details: \`holdpoint why ${id}\``;
}

function capReached(inRow: number, guards: readonly string[]): string {
  const held = inRow === 1 ? '1 stop was' : `${inRow} stops in a row were`;
  return `Holdpoint let this turn end although ${guards.join(' and ')} would hold it: ${held} held without a tool call in between, and most hosts end the turn then. Nothing was satisfied.`;
}

function holdReleased(guards: readonly string[], failure: string): string {
  return `Holdpoint let this turn end although ${guards.join(' and ')} would hold it: the hold could not be recorded (${failure}), and a hold that is not counted could go on forever.`;
}

export function cannotWrite(failure: Failure): string {
  const file = 'file' in failure ? ` (${failure.file})` : '';
  return `Holdpoint cannot write its state here: ${failure.code}${file}. What is held stays held, but nothing can be recorded as satisfied until this is fixed.`;
}

/** For a guard that failed and whose config says `on_error: hold`. */
export function heldByError(guard: string, failure: Failure): string {
  const what =
    failure.code === 'rule.failed'
      ? `The rule \`${failure.rule}\` failed (${failure.place}: ${failure.detail})`
      : failure.code === 'effect.failed'
        ? `${guard} could not finish (${failure.detail})`
        : `Internal error in ${guard} (${failure.code}): nothing was checked`;
  return [
    `${what}, and the config says \`on_error: hold\`, so this is held.`,
    `Fix the cause (\`holdpoint status\` shows it), or ask the user to set \`guards.${guard}.on_error: allow\` or to start the host with HOLDPOINT_DISABLE=1.`,
  ].join('\n');
}

/** Some hosts never end a turn by themselves: without a limit it could go on forever. */
const OWN_BOUND = 8;

/**
 * How many stops may be held in a row without tool use. At its cap a host ends the turn silently, so we
 * release the last stop before that ourselves and say so.
 */
export function stopLimit(cap: number | undefined): number {
  return cap === undefined ? OWN_BOUND : Math.max(1, cap - 1);
}

export const BY_STRICTNESS: readonly VerdictKind[] = ['nothing', 'advise', 'hold', 'ask', 'deny'];

type Binding = Extract<Verdict, { reason: string }>;
type BindingSpoken = { readonly guard: GuardName; readonly verdict: Binding };

/** The binding verdicts, strictest first, and the remarks that accompany them. */
interface Heard extends Remarks {
  readonly binding: readonly BindingSpoken[];
  readonly report: Report | undefined;
  readonly updatedInput: JsonObject | undefined;
  readonly notify: string | undefined;
}

/**
 * One decision from all verdicts: the strictest kind wins, one message gives the reasons of all binding
 * guards, strictest first, and advice is added to it, ours last.
 */
export function combine(spoken: readonly Spoken[], own: Remarks, id: string): Decision {
  const collected = collectFrom(spoken, own);
  const { binding, report, toAgent, toPerson } = collected;
  const strictest = binding[0]?.verdict.kind;
  if (strictest === undefined) return unbound(collected, id);
  const by = [...new Set(binding.map(({ guard }) => guard))];
  const byLoopAlone = by.length === 1 && by[0] === 'loop';
  const isBare =
    byLoopAlone || binding.every(({ verdict }) => verdict.kind === 'deny' && verdict.bare === true);
  const decision = { toAgent, toPerson, id, by, reason: joinReasons(binding, id, isBare) };
  switch (strictest) {
    case 'hold':
      return {
        ...decision,
        kind: 'hold',
        // A success report beside the loop's own text would read as its reason.
        ...(report && !byLoopAlone && { report }),
        ...(binding.some(isPlain) && { plain: true }),
      };
    case 'ask':
      return {
        ...decision,
        kind: 'ask',
        ...(collected.updatedInput && { updatedInput: collected.updatedInput }),
      };
    case 'deny':
      return { ...decision, kind: 'deny', ...(collected.notify && { notify: collected.notify }) };
  }
}

/** One decision for several projects: the strictest, with the reasons of all binding ones, each once. */
export function combineProjects(decisions: readonly Decision[]): Decision {
  const ordered = [...decisions].sort(
    (a, b) => BY_STRICTNESS.indexOf(b.kind) - BY_STRICTNESS.indexOf(a.kind),
  );
  const [strictest = { kind: 'nothing', toAgent: [], toPerson: [] } as const] = ordered;
  const each = <T>(of: (decision: Decision) => readonly T[]): T[] => [...new Set(decisions.flatMap(of))];
  const remarks = { toAgent: each(({ toAgent }) => toAgent), toPerson: each(({ toPerson }) => toPerson) };
  if (!('reason' in strictest)) return { ...strictest, ...remarks };
  const binding = ordered.filter((decision) => 'reason' in decision);
  const reason = [...new Set(binding.map((decision) => decision.reason))].join('\n\n');
  return { ...strictest, ...remarks, reason, by: [...new Set(binding.flatMap(({ by }) => by))] };
}

function collectFrom(spoken: readonly Spoken[], own: Remarks): Heard {
  const said = spoken.map(({ verdict }): Said => verdict);
  const binding = spoken.flatMap(({ guard, verdict }) => ('reason' in verdict ? [{ guard, verdict }] : []));
  return {
    binding: binding.sort((a, b) => strictness(b) - strictness(a)),
    toAgent: [...said.flatMap(({ toAgent }) => toAgent ?? []), ...own.toAgent],
    toPerson: [...said.flatMap(({ toPerson }) => toPerson ?? []), ...own.toPerson],
    report: said.find(({ report }) => report)?.report,
    updatedInput: said.find(({ updatedInput }) => updatedInput)?.updatedInput,
    notify: said.find(({ notify }) => notify !== undefined)?.notify,
  };
}

/** The optional fields of verdicts. */
type Said = Partial<Record<'toAgent' | 'toPerson' | 'notify', string>> & {
  readonly report?: Report;
  readonly updatedInput?: JsonObject;
};

function unbound({ toAgent, toPerson, report, updatedInput }: Heard, id: string): Decision {
  const silent = toAgent.length === 0 && toPerson.length === 0 && updatedInput === undefined;
  if (silent) return { kind: 'nothing', toAgent, toPerson, ...(report && { report }) };
  return {
    kind: 'advise',
    id,
    toAgent,
    toPerson,
    ...(report && { report }),
    ...(updatedInput && { updatedInput }),
  };
}

function strictness({ verdict }: BindingSpoken): number {
  return BY_STRICTNESS.indexOf(verdict.kind);
}

function isPlain({ verdict }: BindingSpoken): boolean {
  return verdict.kind === 'hold' && verdict.plain === true;
}

/** Adds nothing to the loop's own text, a wire format that scripts compare, or to an answer to a person. */
function joinReasons(binding: readonly BindingSpoken[], id: string, isBare: boolean): string {
  const paragraphs = binding.map((one) => one.verdict.reason.trimEnd()).join('\n\n');
  return isBare ? paragraphs : `${paragraphs}\n${whyLine(id)}`;
}

export interface Proceedings {
  readonly event: Event;
  readonly spoken: readonly Spoken[];
  readonly failures: readonly Failure[];
  /** Remarks of the core itself, beside those of the guards. */
  readonly remarks: Remarks;
  readonly refusedStops: RefusedStops;
  readonly limit: number;
  readonly id: string;
}

export interface Conclusion {
  readonly decision: Decision;
  /** Changes to the session's record. */
  readonly changes: readonly Change[];
}

/** Turns verdicts into a decision, with the bookkeeping that a held stop needs. */
export function conclude(proceedings: Proceedings): Conclusion {
  const { event, spoken, remarks, refusedStops, limit, id } = proceedings;
  const decision = combine(spoken, remarks, id);
  const overCap = event.kind === 'turn.stop' && decision.kind === 'hold' && refusedStops.inRow >= limit;
  const final = overCap ? released(decision, capReached(refusedStops.inRow, decision.by)) : decision;
  return { decision: final, changes: recordChanges(proceedings, final) };
}

/**
 * What is left of a decision whose changes could not be written. A held stop is released: uncounted, it could
 * repeat forever. A starting session is told that nothing can be recorded here.
 */
export function afterFailedWrite(event: Event, decision: Decision, failure: Failure, id: string): Decision {
  if (event.kind === 'session.start') return withNote(decision, cannotWrite(failure), id);
  const counted = event.kind === 'turn.stop' || event.kind === 'subagent.stop';
  if (decision.kind !== 'hold' || !counted) return decision;
  return released(decision, holdReleased(decision.by, failure.code));
}

function withNote(decision: Decision, note: string, id: string): Decision {
  const noted = { toAgent: [...decision.toAgent, note], toPerson: [...decision.toPerson, note] };
  return decision.kind === 'nothing' ? { kind: 'advise', id, ...noted } : { ...decision, ...noted };
}

function released(decision: Extract<Decision, { kind: 'hold' }>, note: string): Decision {
  const { id, toAgent, toPerson, report } = decision;
  return { kind: 'advise', id, toAgent, toPerson: [...toPerson, note], ...(report && { report }) };
}

function recordChanges(proceedings: Proceedings, decision: Decision): Change[] {
  const { event, failures, refusedStops } = proceedings;
  if (event.sessionId === '') return [];
  const steps: ((record: SessionRecord) => SessionRecord)[] = [];
  if (event.kind === 'turn.stop' && decision.kind === 'hold') {
    const toolUseSeen = refusedStops.inRow === 0;
    steps.push((record) => recordRefusal(record, event, decision.by, toolUseSeen, Date.now()));
  }
  // The host counts rounds of the main agent; a subagent's tool use does not reset its count.
  const toolUse = event.kind.startsWith('tool.') && event.agent === undefined;
  if (toolUse && refusedStops.inRow > 0) steps.push(recordToolUse);
  const present = failures.filter((one) => !('isPast' in one));
  if (present.length > 0) steps.push((record) => degrade(record, present, event.at));
  if (steps.length === 0) return [];
  return [
    {
      document: sessionRecordRef(event.sessionId),
      what: 'session record',
      apply: (current) => {
        const record = recordFrom(current, event.sessionId);
        const next = steps.reduce((value, step) => step(value), record);
        return next === record ? current : recordToJson(next, event.at);
      },
    },
  ];
}
