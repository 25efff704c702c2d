import { branchLabel } from '../git/head';
import type { Change, Layout } from '../state/documents';
import { appendJournal, appendToLog, isJoined, lineOf, nextDecisionId, noteProject } from '../state/journal';
import type { Who } from './actor';
import type { EventContext, World } from './context';
import type { Committed, Judgement } from './decide';
import { type Event, whoCaused } from './event';
import { attempt, type Failure } from './failure';
import type { GuardName, RefusedStops } from './guard';
import type { Json, JsonObject } from './json';
import { sentenceOf, tooLongToCheck } from './messages';
import {
  markDegraded,
  recordChange,
  recordRefusal,
  recordToolUse,
  type SessionRecord,
  withoutLastRefusal,
} from './refused-stops';
import { isoTime, sessionKey } from './text';
import type { Answer, Decision, GuardVerdict, Remarks, Report, Verdict, VerdictKind } from './verdict';

/** The last line of every hold: where to find the details. */
export function whyLine(id: string): string {
  return `Details: \`holdpoint why ${id}\``;
}

function stopLimitNote(inRow: number, guards: readonly string[]): string {
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

/** Shorter lines are not slow by themselves. */
const LONG_LINE = 1000;

/**
 * A call that cannot be judged in time is allowed, like after any failure of ours. But a line may be slow because of its
 * length, which is up to the agent, and an agent must not get past the rules that way.
 */
export function heldForLength(event: Event): Verdict | undefined {
  const length = event.kind === 'tool.before' ? (event.call.command?.length ?? 0) : 0;
  if (length < LONG_LINE) return undefined;
  const fact = `the command line has ${length} characters and could not be checked in time`;
  const grounds = [{ rule: 'long command line', fact, clear: 'split it into shorter commands' }];
  return { kind: 'deny', reason: tooLongToCheck(length), grounds };
}

/** Some hosts never end a turn by themselves: without a limit it could go on forever. */
const DEFAULT_STOP_LIMIT = 8;

/**
 * How many stops may be held in a row without tool use. At its cap a host ends the turn silently, so we
 * release the last stop before that ourselves and say so.
 */
export function stopLimit(cap: number | undefined): number {
  return cap === undefined ? DEFAULT_STOP_LIMIT : Math.max(1, cap - 1);
}

export const BY_STRICTNESS: readonly VerdictKind[] = ['nothing', 'advise', 'hold', 'ask', 'deny'];

type BindingVerdict = Extract<Verdict, { reason: string }>;
type BindingGuardVerdict = { readonly guard: GuardName; readonly verdict: BindingVerdict };

/** The binding verdicts, strictest first, and the remarks that accompany them. */
interface CollectedVerdicts extends Remarks {
  readonly binding: readonly BindingGuardVerdict[];
  readonly report: Report | undefined;
  readonly updatedInput: JsonObject | undefined;
  readonly notify: string | undefined;
}

/**
 * One decision from all verdicts: the strictest kind wins, one message gives the reasons of all binding
 * guards, strictest first, and advice is added to it, ours last.
 */
export function combine(verdicts: readonly GuardVerdict[], own: Remarks, id: string): Decision {
  const collected = collectFrom(verdicts, own);
  const { binding, report, toAgent, toPerson } = collected;
  const strictest = binding[0]?.verdict.kind;
  if (strictest === undefined) return nonBindingDecision(collected, id);
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

function collectFrom(verdicts: readonly GuardVerdict[], own: Remarks): CollectedVerdicts {
  const said = verdicts.map(({ verdict }): VerdictExtras => verdict);
  const binding = verdicts.flatMap(({ guard, verdict }) => ('reason' in verdict ? [{ guard, verdict }] : []));
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
type VerdictExtras = Partial<Record<'toAgent' | 'toPerson' | 'notify', string>> & {
  readonly report?: Report;
  readonly updatedInput?: JsonObject;
};

function nonBindingDecision(
  { toAgent, toPerson, report, updatedInput }: CollectedVerdicts,
  id: string,
): Decision {
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

function strictness({ verdict }: BindingGuardVerdict): number {
  return BY_STRICTNESS.indexOf(verdict.kind);
}

function isPlain({ verdict }: BindingGuardVerdict): boolean {
  return verdict.kind === 'hold' && verdict.plain === true;
}

/** Adds nothing to the loop's own text, a wire format that scripts compare, or to an answer to a person. */
function joinReasons(binding: readonly BindingGuardVerdict[], id: string, isBare: boolean): string {
  const paragraphs = binding.map((one) => one.verdict.reason.trimEnd()).join('\n\n');
  return isBare ? paragraphs : `${paragraphs}\n${whyLine(id)}`;
}

export interface ConclusionInput {
  readonly event: Event;
  readonly verdicts: readonly GuardVerdict[];
  readonly failures: readonly Failure[];
  /** Remarks of the core itself, beside those of the guards. */
  readonly remarks: Remarks;
  readonly refusedStops: RefusedStops;
  readonly limit: number;
  readonly id: string;
}

/** Turns verdicts into a decision, with the changes of the session's record that a held stop needs. */
export function conclude(proceedings: ConclusionInput): Pick<Judgement, 'decision' | 'changes'> {
  const { event, verdicts, remarks, refusedStops, limit, id } = proceedings;
  const decision = combine(verdicts, remarks, id);
  const overCap = event.kind === 'turn.stop' && decision.kind === 'hold' && refusedStops.inRow >= limit;
  const final = overCap ? released(decision, stopLimitNote(refusedStops.inRow, decision.by)) : decision;
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
  // A report of the gates says that the turn is held, which it is not any more.
  const after: Report | undefined =
    report?.status === 'failed' ? { status: 'retry_limit_exceeded', message: note } : report;
  return { kind: 'advise', id, toAgent, toPerson: [...toPerson, note], ...(after && { report: after }) };
}

function recordChanges(proceedings: ConclusionInput, decision: Decision): Change[] {
  const { event, failures, refusedStops } = proceedings;
  if (event.sessionId === '') return [];
  const steps: ((record: SessionRecord) => SessionRecord)[] = [];
  if (event.kind === 'turn.stop' && decision.kind === 'hold') {
    const toolUseSeen = refusedStops.inRow === 0;
    if (refusedStops.isUnanswered) steps.push(withoutLastRefusal);
    steps.push((record) => recordRefusal(record, event, decision.by, toolUseSeen, Date.now()));
  }
  // The host counts rounds of the main agent; a subagent's tool use does not reset its count.
  const toolUse = event.kind.startsWith('tool.') && event.agent === undefined;
  if (toolUse && refusedStops.inRow > 0) steps.push(recordToolUse);
  const present = failures.filter((one) => !('isPast' in one));
  if (present.length > 0) steps.push((record) => markDegraded(record, present, event.at));
  if (steps.length === 0) return [];
  const update = (record: SessionRecord) => steps.reduce((value, step) => step(value), record);
  return [recordChange(event.sessionId, 'session record', event.at, update)];
}

/** An event after everything is decided and written. */
export interface HandledEvent
  extends Pick<Committed, 'decision' | 'written' | 'changed' | 'setAside' | 'failures'>,
    Pick<Judgement, 'verdicts' | 'notes' | 'asked' | 'shadowed'> {
  readonly context: EventContext;
  /** Absent if time ran out. */
  readonly judgement?: Judgement;
  /** As the guards saw it; absent if they were not asked. */
  readonly world?: World;
  readonly by?: Who | undefined;
  /** Whether the journal has an entry for the start of an effect. */
  readonly announced: boolean;
  /** State changes of shadow rules, in words. */
  readonly changedInShadow?: readonly string[];
}

/** For an event without an entry of its own: an entry if shadow rules decided. */
export function journalShadowRules(handled: HandledEvent): void {
  const { shadowed, changedInShadow = [] } = handled;
  // A failed write is not reported, since nobody is to notice these rules.
  if (shadowed.length + changedInShadow.length > 0)
    appendEntry(handled, journalEntry(handled, [], handled.failures));
}

function appendEntry({ context: { layout, project } }: HandledEvent, entry: JsonObject) {
  // The hub is told also of a project in which no session was seen to start.
  attempt(() => isJoined(project.home) && noteProject(project.home, project.root));
  return appendJournal(layout, entry);
}

/** Notes the consulted rules for statistics. A failed write is not reported. */
export function noteRules({ context: { event, layout }, asked }: HandledEvent): void {
  if (asked.length === 0) return;
  const call = 'call' in event ? event.call.callId : undefined;
  const line: Record<string, Json> = {
    at: event.at,
    session: sessionKey(event.sessionId) ?? '',
    ...(call !== undefined && { call }),
    rules: [...new Set(asked)],
  };
  appendToLog(layout, 'asked', () => lineOf(line));
}

/** Writes the journal entry, if the event deserves one; returns the failure if it could not be written. */
export function journalDecision(
  handled: HandledEvent,
  { losses }: Answer,
  failures: readonly Failure[],
): Failure | undefined {
  const { decision, announced, verdicts, written, setAside } = handled;
  // A plain allow that changed nothing gets no entry, unless a started effect was announced.
  const isWorthALine =
    decision.kind !== 'nothing' ||
    announced ||
    verdicts.some(({ verdict }) => 'grounds' in verdict && verdict.grounds.length > 0) ||
    written.length + setAside.length + failures.length + losses.length > 0;
  if (!isWorthALine) {
    journalShadowRules(handled);
    return undefined;
  }
  return appendEntry(handled, journalEntry(handled, losses, failures));
}

/** The first fields of every entry about an event. */
export function entryHead(id: string, { at, host, sessionId, hostEvent }: Event) {
  return { id, at: isoTime(at), host, session: sessionId, event: hostEvent };
}

/** A decision as a journal entry: names, rules and places, never prompts, file contents or environment. */
function journalEntry(
  {
    context,
    decision,
    verdicts,
    shadowed,
    written,
    changed,
    changedInShadow = [],
    by,
    setAside,
  }: HandledEvent,
  losses: readonly string[],
  failures: readonly Failure[],
): JsonObject {
  const { id, event } = context;
  const call = 'call' in event ? event.call : undefined;
  return {
    ...entryHead(id, event),
    ...(call && { tool: call.nativeName }),
    ...(call?.callId !== undefined && { call: call.callId }),
    ...(event.agent && { agent: event.agent.id }),
    ...(by ?? whoCaused(event)),
    ...(context.git && { branch: branchLabel(context.git) }),
    decision: decision.kind,
    ...('report' in decision && decision.report && { status: decision.report.status }),
    verdicts: [...verdictEntries(verdicts), ...shadowEntries(shadowed)],
    ...listed('told', toldByUs(decision, verdicts)),
    ...listed('changes', [...changed, ...changedInShadow]),
    ...listed('written', written),
    ...listed('set_aside', setAside),
    ...listed('failures', failures.map(failureEntry)),
    ...listed('losses', losses),
    ms: Date.now() - event.at,
  };
}

/** A note of ours to the person, which no rule's grounds explain. */
function toldByUs({ toPerson }: Decision, verdicts: readonly GuardVerdict[]): readonly string[] {
  const isExplained = verdicts.some(({ verdict }) => 'grounds' in verdict && verdict.grounds.length > 0);
  return isExplained ? [] : toPerson.map((text) => (text.split('\n', 1)[0] ?? '').slice(0, LONGEST_NOTE));
}

const LONGEST_NOTE = 300;

function verdictEntries(verdicts: readonly GuardVerdict[]): Json[] {
  return verdicts.flatMap(({ guard, verdict }) => {
    if (verdict.kind === 'nothing') return [];
    return [{ guard, verdict: verdict.kind, grounds: verdict.grounds.map((ground) => ({ ...ground })) }];
  });
}

function shadowEntries(shadowed: HandledEvent['shadowed']): Json[] {
  return shadowed.map(({ guard, would, grounds }) => {
    return { guard, verdict: 'shadow', would, grounds: grounds.map((ground) => ({ ...ground })) };
  });
}

function failureEntry(failure: Failure): Json {
  return { code: failure.code, message: sentenceOf(failure) };
}

/** Adds a failure to the journal that is not part of a decision. Returns the id of its entry. */
export function journalFailure(
  layout: Layout,
  failure: Failure,
  now: number,
  about: JsonObject = {},
): string {
  const id = nextDecisionId(now, process.pid);
  const rest = { actor: 'system', channel: 'hook', decision: 'nothing', failures: [failureEntry(failure)] };
  appendJournal(layout, { id, at: isoTime(now), ...about, ...rest });
  return id;
}

function listed(name: string, items: readonly Json[]): JsonObject {
  return items.length === 0 ? {} : { [name]: items };
}
