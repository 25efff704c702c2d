import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findHostProcess, processState } from '../exec/processes';
import { branchLabel, readHead } from '../git/head';
import { type Change, type DocumentRef, isKept, type Layout, readDocument } from '../state/documents';
import { journalEnd } from '../state/journal';
import {
  dropDeadClients,
  dropDeadSessions,
  endPause,
  forgetClient,
  forgetHeartbeat,
  hasRunningClient,
  heartbeat,
  noteClient,
  registerSession,
  sealLaunch,
  unregisterSession,
} from '../state/sessions';
import { updateDocuments } from '../state/update';
import type { EventContext, World } from './context';
import type { ActiveRules, GuardResults } from './decide';
import { attempt } from './failure';
import type { Invocation, UnconfiguredStart } from './hook';
import { degradedNote, problemsNote } from './messages';
import { type Protection, startNote } from './protection';
import { type DegradedMark, recordFrom, recordToJson, type SessionRecord } from './refused-stops';
import { SESSION_RECORDS, sessionKey, sessionRecordRef } from './text';
import { NO_REMARKS, type Remarks } from './verdict';

/** Remarks and changes of the core itself when sessions start and end. */
export interface SessionWatch extends Remarks {
  readonly changes: readonly Change[];
}

const RECORDS_READ = 2000;

/** Called only for events that `concernsSession` names. */
export function watchSession(context: EventContext, world: World, results: GuardResults): SessionWatch {
  switch (context.event.kind) {
    case 'session.start':
      return atStart(context, world, results);
    case 'prompt.submit':
      return { ...NO_REMARKS, changes: [heartbeatChange(context)] };
    case 'turn.stop':
      // The loop's own answer has no place for a note, which then waits for the next stop.
      return isHeldByLoop(results) ? NO_REMARKS : atTurnEnd(context, world);
    case 'session.end':
      return { ...NO_REMARKS, changes: changesAtEnd(context, world) };
    default:
      return NO_REMARKS;
  }
}

function changesAtEnd(context: EventContext, world: World): Change[] {
  const { sessionId, at } = context.event;
  const forgotten = [forgetSession(context), endPause(sessionId, world.document)];
  // A replay needs only what rules depend on; the rest is about this machine.
  if (context.tape?.isReplay) return forgotten;
  return [
    unregisterSession(sessionId),
    dropDeadSessions(at, processState),
    forgetHeartbeat(sessionId),
    // An agent can fake the end of its session, but then its shell is between the client and us.
    ...(world.hostProcess().pid === context.parentPid ? [forgetClient(context.parentPid)] : []),
    ...forgotten,
  ];
}

function isHeldByLoop({ verdicts }: GuardResults): boolean {
  const binding = verdicts.filter(({ verdict }) => 'reason' in verdict);
  return binding.length > 0 && binding.every(({ guard }) => guard === 'loop');
}

/** Tells the person at the end of the turn what failed in it: hosts show nobody a hook's stderr. */
function atTurnEnd({ event }: EventContext, world: World): SessionWatch {
  if (event.agent !== undefined) return NO_REMARKS;
  const ref = sessionRecordRef(event.sessionId);
  const document = world.document(ref);
  const record = recordFrom(document.kind === 'present' ? document.value : undefined, event.sessionId);
  const untold = record.degraded.filter((mark) => !mark.told && UNCHECKED.includes(mark.code));
  if (untold.length === 0) return NO_REMARKS;
  const toPerson = untold.map(({ code, detail }) => degradedNote(code, detail));
  return {
    ...NO_REMARKS,
    toPerson,
    changes: [markReported({ ref, record: { ...record, degraded: untold } })],
  };
}

/** Failures that let an event pass not fully checked. The others can wait for the next session. */
const UNCHECKED = [
  'rule.failed',
  'guard.threw',
  'guard.missing',
  'effect.failed',
  'deadline.passed',
  'config.unreadable',
];

function atStart(context: EventContext, world: World, results: GuardResults): SessionWatch {
  const { event, problems } = context;
  const untold = degradedRecords(context.layout).filter(({ record }) => record.degraded.some(isUntold));
  const notes = untold.flatMap(({ record }) =>
    record.degraded.filter(isUntold).map((mark) => degradedNote(mark.code, mark.detail, mark.at)),
  );
  if (problems.length > 0) notes.push(problemsNote(problems));
  const registration = registerSession({
    sessionId: event.sessionId,
    projectDir: context.project.root,
    branch: branchLabel(context.git),
    host: world.hostProcess(),
    pid: process.pid,
    now: event.at,
    began: true,
  });
  const { root: projectDir, home } = context.project;
  const changes = [
    dropDeadSessions(event.at, processState),
    registration,
    ...dropDeadClients(context.layout, processState),
    ...(hasRunningClient(context.layout, projectDir, processState)
      ? []
      : sealLaunch(context.layout, event.at)),
    noteClient({ host: world.hostProcess(), home, projectDir }),
    heartbeatChange(context),
    ...untold.map(markReported),
  ];
  const armed = startNotes(context, results);
  return { toAgent: [...armed.toAgent, ...notes], toPerson: [...armed.toPerson, ...notes], changes };
}

