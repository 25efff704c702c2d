import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { branchLabel } from '../../domain/git-head';
import type { JsonObject } from '../../domain/json';
import type { LiveSession } from '../../domain/snapshot';
import { SESSION_RECORDS, sessionRecordRef } from '../../engine/session-file';
import { type DegradedMark, recordFrom } from '../../engine/session-record';
import type { RequirementsConfig } from '../../guards/requirements/config';
import { type RequirementStatus, requirementStatuses } from '../../guards/requirements/status';
import type { CompiledConfig } from '../../pipeline/config-cache';
import { loadConfig } from '../../pipeline/load-config';
import { processState } from '../../process/alive';
import { readDocument } from '../../store/documents';
import { tailJournal } from '../../store/journal-read';
import { REGISTRY, sessionsIn } from '../../store/sessions';
import type { OpenProject } from '../project';
import { findSession } from '../req/find-session';
import type { Context } from '../verb';

/** Everything at a glance, as data. */
export interface Status {
  readonly root: string;
  readonly branch: string;
  readonly configured: boolean;
  readonly guards: readonly string[];
  readonly problems: readonly string[];
  /** The session for which the requirements are judged, where one could be told. */
  readonly session: string | undefined;
  readonly requirements: readonly RequirementStatus[];
  readonly sessions: readonly LiveSession[];
  readonly degraded: readonly (DegradedMark & { readonly session: string })[];
  readonly recent: readonly JsonObject[];
}

const RECENT = 5;

export function gatherStatus(project: OpenProject, { chunks, env }: Context, now: number): Status {
  const config = loadConfig(project, chunks);
  const branch = branchLabel(project.head);
  const found = findSession(undefined, project, env);
  const session = found.kind === 'found' ? found.key : undefined;
  const registry = readDocument(project.layout, REGISTRY);
  const all = sessionsIn(registry.kind === 'present' ? registry.value : undefined, now, processState);
  return {
    root: project.root,
    branch,
    configured: project.configured,
    guards: config?.head.guards.map(({ name }) => name) ?? [],
    problems: config?.head.problems ?? [],
    session,
    requirements: requirementsIn(config, project, branch, session ?? '', now),
    sessions: all.filter((one) => one.alive && one.projectDir === project.root),
    degraded: degradedSessions(project),
    recent: tailJournal(project.layout, RECENT),
  };
}

function requirementsIn(
  config: CompiledConfig | undefined,
  project: OpenProject,
  branch: string,
  session: string,
  now: number,
): RequirementStatus[] {
  const index = config?.head.guards.findIndex(({ name }) => name === 'requirements') ?? -1;
  if (config === undefined || index < 0) return [];
  const compiled = config.configOf(index) as RequirementsConfig;
  return requirementStatuses(compiled, branch, session, now, (ref) => readDocument(project.layout, ref));
}

function degradedSessions({ layout }: OpenProject): Status['degraded'] {
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
