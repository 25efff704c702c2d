import { hostCalled } from '../hosts/claude-code/index';
import { appendJournal, nextDecisionId } from '../state/journal';
import { type Layout, projectLockFile } from '../state/layout';
import type { Chunks } from './chunks';
import { whyLine } from './combine';
import type { EventContext } from './context';
import type { Event } from './event';
import type { Failure } from './failure';
import type { Json, JsonObject } from './json';
import { debugLine, heldUnwritten, sentenceOf, unknownOnly } from './messages';
import type { Project } from './project';
import type { SettingsChange, Surroundings } from './route';
import { gauntletAnswer } from './stop-hook';
import { isoTime } from './text';
import type { Answer, Decision, Spoken } from './verdict';

const SILENT = { toAgent: [], toPerson: [] } as const;
const NO_WORD: Answer = { stdout: '', stderr: '', exitCode: 0, losses: [] };

/** An event after everything has been decided and written. */
export interface Handled {
  readonly scene: EventContext;
  readonly decision: Decision;
  readonly spoken: readonly Spoken[];
  readonly written: readonly string[];
  readonly setAside: readonly string[];
  readonly failures: readonly Failure[];
  /** Whether the journal has been told that an effect began. */
  readonly announced: boolean;
  readonly notes: readonly string[];
}

/** Renders the decision and notes it in the journal. */
export function answerEvent(handled: Handled, unknownNames: readonly string[]): Answer {
  if (unknownNames.length === 0 && isPlainAllow(handled)) return NO_WORD;
  const { answer, fault } = renderHandled(handled, undefined);
  const failures = fault === undefined ? handled.failures : [...handled.failures, fault];
  const unnoted = noteDown(handled, answer, failures);
  const sentences = (unnoted ? [...failures, unnoted] : failures).map(sentenceOf);
  return withWarnings(
    watched(unnoted ? renderHandled(handled, unnoted).answer : answer, handled),
    unknownNames.length > 0 ? [unknownOnly(unknownNames), ...sentences] : sentences,
  );
}

function renderHandled({ scene, decision, failures }: Handled, unnoted: Noted): Rendered {
  if (scene.gauntletCompat) return { answer: gauntletAnswer(scene, decision, failures) };
  const { event, layout, chunks } = scene;
  const isWell = failures.length === 0 && unnoted === undefined;
  return renderSafely(event, isWell ? decision : withWayOut(decision, layout, failures, unnoted), chunks);
}

/**
 * What most calls come to: nobody has said anything, and nothing has happened that the journal would tell. To
 * Claude Code silence is permission; what other hosts want to hear they say themselves.
 */
function isPlainAllow({ scene, decision, spoken, written, setAside, failures, announced }: Handled): boolean {
  if (decision.kind !== 'nothing' || decision.report !== undefined || announced || scene.gauntletCompat)
    return false;
  if (scene.event.host !== 'claude-code' || isWatched(scene)) return false;
  for (const { verdict } of spoken) if (verdict.kind !== 'nothing') return false;
  return written.length + setAside.length + failures.length === 0;
}

/** A session where nothing can be enforced: said once, at its start, and kept nowhere. */
export function answerNote(event: Event, note: string, chunks: Chunks): Answer {
  const begins = event.kind === 'session.start' && event.source === 'startup';
  const toPerson = begins ? [note] : [];
  return renderSafely(event, { kind: 'advise', id: '', toAgent: [], toPerson }, chunks).answer;
}

/** Input that is no event: let through, with a line for people and, where the project is known, the journal. */
export function answerNoEvent(failure: Failure, project: Project | undefined, now: number): Answer {
  if (project?.configured && project.layout !== undefined) {
    appendJournal(project.layout, {
      id: nextDecisionId(now, process.pid),
      at: new Date(now).toISOString(),
      decision: 'nothing',
      failures: [{ code: failure.code, message: sentenceOf(failure) }],
    });
  }
  return withWarnings(NO_WORD, [sentenceOf(failure)]);
}

/**
 * Settings from which we would vanish are refused; any other change passes in silence. No guard speaks here, since
 * none would be asked any more.
 */
