import type { Answer, Decision } from '../domain/decision';
import type { Event } from '../domain/event';
import type { Failure } from '../domain/failure';
import type { Spoken } from '../domain/verdict';
import type { Host } from '../hosts/host';
import { nextDecisionId } from '../store/decision-id';
import { appendJournal } from '../store/journal';
import type { Layout } from '../store/layout';
import { sentenceOf } from './messages';
import { projectAbove } from './project';
import { isWorthALine, journalEntry } from './record';
import type { Scene } from './scene';
import type { Surroundings } from './surroundings';

/** An event after everything has been decided and written. */
export interface Handled {
  readonly scene: Scene;
  readonly decision: Decision;
  readonly spoken: readonly Spoken[];
  readonly written: readonly string[];
  readonly setAside: readonly string[];
  readonly failures: readonly Failure[];
}

const NOTHING: Decision = { kind: 'nothing', toAgent: [], toPerson: [] };

/** Renders the decision, makes sure that the host will take it, and notes it in the journal. */
export function answerEvent(
  host: Host,
  event: Event,
  handled: Handled | undefined,
  warnings: readonly string[],
  note?: string,
): Answer {
  const plain: Decision =
    note === undefined ? NOTHING : { kind: 'advise', id: '', toAgent: [], toPerson: [note] };
  const decision = handled?.decision ?? plain;
  const rendered = host.render(event, decision);
  const fault = host.check(event, rendered);
  const answer = fault === undefined ? rendered : withheld(rendered);
  const failures = [
    ...(handled?.failures ?? []),
    ...(fault === undefined ? [] : [{ code: 'output.invalid', detail: fault } as const]),
  ];
  const unwritten = handled === undefined ? undefined : noteDown(handled, answer, failures);
  const lines = [...warnings, ...[...failures, ...(unwritten ? [unwritten] : [])].map(sentenceOf)];
  return { ...answer, stderr: answer.stderr + lines.map((line) => `holdpoint: ${line}\n`).join('') };
}

/** An answer that the host would throw away is worse than none: it would look like a verdict and be none. */
function withheld(answer: Answer): Answer {
  return { ...answer, stdout: '', exitCode: 0 };
}

function noteDown(handled: Handled, answer: Answer, failures: readonly Failure[]): Failure | undefined {
  const { scene, decision, spoken, written, setAside } = handled;
  const proceeding = {
    id: scene.id,
    event: scene.event,
    decision: decision.kind,
    spoken,
    written,
    setAside,
    failures,
    losses: answer.losses,
    durationMs: Date.now() - scene.event.at,
  };
  return isWorthALine(proceeding) ? appendJournal(scene.layout, journalEntry(proceeding)) : undefined;
}

/** Input that is no event at all: let through, with a line for people and, where the project is known, the journal. */
export function answerFailure(failure: Failure, surroundings: Surroundings): Answer {
  const { env, now, chunks } = surroundings;
  const dir = env['CLAUDE_PROJECT_DIR'];
  const project = dir?.startsWith('/') ? projectAbove(dir, env['HOME'] ?? '', chunks.askGit) : undefined;
  if (project?.configured && project.layout !== undefined) noteFailure(project.layout, failure, now);
  return { stdout: '', stderr: `holdpoint: ${sentenceOf(failure)}\n`, exitCode: 0, losses: [] };
}

function noteFailure(layout: Layout, failure: Failure, now: number): void {
  appendJournal(layout, {
    id: nextDecisionId(now, process.pid),
    at: new Date(now).toISOString(),
    decision: 'nothing',
    failures: [{ code: failure.code, message: sentenceOf(failure) }],
  });
}
