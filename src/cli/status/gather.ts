import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { CompiledConfig } from '../../core/config-cache';
import type { Failure } from '../../core/failure';
import { branchLabel } from '../../core/git-head';
import type { JsonObject } from '../../core/json';
import { loadConfig } from '../../core/load-config';
import { isDisabled } from '../../core/selection';
import { SESSION_RECORDS, sessionRecordRef } from '../../core/session-file';
import { type DegradedMark, recordFrom } from '../../core/session-record';
import { pauseFile } from '../../guards/requirements/session-files';
import {
  type RequirementStatus,
  requirementStatuses,
  type Standpoint,
} from '../../guards/requirements/status';
import { readDocument } from '../../state/documents';
import { tailJournal } from '../../state/journal-read';
import { type FlowGlance, glanceAtFlow } from '../flow/flow';
import { type GatesGlance, glanceAtGates } from '../gates/project';
import { type Loop, placeIn, readLoops } from '../loop/loops';
import type { OpenProject } from '../project';
import { findSession } from '../req/find-session';
import { type RegisteredSession, readRegistry } from '../req/registry';
import { requirementsConfig } from '../req/requirements-config';
import type { Context } from '../verb';
import type { Calling } from './calling';
import * as say from './messages';
import { mistakesIn } from './mistakes';
import { type Post, postsIn } from './posts';
import { type SeenSession, seenSessions } from './seen-sessions';
import { type Cover, coverInSessions, coverOf, type Outlook, type Standing, standingOf } from './standing';
import { stateTrouble } from './state-place';

/** Everything at a glance, as data. */
export interface Status {
  readonly root: string;
  readonly branch: string;
  readonly configured: boolean;
  readonly posts: readonly Post[];
  readonly problems: readonly string[];
  /** Why something that is configured does not hold now. */
  readonly switchedOff: readonly string[];
  /** The session for which the requirements are judged, where one could be told. */
  readonly session: string | undefined;
  readonly requirements: readonly RequirementStatus[];
  readonly flow: FlowGlance;
  /** Absent where the project has none. */
  readonly gates: GatesGlance | undefined;
  /** Those that did not end, whoever's they are. */
  readonly loops: readonly Loop[];
  readonly sessions: readonly SeenSession[];
  /** What holds in them. */
  readonly inSessions: Cover['state'];
  readonly standing: Standing;
  readonly degraded: readonly (DegradedMark & { readonly session: string })[];
  /** Why nothing can be recorded here. */
  readonly unwritable: Failure | undefined;
  readonly recent: readonly JsonObject[];
}

const RECENT = 5;

/** Who asks: a host for one of its own sessions, or a person; and how it can be told who calls us, which takes a look at many files. */
export interface Asker {
  readonly session?: string;
  readonly calling: () => Calling;
}

export function gatherStatus(project: OpenProject, context: Context, now: number, asker: Asker): Status {
  const { chunks, env } = context;
  const { root, layout, configured } = project;
  const config = loadConfig(project, chunks);
  const branch = branchLabel(project.head);
  const found = findSession(asker.session, project, env);
  const session = found.kind === 'found' ? found.key : undefined;
  const { sessions } = readRegistry(layout, now);
  const outlook = outlookOn(project, context, config, asker, session, sessions, now);
  const { flow, loops, paused, degraded, seen, unwritable } = outlook;
  const posts = postsIn(outlook, env);
  const from = { projectRoot: root, branch, session: session ?? '', sessions, now };
  return {
    root,
    branch,
    configured,
    posts,
    standing: standingOf(outlook, coverOf(outlook, env)),
    problems: config?.head.problems ?? [],
    switchedOff: [...switchedOffIn(posts, env), ...paused].map(({ text }) => text),
    session,
    requirements: requirementsIn(config, project, from),
    flow,
    gates: glanceAtGates(config, root, env, now),
    loops,
    sessions: seen,
    inSessions: seen.length === 0 ? 'off' : coverInSessions(outlook).state,
    degraded,
    // Where there is nothing to hold there is nothing to record either.
    unwritable: posts.length === 0 ? undefined : unwritable,
    recent: tailJournal(layout, RECENT),
  };
}

type SeenOutlook = Outlook & Pick<Status, 'degraded'>;

function outlookOn(
  project: OpenProject,
  context: Context,
  config: CompiledConfig | undefined,
  asker: Asker,
  session: string | undefined,
  sessions: readonly RegisteredSession[],
  now: number,
): SeenOutlook {
  const flow = glanceAtFlow(project, context);
  const degraded = degradedSessions(project);
  const unwritable = stateTrouble(project.layout);
  let calling: Calling | undefined;
  return {
    config,
    mistakes: mistakesIn(config?.head.problems ?? []),
    unread: config?.head.unread ?? [],
    flow,
    loops: openLoops(project, context, now),
    paused: [...byPause(project, session), ...bySuspension(flow)],
    degraded,
    unwritable,
    seen: seenSessions(project, sessions, degraded, unwritable !== undefined),
    session,
    asksForItself: asker.session !== undefined,
    calling: () => {
      calling ??= asker.calling();
      return calling;
    },
  };
}

function openLoops(project: OpenProject, context: Context, now: number): Loop[] {
  const { known } = readLoops(placeIn(project, project.layout, context), now);
  return known.filter(({ standing }) => standing !== 'ended');
}

function switchedOffIn(posts: readonly Post[], env: Context['env']): say.Reason[] {
  const guards = posts.flatMap((post) => (post.kind === 'off' ? [post.reason] : []));
  return [...(isDisabled(env) ? [say.DISABLED] : []), ...guards];
}

function byPause({ layout }: OpenProject, session: string | undefined): say.Reason[] {
  const isPaused = session !== undefined && readDocument(layout, pauseFile(session)).kind === 'present';
  return isPaused ? [say.paused(session)] : [];
}

function bySuspension({ standing }: FlowGlance): say.Reason[] {
  return standing?.workflow.suspended === true ? [say.SUSPENDED] : [];
}

function requirementsIn(
  config: CompiledConfig | undefined,
  { layout }: OpenProject,
  from: Standpoint,
): RequirementStatus[] {
  const compiled = requirementsConfig(config);
  return compiled === undefined
    ? []
    : requirementStatuses(compiled, from, (ref) => readDocument(layout, ref));
}

/** Sessions in which something of ours failed. */
export function degradedSessions({ layout }: OpenProject): Status['degraded'] {
  return recordNames(join(layout.own, SESSION_RECORDS)).flatMap((name) => {
    const document = readDocument(layout, sessionRecordRef(name));
    if (document.kind !== 'present') return [];
    const record = recordFrom(document.value, name);
    return record.degraded.map((mark) => ({ ...mark, session: record.sessionId }));
  });
}

function recordNames(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => name.endsWith('.json'))
      .map((name) => basename(name, '.json'));
  } catch {
    return [];
  }
}
