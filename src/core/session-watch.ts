import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findHostProcess, processState } from '../exec/processes';
import { branchLabel, readHead } from '../git/head';
import { type Change, type DocumentRef, isKept, readDocument } from '../state/documents';
import { journalEnd } from '../state/journal';
import {
  dropDeadClients,
  dropDeadSessions,
  endPause,
  forgetClient,
  forgetHeartbeat,
  heartbeat,
  isHeartbeatDue,
  isWorkedIn,
  noteClient,
  registerSession,
  sealLaunch,
  unregisterSession,
} from '../state/sessions';
import { updateDocuments } from '../state/update';
import type { EventContext, World } from './context';
import type { Armed, Said } from './decide';
import { attempt } from './failure';
import type { Beginning, Surroundings } from './hook';
import { degradedNote, problemsNote } from './messages';
import { type Protection, startNote } from './protection';
import { recordFrom, recordToJson, type SessionRecord } from './refused-stops';
import { SESSION_RECORDS, sessionKey, sessionRecordRef } from './text';
import type { Remarks } from './verdict';

/** Remarks and changes of the core itself when sessions start and end. */
export interface SessionWatch extends Remarks {
  readonly changes: readonly Change[];
}

export const NO_REMARKS: SessionWatch = { toAgent: [], toPerson: [], changes: [] };
const RECORDS_READ = 2000;

export function watchSession(scene: EventContext, world: World, said: Said): SessionWatch {
  const { kind, sessionId } = scene.event;
  if (kind === 'turn.stop') return atTurnEnd(scene, world);
  if (kind !== 'session.start' && kind !== 'prompt.submit' && kind !== 'session.end') return NO_REMARKS;
  // A past session that we replay must not be registered as a live one.
  if (sessionKey(sessionId) === undefined || scene.past !== undefined) return NO_REMARKS;
  // A replay needs only what rules depend on; the rest is about this machine.
  if (scene.tape?.isReplay) return kind === 'session.end' ? atReplayedEnd(scene, world) : NO_REMARKS;
  switch (kind) {
    case 'session.start':
      return atStart(scene, world, said);
    case 'prompt.submit':
      return isHeartbeatDue(scene.layout, sessionId, scene.event.at)
        ? { ...NO_REMARKS, changes: [beat(scene)] }
        : NO_REMARKS;
    case 'session.end':
      return {
        ...NO_REMARKS,
        changes: [
          unregisterSession(sessionId),
          dropDeadSessions(scene.event.at, processState),
          forgetSession(scene),
          forgetHeartbeat(sessionId),
          // An agent can fake the end of its session, but then its shell is between the client and us.
          ...(world.hostProcess().pid === scene.parentPid ? [forgetClient(scene.parentPid)] : []),
          endPause(sessionId, world.document),
        ],
      };
  }
}

