import { constants, fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { hostNamed } from '../../hosts/claude-code/index';
import { type Change, type Document, type DocumentRef, placeOf } from '../../state/documents';
import {
  acquireLock,
  linesBackwards,
  readSmallFile,
  withPlainFile,
  writeFileAtomic,
} from '../../state/files';
import { appendJournal, nextDecisionId } from '../../state/journal';
import type { Event } from '../event';
import { detailOf, errorCode, type Failure } from '../failure';
import { SWITCHES } from '../guard';
import type { Invocation, ProjectWithState, WatchedEvent } from '../hook';
import { type Json, type JsonObject, jsonObjectIn } from '../json';
import { sentenceOf } from '../messages';
import { isoTime, isSameSessionName } from '../text';
import { type EventLine, type Facts, LARGEST_RECORDING, LONGEST_LINE, type RecordedDecision } from './format';
import { markFile, memoryFile, type RecordingMark, readMark, writeMark } from './mark';
import { ReplayMemory } from './memory';
import { pathPlaceholders } from './path-placeholders';

/** An answered event, with everything that it was decided on. */
export interface RecordedEvent {
  readonly watched: WatchedEvent;
  readonly invocation: Invocation;
  readonly event: Event;
  readonly stopLimit: number;
  readonly decided: RecordedDecision;
  /** Failure codes. */
  readonly failures: readonly string[];
  readonly facts: Facts;
  readonly ran: Facts;
  readonly documents: readonly { readonly ref: DocumentRef; readonly document: Document }[];
  readonly changes: readonly Change[];
  readonly isDoubled: boolean;
}

/** Other processes write only one line each, and the host waits until we exit. */
const PATIENCE_MS = 2000;
const LARGEST_MEMORY = 16 * 1024 * 1024;

/**
 * Adds an event to its project's recording. Never throws: if it cannot be written, the recording ends, and
 * the returned text says so.
 */
export function record(recorded: RecordedEvent): string | undefined {
  const { project, config } = recorded.watched;
  const { file, session } = config?.head.recording ?? {};
  if (file === undefined || (session !== undefined && !isSameSessionName(session, recorded.event.sessionId)))
    return undefined;
  const lock = acquireLock(`${markFile(project)}.lock`, PATIENCE_MS);
  // Then one line is missing, with its changes; the next line records these again.
  if (!lock.ok) return reported(project, recorded.event, lock.failure);
  try {
    const mark = readMark(project);
    if (mark === undefined || mark.file !== file || mark.stopped !== undefined) return undefined;
    return write(recorded, mark);
  } catch (error) {
    const failure = { code: 'recording.stopped', file, detail: whyNot(error) } as const;
    stop(project, failure.detail);
    return reported(project, recorded.event, failure);
  } finally {
    lock.value.release();
  }
}

function whyNot(error: unknown): string {
  if (errorCode(error) === 'ENOENT') return 'it was removed';
  return errorCode(error) === 'ELOOP' ? 'a symlink stands in its place' : detailOf(error);
}

function write(recorded: RecordedEvent, mark: RecordingMark): string | undefined {
  const { project, header } = recorded.watched;
  const { file } = mark;
  const kept = jsonObjectIn(readSmallFile(memoryFile(project), LARGEST_MEMORY) ?? '');
  const memory = new ReplayMemory(
    kept?.['file'] === file ? kept : undefined,
    pathPlaceholders(project, header.cwd),
  );
  // A document that is too long is not even processed.
  const isLong = JSON.stringify(recorded.watched.raw).length > LONGEST_LINE;
  const line = isLong ? '' : `${JSON.stringify(lineOf(recorded, memory))}\n`;
  const isTooLong = isLong || line.length > LONGEST_LINE;
  const skipped = `longer than ${LONGEST_LINE / 1024 / 1024} MB`;
  const text = isTooLong ? `${JSON.stringify({ ...commonFields(recorded, memory), skipped })}\n` : line;
  if (!append(project.root, file, text)) {
    stop(project, FULL);
    return reported(project, recorded.event, { code: 'recording.stopped', file, detail: FULL });
  }
  // A replay skips such a line, so it will not know what the event changed.
  if (isTooLong) return undefined;
  memory.apply(recorded.changes);
  writeFileAtomic(memoryFile(project), JSON.stringify({ file, ...memory.toJson() }));
  return undefined;
}

const FULL = `it has reached ${LARGEST_RECORDING / 1024 / 1024} MB`;

function lineOf(recorded: RecordedEvent, memory: ReplayMemory): EventLine {
  const { watched, invocation, event, stopLimit, failures, isDoubled, ran } = recorded;
  const { env, only, gauntletCompat, chunks } = invocation;
  const raw = memory.toRecordedDocument(watched.raw);
  const met = recorded.documents.map(({ ref, document }) => memory.addDocument(ref, document));
  const moved = met.filter((one) => one !== undefined);
  const learnt = Array.from(recorded.facts, ([key, value]) => memory.addFact(key, value));
  const facts = learnt.filter((one) => one !== undefined);
  const switches = SWITCHES.flatMap((name) =>
    (env[name] ?? '') === '' ? [] : [[name, env[name] ?? ''] as const],
  );
  const parsed = hostNamed(event.host, chunks.host).parse(watched.raw, event.at, watched.header);
  const paths = 'call' in event ? event.call.paths : [];
  const isResolved = 'call' in parsed && JSON.stringify(parsed.call.paths) !== JSON.stringify(paths);
  return {
    ...commonFields(recorded, memory),
    ...(isDoubled && { doubled: true }),
    ...(watched.elsewhere && { elsewhere: true }),
    ...(failures.length > 0 && { failures }),
    ...(gauntletCompat === true && { compat: true }),
    ...(only.length > 0 && { only }),
    ...(switches.length > 0 && { switches: Object.fromEntries(switches) }),
    ...(event.kind === 'turn.stop' && { stop_limit: stopLimit }),
    ...(isResolved && { paths: memory.toRecordedValue(paths) as readonly string[] }),
    raw,
    ...(moved.length > 0 && { state: Object.fromEntries(moved) as unknown as JsonObject }),
    ...(facts.length > 0 && { facts: Object.fromEntries(facts) }),
    ...(ran.size > 0 && { ran: memory.toRecordedValue(Object.fromEntries(ran)) as JsonObject }),
  };
}

function commonFields({ event, decided }: RecordedEvent, memory: ReplayMemory): EventLine {
  return {
    at: isoTime(event.at),
    host: event.host,
    event: event.hostEvent,
    session: event.sessionId,
    decided: memory.toRecordedValue(decided as unknown as Json) as unknown as RecordedDecision,
  };
}

const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW;

/** Never creates the file: whoever deleted it wants no more. False, unwritten, if it would get too large. */
function append(root: string, file: string, text: string): boolean {
  const path = join(root, file);
  const place = placeOf(root, path);
  if (place.kind === 'outward') throw new Error('a symlink leads out of the project');
  return withPlainFile(path, APPEND, (fd, { size }) => {
    const bytes = Buffer.from(text);
    if (size + bytes.length > LARGEST_RECORDING) return false;
    cutPartialLine(fd, size);
    const before = fstatSync(fd).size;
    const written = writeSync(fd, bytes);
    if (written === bytes.length) return true;
    ftruncateSync(fd, before);
    throw new Error('only a part of a line could be written: the disk is full');
  });
}

/** Removes a killed process's partial line, which would corrupt the next one. */
function cutPartialLine(fd: number, size: number): void {
  const [last] = linesBackwards(fd, size, { bytes: 2 * LONGEST_LINE });
  if (last !== undefined && last.length > 0) ftruncateSync(fd, size - last.length);
}

/** Ends a recording: the mark says why, and the hook no longer records. */
function stop(project: ProjectWithState, why: string): void {
  try {
    const mark = readMark(project);
    if (mark !== undefined) writeMark(project, { ...mark, stopped: why });
  } catch {
    // If even this cannot be written, every event tries again and reports it.
  }
}

/** Adds the failure to the journal, and returns a line for stderr. */
function reported({ layout }: ProjectWithState, event: Event, failure: Failure): string {
  appendJournal(layout, {
    id: nextDecisionId(event.at, process.pid),
    at: isoTime(event.at),
    host: event.host,
    session: event.sessionId,
    event: event.hostEvent,
    actor: 'system',
    channel: 'hook',
    decision: 'nothing',
    verdicts: [],
    failures: [{ code: failure.code, message: sentenceOf(failure) }],
  });
  return `holdpoint: ${sentenceOf(failure)}\n`;
}