export function answerSettingsChange(change: SettingsChange, { chunks, now }: Surroundings): Answer {
  const event = hostCalled(change.header.host, chunks.host).parse(change.raw, now);
  const lost = chunks.lostHooks(change);
  if (lost === undefined) return renderSafely(event, { kind: 'nothing', ...SILENT }, chunks).answer;
  const id = nextDecisionId(now, process.pid);
  const reason = `${lost.reason}\n${whyLine(id)}`;
  const { answer } = renderSafely(event, { kind: 'hold', id, by: [], reason, ...SILENT }, chunks);
  const layout = change.project?.layout;
  if (layout !== undefined) {
    const verdict = { guard: 'holdpoint', verdict: 'hold', grounds: [{ ...lost.grounds }] };
    const { hostEvent, host, sessionId: session } = event;
    const entry = {
      id,
      at: isoTime(now),
      host,
      session,
      event: hostEvent,
      decision: 'hold',
      verdicts: [verdict],
    };
    appendJournal(layout, entry);
  }
  return answer;
}

interface Rendered {
  readonly answer: Answer;
  readonly fault?: Failure;
}

/** An answer that the host would throw away is held back: it would look like a verdict and be none. */
function renderSafely(event: Event, decision: Decision, chunks: Chunks): Rendered {
  const host = hostCalled(event.host, chunks.host);
  const answer = host.render(event, decision);
  const detail = host.check(event, answer);
  if (detail === undefined) return { answer };
  return { answer: { ...answer, stdout: '', exitCode: 0 }, fault: { code: 'output.invalid', detail } };
}

/** Whoever sets the variable of the older program sees how the rules came to what they say. */
function isWatched({ env }: EventContext): boolean {
  return env['SKILL_VALIDATOR_DEBUG'] === 'true';
}

function watched(answer: Answer, { scene, notes }: Handled): Answer {
  if (!isWatched(scene)) return answer;
  return { ...answer, stderr: answer.stderr + notes.map(debugLine).join('') };
}

function withWarnings(answer: Answer, sentences: readonly string[]): Answer {
  if (sentences.length === 0) return answer;
  return { ...answer, stderr: answer.stderr + sentences.map((line) => `holdpoint: ${line}\n`).join('') };
}

function noteDown(handled: Handled, answer: Answer, failures: readonly Failure[]): Failure | undefined {
  const { scene, decision, spoken, written, setAside, announced } = handled;
  const proceeding = {
    id: scene.id,
    event: scene.event,
    decision: decision.kind,
    ...('report' in decision && decision.report && { status: decision.report.status }),
    announced,
    spoken,
    written,
    setAside,
    failures,
    losses: answer.losses,
    durationMs: Date.now() - scene.event.at,
  };
  if (!isWorthALine(proceeding)) return undefined;
  return appendJournal(scene.layout, journalEntry(proceeding));
}

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
function isWorthALine(proceeding: Proceeding): boolean {
  const { decision, announced, spoken, written, setAside, failures, losses } = proceeding;
  if (decision !== 'nothing' || announced) return true;
  if (spoken.some(({ verdict }) => 'grounds' in verdict && verdict.grounds.length > 0)) return true;
  return written.length + setAside.length + failures.length + losses.length > 0;
}

/** One decision as it stands in the journal: names, rules and places, never prompts, contents or environment. */
function journalEntry(proceeding: Proceeding): JsonObject {
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

/** Whether the journal knows a decision, or why it does not. */
export type Noted = Failure | undefined;

/**
 * A hold that rests on what is on disk stands also where nothing can be written: nobody switches a guard off by
 * `chmod`. But then the command that it names would fail too, so it says what has failed and who can help; and it
 * points to the journal only where that knows of it.
 */
function withWayOut(
  decision: Decision,
  layout: Layout,
  failures: readonly Failure[],
  unnoted: Noted,
): Decision {
  const failure = failures.find((one) => isHindrance(one, layout)) ?? unnoted;
  if (failure === undefined || !('reason' in decision) || isOfLoopAlone(decision.by)) return decision;
  const why = `\n${whyLine(decision.id)}`;
  const { reason } = decision;
  const body = reason.endsWith(why) ? reason.slice(0, -why.length) : reason;
  const note = heldUnwritten(failure, isOfLock(failure, layout));
  return { ...decision, reason: `${body}\n${note}${unnoted === undefined ? why : ''}` };
}

/** The loop's own sentence is a wire format, so nothing is added to it. */
function isOfLoopAlone(by: readonly string[]): boolean {
  return by.length === 1 && by[0] === 'loop';
}

/** What stands in the home is shared by projects, and nothing that is held rests on it. */
function isHindrance(failure: Failure, { root, git }: Layout): boolean {
  switch (failure.code) {
    case 'state.write-failed':
    case 'state.outside':
    case 'lock.timeout':
      return [root, git].some((dir) => failure.file.startsWith(`${dir}/`));
    default:
      return false;
  }
}

function isOfLock(failure: Failure, layout: Layout): boolean {
  return 'file' in failure && failure.file === projectLockFile(layout);
}