/** Tells the person at the end of the turn what failed in it: hosts show nobody a hook's stderr. */
function atTurnEnd({ event, past, tape }: EventContext, world: World): SessionWatch {
  const isOwn = sessionKey(event.sessionId) !== undefined && event.agent === undefined;
  if (!isOwn || past !== undefined || tape?.isReplay) return NO_REMARKS;
  const ref = sessionRecordRef(event.sessionId);
  const document = world.document(ref);
  const record = recordFrom(document.kind === 'present' ? document.value : undefined, event.sessionId);
  const untold = record.degraded.filter((mark) => !mark.told && UNCHECKED.includes(mark.code));
  if (untold.length === 0) return NO_REMARKS;
  const toPerson = untold.map(({ code, detail }) => degradedNote(code, detail));
  return { ...NO_REMARKS, toPerson, changes: [markTold({ ref, record: { ...record, degraded: untold } })] };
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

function atReplayedEnd(scene: EventContext, world: World): SessionWatch {
  const { sessionId } = scene.event;
  return { ...NO_REMARKS, changes: [forgetSession(scene), endPause(sessionId, world.document)] };
}

function atStart(scene: EventContext, world: World, said: Said): SessionWatch {
  const { event, problems } = scene;
  const untold = untoldRecords(scene);
  const notes = untold.flatMap(({ record }) =>
    record.degraded.filter((mark) => !mark.told).map((mark) => degradedNote(mark.code, mark.detail, mark.at)),
  );
  if (problems.length > 0) notes.push(problemsNote(problems));
  const registration = registerSession({
    sessionId: event.sessionId,
    projectDir: scene.project.root,
    branch: branchLabel(scene.git),
    host: world.hostProcess(),
    pid: process.pid,
    now: event.at,
    began: true,
  });
  const { root: projectDir, home } = scene.project;
  const changes = [
    dropDeadSessions(event.at, processState),
    registration,
    ...dropDeadClients(scene.layout, processState),
    ...(isWorkedIn(scene.layout, projectDir, processState) ? [] : sealLaunch(scene.layout, event.at)),
    noteClient({ host: world.hostProcess(), home, projectDir }),
    beat(scene),
    ...untold.map(markTold),
  ];
  const armed = startNotes(scene, said);
  return { toAgent: [...armed.toAgent, ...notes], toPerson: [...armed.toPerson, ...notes], changes };
}

function beat({ event, layout }: EventContext): Change {
  const journal = journalEnd(layout);
  return heartbeat({ sessionId: event.sessionId, host: event.host, at: event.at, journal });
}

/**
 * Whether Holdpoint is on, in one line. The person sees all of it, except after a mere compaction; the agent
 * sees what no guard has told it yet.
 */
function startNotes(scene: EventContext, { armed, spoken }: Said): Remarks {
  const protection = protectionAt(scene, armed);
  const isPaused = protection.state === 'paused';
  const on = armed.filter(({ guard }) => protection.holding.includes(guard));
  const told = spoken.flatMap(({ guard, verdict }) =>
    verdict.kind === 'advise' && verdict.toAgent !== undefined ? [guard] : [],
  );
  const untold = on.filter(({ guard }) => guard !== 'requirements' && !told.includes(guard));
  const toAgent = isPaused ? [PAUSED] : untold.length === 0 ? [] : [onNote(untold)];
  const words = on.map(({ what }) => what);
  return { toAgent, toPerson: isNews(scene, protection, words) ? [startNote(protection, words)] : [] };
}

/** Without config, or without a briefing, nobody is told at each start that nothing has changed. */
function isNews({ event, project }: EventContext, { state }: Protection, on: readonly string[]): boolean {
  const source = event.kind === 'session.start' ? event.source : '';
  if (state === 'paused') return true;
  if (state === 'on') return source !== 'compact' && on.length > 0;
  return project.configured ? source !== 'compact' : source === 'startup';
}

const PAUSED = 'Holdpoint is paused in this session: nothing is held until a person resumes it.';

function onNote(on: readonly Armed[]): string {
  return `Holdpoint is on: ${on.map(({ what }) => what).join(', ')}.`;
}

/** If we keep no state here, or the check fails, all that we know is which guards are armed. */
function protectionAt({ event, env, chunks, ...scene }: EventContext, armed: readonly Armed[]): Protection {
  try {
    if (isKept(scene.layout, 'own'))
      return chunks.protectionAtStart({ ...scene.project, layout: scene.layout }, event.sessionId, {
        env,
        chunks,
      });
  } catch {
    // `holdpoint doctor` reports this: it does not catch the error.
  }
  return { state: 'on', reasons: [], holding: armed.map(({ guard }) => guard) };
}

/** Deletes a clean record with its session; failures that must still be reported stay. */
function forgetSession(scene: EventContext): Change {
  const { sessionId, at } = scene.event;
  return {
    document: sessionRecordRef(sessionId),
    what: 'ended session',
    apply: (current) => {
      const { stops: _, ...record } = recordFrom(current, sessionId);
      return record.degraded.some((mark) => !mark.told) ? recordToJson(record, at) : undefined;
    },
  };
}

interface Found {
  readonly ref: DocumentRef;
  readonly record: SessionRecord;
}

function untoldRecords(scene: EventContext): Found[] {
  return recordFiles(join(scene.layout.own, SESSION_RECORDS)).flatMap((name) => {
    const ref = sessionRecordRef(basename(name, '.json'));
    const document = readDocument(scene.layout, ref);
    if (document.kind !== 'present') return [];
    const record = recordFrom(document.value, '');
    return record.degraded.some((mark) => !mark.told) ? [{ ref, record }] : [];
  });
}

function recordFiles(dir: string): string[] {
  return (
    attempt(() =>
      readdirSync(dir)
        .filter((name) => name.endsWith('.json'))
        .slice(0, RECORDS_READ),
    ) ?? []
  );
}

/** Marks only the failures that were read; deletes a record that has nothing else left. */
function markTold({ ref, record: read }: Found): Change {
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
      return recordToJson({ ...record, degraded }, record.stops?.heldAt ?? 0);
    },
  };
}

const PATIENCE = { ownerMs: 500, mostMs: 10_000 };

/**
 * Registers a session that starts where nothing is configured, on a host whose agent shell does not know its
 * session: a loop may be started by hand there and has to find it. If this cannot be written, the commands
 * ask for `--session`.
 */
export function registerNameless({ header, project }: Beginning, surroundings: Surroundings): void {
  const { chunks, env, now, parentPid = process.ppid } = surroundings;
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