function heartbeatChange({ event, layout }: EventContext): Change {
  const journal = journalEnd(layout);
  return heartbeat({ sessionId: event.sessionId, host: event.host, at: event.at, journal });
}

/**
 * Whether Holdpoint is on, in one line. The person sees all of it, except after a mere compaction; the agent
 * sees what no guard has told it yet.
 */
function startNotes(context: EventContext, { armed, verdicts }: GuardResults): Remarks {
  const protection = protectionAt(context, armed);
  const isPaused = protection.state === 'paused';
  const on = armed.filter(({ guard }) => protection.holding.includes(guard));
  const told = verdicts.flatMap(({ guard, verdict }) =>
    verdict.kind === 'advise' && verdict.toAgent !== undefined ? [guard] : [],
  );
  const untold = on.filter(({ guard }) => guard !== 'requirements' && !told.includes(guard));
  const toAgent = isPaused ? [PAUSED] : untold.length === 0 ? [] : [activeRulesNote(untold)];
  const words = on.map(({ what }) => what);
  return { toAgent, toPerson: isNews(context, protection, words) ? [startNote(protection, words)] : [] };
}

/** Without config, or without a briefing, nobody is told at each start that nothing has changed. */
function isNews({ event, project }: EventContext, { state }: Protection, on: readonly string[]): boolean {
  const source = event.kind === 'session.start' ? event.source : '';
  if (state === 'paused') return true;
  if (state === 'on') return source !== 'compact' && on.length > 0;
  return project.configured ? source !== 'compact' : source === 'startup';
}

const PAUSED = 'Holdpoint is paused in this session: nothing is held until a person resumes it.';

function activeRulesNote(on: readonly ActiveRules[]): string {
  return `Holdpoint is on: ${on.map(({ what }) => what).join(', ')}.`;
}

/** If we keep no state here, or the check fails, all that we know is which guards are armed. */
function protectionAt(context: EventContext, armed: readonly ActiveRules[]): Protection {
  const { event, project, chunks } = context;
  try {
    if (isKept(project.layout, 'own'))
      return chunks.part('session').protectionAtStart(project, event.sessionId, context);
  } catch {
    // `holdpoint doctor` reports this: it does not catch the error.
  }
  return { state: 'on', reasons: [], holding: armed.map(({ guard }) => guard) };
}

/** Deletes a clean record with its session; failures that must still be reported stay. */
function forgetSession(context: EventContext): Change {
  const { sessionId, at } = context.event;
  return {
    document: sessionRecordRef(sessionId),
    what: 'ended session',
    apply: (current) => {
      const { stops: _, ...record } = recordFrom(current, sessionId);
      return record.degraded.some(isUntold) ? recordToJson(record, at) : undefined;
    },
  };
}

function isUntold({ told }: DegradedMark): boolean {
  return !told;
}

interface StoredRecord {
  readonly ref: DocumentRef;
  readonly record: SessionRecord;
}

/** The records of sessions in which something failed. */
export function degradedRecords(layout: Layout): StoredRecord[] {
  const names = attempt(() => readdirSync(join(layout.own, SESSION_RECORDS))) ?? [];
  const files = names.filter((name) => name.endsWith('.json')).slice(0, RECORDS_READ);
  return files.flatMap((file) => {
    const name = basename(file, '.json');
    const ref = sessionRecordRef(name);
    const document = readDocument(layout, ref);
    const record = recordFrom(document.kind === 'present' ? document.value : undefined, name);
    return record.degraded.length > 0 ? [{ ref, record }] : [];
  });
}

/** Marks only the failures that were read; deletes a record that has nothing else left. */
function markReported({ ref, record: read }: StoredRecord): Change {
  return {
    document: ref,
    what: 'errors reported',
    apply: (current) => {
      const record = recordFrom(current, '');
      const degraded = record.degraded.map((mark) => {
        const heard = read.degraded.some(({ at, code }) => at === mark.at && code === mark.code);
        return heard ? { ...mark, told: true } : mark;
      });
      if (record.stops === undefined && degraded.every((mark) => mark.told)) return undefined;
      return recordToJson({ ...record, degraded }, record.stops?.held_at ?? 0);
    },
  };
}

const PATIENCE = { ownerMs: 500, mostMs: 10_000 };

/**
 * Registers a session that starts where nothing is configured, on a host whose agent shell does not know its
 * session: a loop may be started by hand there and has to find it. If this cannot be written, the commands
 * ask for `--session`.
 */
export function registerUnconfiguredSession(
  { header, project }: UnconfiguredStart,
  invocation: Invocation,
): void {
  const { chunks, env, now, parentPid = process.ppid } = invocation;
  if (sessionKey(header.sessionId) === undefined || header.host === 'claude-code') return;
  if (chunks.host(header.host).namelessShell !== true) return;
  const registration = registerSession({
    sessionId: header.sessionId,
    projectDir: project.root,
    branch: branchLabel(project.git && readHead(project.git, chunks.askGit)),
    host: findHostProcess(env, parentPid),
    pid: process.pid,
    now,
  });
  updateDocuments(project.layout, [registration], PATIENCE);
}
