import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { branchLabel } from '../../domain/git-head';
import { GUARD_NAMES } from '../../domain/guard-name';
import type { JsonObject } from '../../domain/json';
import { isDisabled, selectGuards } from '../../engine/selection';
import { SESSION_RECORDS, sessionRecordRef } from '../../engine/session-file';
import { type DegradedMark, recordFrom } from '../../engine/session-record';
import { pauseFile } from '../../guards/requirements/session-files';
import {
  type RequirementStatus,
  requirementStatuses,
  type Standpoint,
} from '../../guards/requirements/status';
import type { CompiledConfig } from '../../pipeline/config-cache';
import { loadConfig } from '../../pipeline/load-config';
import { readDocument } from '../../store/documents';
import { tailJournal } from '../../store/journal-read';
import { type FlowGlance, glanceAtFlow } from '../flow/glance';
import { type GatesGlance, glanceAtGates } from '../gates/glance';
import { type Loop, readLoops } from '../loop/loops';
import { placeIn } from '../loop/place';
import type { OpenProject } from '../project';
import { findSession } from '../req/find-session';
import { readRegistry } from '../req/registry';
import { requirementsConfig } from '../req/requirements-config';
import type { Context } from '../verb';
import type { Calling } from './calling';
import { type SeenSession, seenSessions } from './seen-sessions';
import { type Standing, standingOf } from './standing';

/** Everything at a glance, as data. */
export interface Status {
  readonly root: string;
  readonly branch: string;
  readonly configured: boolean;
  readonly guards: readonly string[];
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
  readonly standing: Standing;
  readonly degraded: readonly (DegradedMark & { readonly session: string })[];
  readonly recent: readonly JsonObject[];
}

const RECENT = 5;

/** Who asks: a host for one of its own sessions, or a person, who wants to know whether any host calls us at all. */
export type Asker = { readonly session: string } | { readonly calling: () => Calling };

export function gatherStatus(project: OpenProject, context: Context, now: number, asker: Asker): Status {
  const { chunks, env } = context;
  const config = loadConfig(project, chunks);
  const branch = branchLabel(project.head);
  const found = findSession('session' in asker ? asker.session : undefined, project, env);
  const session = found.kind === 'found' ? found.key : undefined;
  const { sessions } = readRegistry(project.layout, now);
  const degraded = degradedSessions(project);
  const seen = seenSessions(project, sessions, degraded);
  const loops = openLoops(project, context, now);
  const flow = glanceAtFlow(project, context);
  const gates = glanceAtGates(config, project.root, env, now);
  const from = { projectRoot: project.root, branch, session: session ?? '', sessions, now };
  const guards = guardsAtWork(config, loops, flow);
  const paused = [...byPause(project, session), ...bySuspension(flow)];
  return {
    root: project.root,
    branch,
    configured: project.configured,
    guards,
    standing: standingOf({
      guards,
      unread: config?.head.unread ?? [],
      paused,
      degraded,
      seen,
      session,
      asker,
      env,
    }),
    problems: config?.head.problems ?? [],
    switchedOff: [...byEnvironment(env), ...byConfig(config), ...paused, ...byGatesConfig(gates)],
    session,
    requirements: requirementsIn(config, project, from),
    flow,
    gates,
    loops,
    sessions: seen,
    degraded,
    recent: tailJournal(project.layout, RECENT),
  };
}

/** Some guards are there in every project, configured or not, and told only while something is going on. */
function guardsAtWork(
  config: CompiledConfig | undefined,
  loops: readonly Loop[],
  { standing }: FlowGlance,
): string[] {
  const configured = (config?.head.guards ?? []).filter(({ byHand }) => byHand !== true);
  const names = new Set<string>(configured.map(({ name }) => name));
  if (standing !== undefined) names.add('workflow');
  if (loops.length > 0) names.add('loop');
  return GUARD_NAMES.filter((name) => names.has(name));
}

function openLoops(project: OpenProject, context: Context, now: number): Loop[] {
  const { known } = readLoops(placeIn(project, project.layout, context), now);
  return known.filter(({ standing }) => standing !== 'ended');
}

function byEnvironment(env: Context['env']): string[] {
  if (isDisabled(env)) return ['everything, by HOLDPOINT_DISABLE in this environment'];
  const { guards } = selectGuards([], env);
  return GUARD_NAMES.filter((name) => !guards.includes(name)).map(
    (name) => `${name}, by a variable in this environment`,
  );
}

function byConfig(config: CompiledConfig | undefined): string[] {
  const requirements = requirementsConfig(config);
  if (requirements?.enabled === false) return ['requirements, by `enabled: false` in the config'];
  return requirements?.reach === 'global-only' ? ['requirements, which only the global config names'] : [];
}

function byPause({ layout }: OpenProject, session: string | undefined): string[] {
  const paused = session !== undefined && readDocument(layout, pauseFile(session)).kind !== 'missing';
  return paused ? [`requirements for session ${session}, by \`req pause\`; \`req resume\` ends it`] : [];
}

function bySuspension({ standing }: FlowGlance): string[] {
  const isSuspended = standing?.workflow.suspended === true;
  return isSuspended ? ['workflow, by `holdpoint flow suspend`; `holdpoint flow resume` ends it'] : [];
}

function byGatesConfig(gates: GatesGlance | undefined): string[] {
  return gates?.atStops === false ? ['gates at the end of turns, by `stop_hook.enabled`'] : [];
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
