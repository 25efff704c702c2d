import { hostCalled } from '../hosts/host-table';
import { appendJournal, nextDecisionId } from '../state/journal';
import type { Chunks } from './chunks';
import type { Answer, Decision } from './decision';
import type { Event } from './event';
import type { Failure } from './failure';
import type { SettingsChange } from './first-look';
import { whyLine } from './hold-messages';
import { isoTime } from './iso-time';
import { debugLine, sentenceOf, unknownOnly } from './messages';
import type { Project } from './project';
import { isWorthALine, journalEntry } from './record';
import type { Scene } from './scene';
import { answerLiterally } from './stop-hook-answer';
import type { Surroundings } from './surroundings';
import type { Spoken } from './verdict';
import { type Noted, withWayOut } from './way-out';

const SILENT = { toAgent: [], toPerson: [] } as const;
const NO_WORD: Answer = { stdout: '', stderr: '', exitCode: 0, losses: [] };

/** An event after everything has been decided and written. */
export interface Handled {
  readonly scene: Scene;
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
  if (scene.literal) return { answer: answerLiterally(scene, decision, failures) };
  const { event, layout, chunks } = scene;
  const isWell = failures.length === 0 && unnoted === undefined;
  return renderSafely(event, isWell ? decision : withWayOut(decision, layout, failures, unnoted), chunks);
}

/**
 * What most calls come to: nobody has said anything, and nothing has happened that the journal would tell. To
 * Claude Code silence is permission; what other hosts want to hear they say themselves.
 */
function isPlainAllow({ scene, decision, spoken, written, setAside, failures, announced }: Handled): boolean {
  if (decision.kind !== 'nothing' || decision.report !== undefined || announced || scene.literal)
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
  const event = hostCalled(change.glance.host, chunks.host).parse(change.raw, now);
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
function isWatched({ env }: Scene): boolean {
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
  const { layout, stead } = scene;
  const line = journalEntry(proceeding);
  if (stead === undefined) return appendJournal(layout, line);
  stead.wish({ layout, changes: [], lines: [line] });
  return undefined;
}
