import { accessSync, constants, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { loadConfig } from '../../core/config-cache';
import type { Document, DocumentRef } from '../../core/document';
import { detailOf, type Failure } from '../../core/failure';
import { branchLabel } from '../../core/git-head';
import { type DegradedMark, recordFrom } from '../../core/refused-stops';
import { isDisabled } from '../../core/selection';
import { SESSION_RECORDS, sessionKey, sessionRecordRef } from '../../core/text';
import { requirementStatuses } from '../../guards/requirements/status';
import { pauseFile } from '../../guards/requirements/view';
import { readDocument } from '../../state/documents';
import { tailJournal } from '../../state/journal';
import { containerOf, type Layout, placeOf } from '../../state/layout';
import type { Context } from '../context';
import { glanceAtFlow } from '../flow/flow';
import { glanceAtGates } from '../gates/project';
import { placeIn, readLoops } from '../loop/loops';
import { nearestThere, type OpenProject, requirementsConfig, stateDirectories } from '../project';
import { findSession, type RegisteredSession, readHeartbeats, readRegistry } from '../req/find-session';
import { coverageInSessions, DISABLED, type Facts, guardStates, protectionOf, reasonsOf } from './protection';
import type { Reason, Wiring } from './wiring';

/** Everything that `holdpoint status` shows. */
export type Status = ReturnType<typeof gatherStatus>;

const RECENT = 5;

/** Collects the status. `own` is set where a host asks for one of its own sessions. */
export function gatherStatus(project: OpenProject, context: Context, wiring: Wiring, own?: string) {
  const now = Date.now();
  const { env } = context;
  const { root, layout, configured } = project;
  const read = (ref: DocumentRef): Document => readDocument(layout, ref);
  const config = loadConfig(project, context.chunks);
  const branch = branchLabel(project.head);
  const found = findSession(own, project, env);
  const session = found.kind === 'found' ? found.key : undefined;
  const { sessions: registered } = readRegistry(layout, now);
  const flow = glanceAtFlow(project, context);
  const { known: loops } = readLoops(placeIn(project, layout, context), now);
  const degraded = degradedSessions(project);
  const unwritable = unwritableState(layout);
  const live = registered.filter((one) => one.alive && one.projectDir === root);
  const facts: Facts = {
    config,
    flow,
    loops: loops.filter(({ standing }) => standing !== 'ended'),
    paused: [
      ...(session !== undefined && isPaused(layout, session) ? [pausedReason(session)] : []),
      ...(flow.standing?.workflow.suspended ? [SUSPENDED] : []),
    ],
    degraded,
    unwritable,
    sessions: live,
    session,
    asksForItself: own !== undefined,
    wiring,
  };
  const guards = guardStates(facts, env);
  const compiled = requirementsConfig(config);
  const from = { projectRoot: root, branch, session: session ?? '', sessions: registered, now };
  return {
    root,
    branch,
    configured,
    guards,
    protection: protectionOf(facts, env),
    problems: config?.head.problems ?? [],
    switchedOff: [...(isDisabled(env) ? [DISABLED] : []), ...reasonsOf(guards, 'off'), ...facts.paused].map(
      ({ text }) => text,
    ),
    session,
    requirements: compiled === undefined ? [] : requirementStatuses(compiled, from, read),
    flow,
    gates: glanceAtGates(config, root, env, now),
    loops: facts.loops,
    sessions: projectSessions(live, facts, layout),
    degraded,
    // Where there is nothing to hold there is nothing to record either.
    unwritable: guards.length === 0 ? undefined : unwritable,
    recent: tailJournal(layout, RECENT),
    now,
  };
}

function isPaused(layout: Layout, session: string): boolean {
  return readDocument(layout, pauseFile(session)).kind === 'present';
}

function pausedReason(session: string): Reason {
  const text = `requirements for session ${session}, by \`req pause\`; \`req resume\` ends it`;
  return { text, brief: 'requirements' };
}

const SUSPENDED: Reason = {
  text: 'workflow, by `holdpoint flow suspend`; `holdpoint flow resume` ends it',
  brief: 'workflow',
};

/** The live sessions of the project, with what holds in each and its last sign of life. */
function projectSessions(live: readonly RegisteredSession[], facts: Facts, layout: Layout) {
  const coverage = coverageInSessions(facts);
  const beats = readHeartbeats(layout);
  return live.map((one) => {
    const isDegraded =
      facts.unwritable !== undefined || facts.degraded.some(({ session }) => sessionKey(session) === one.id);
    const trouble = [...(isPaused(layout, one.id) ? ['paused'] : []), ...(isDegraded ? ['degraded'] : [])];
    const beat = beats.find(({ key }) => key === one.id);
    return {
      ...one,
      // Where nothing holds, a session is free whatever else is noted of it.
      state: coverage === 'off' || trouble.length === 0 ? coverage : trouble.join(', '),
      seenAt: Math.max(one.lastActive * 1000, beat?.at ?? 0),
    };
  });
}

type Degraded = DegradedMark & { readonly session: string };

/** Sessions in which something of ours failed. */
export function degradedSessions({ layout }: OpenProject): Degraded[] {
  return recordNames(join(layout.own, SESSION_RECORDS)).flatMap((name) => {
    const document = readDocument(layout, sessionRecordRef(name));
    if (document.kind !== 'present') return [];
    const record = recordFrom(document.value, name);
    return record.degraded.map((mark) => ({ ...mark, session: record.sessionId }));
  });
}

function recordNames(dir: string): string[] {
  try {
    return readdirSync(dir).flatMap((name) => (name.endsWith('.json') ? [basename(name, '.json')] : []));
  } catch {
    return [];
  }
}

/** Why the next write of state would fail, if it would; found out without one. */
function unwritableState(layout: Layout): Failure | undefined {
  for (const directory of stateDirectories(layout)) {
    try {
      const place = placeOf(containerOf(layout, 'own'), directory);
      if (place.kind === 'outward') return { code: 'state.outside', file: directory, target: place.target };
      if (place.kind === 'found' && !place.stats.isDirectory()) throw new Error('ENOTDIR: not a directory');
      const nearest = place.kind === 'found' ? place.path : nearestThere(dirname(place.path));
      accessSync(nearest, constants.W_OK | constants.X_OK);
    } catch (error) {
      return { code: 'state.write-failed', file: directory, detail: detailOf(error) };
    }
  }
  return undefined;
}
