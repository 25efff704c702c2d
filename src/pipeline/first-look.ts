import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { detailOf, type Failure, type Result } from '../domain/failure';
import type { Glance } from '../domain/glance';
import type { JsonObject } from '../domain/json';
import { isConcerned } from '../engine/interest';
import { type Selection, selectGuards } from '../engine/selection';
import { plainRecordName, SESSION_RECORDS } from '../engine/session-file';
import { senderOf } from '../hosts/glance-table';
import type { Layout } from '../store/layout';
import type { CompiledConfig } from './config-cache';
import { loadConfig } from './load-config';
import { findProject, type Project } from './project';
import { readInput } from './read-input';
import type { Surroundings } from './surroundings';

/** A project that has a place for state. */
export type Ground = Project & { readonly layout: Layout };

/** What a first look at the input shows. Most events end here, so this is all that the hook's first file holds. */
export type FirstLook =
  /** No guard watches this event. */
  | { readonly kind: 'unwatched' }
  /** The input is no event at all. */
  | { readonly kind: 'no-event'; readonly failure: Failure; readonly project: Project | undefined }
  /** A session begins in a project that nothing is configured for. */
  | {
      readonly kind: 'unconfigured';
      readonly glance: Glance;
      readonly raw: JsonObject;
      readonly root: string;
    }
  /** A session begins where there is config, but neither git nor a directory of ours to keep state in. */
  | { readonly kind: 'homeless'; readonly glance: Glance; readonly raw: JsonObject }
  | ({ readonly kind: 'watched' } & Watched);

/** An event that somebody has to look at. */
export interface Watched {
  readonly glance: Glance;
  readonly raw: JsonObject;
  readonly project: Ground;
  readonly selection: Selection;
  readonly config: CompiledConfig | undefined;
  /** The guards of the config that it concerns, by their place in it. */
  readonly concerned: readonly number[];
  readonly failures: readonly Failure[];
}

export function firstLook(input: Result<string>, surroundings: Surroundings): FirstLook {
  const { env, only, host } = surroundings;
  const raw = input.ok ? readInput(input.value) : input;
  const glance = raw.ok ? senderOf(raw.value, host).glance(raw.value) : undefined;
  const project = findProject(glance?.cwd ?? '', env);
  if (!raw.ok) return { kind: 'no-event', failure: raw.failure, project };
  if (glance === undefined || glance.hostEvent === '') {
    return { kind: 'no-event', failure: { code: 'input.no-event-name' }, project };
  }
  if (project?.layout === undefined) {
    const lost =
      glance.kind === 'session.start' && existsSync(join(glance.cwd, '.claude', 'requirements.yaml'));
    return lost ? { kind: 'homeless', glance, raw: raw.value } : { kind: 'unwatched' };
  }
  if (!project.configured) {
    const begins = glance.kind === 'session.start';
    return begins
      ? { kind: 'unconfigured', glance, raw: raw.value, root: project.root }
      : { kind: 'unwatched' };
  }
  const selection = selectGuards(only, env);
  const watched = watch(glance, raw.value, { ...project, layout: project.layout }, selection, surroundings);
  return isWatched(watched) ? { kind: 'watched', ...watched } : { kind: 'unwatched' };
}

function watch(
  glance: Glance,
  raw: JsonObject,
  project: Ground,
  selection: Selection,
  { chunks }: Surroundings,
): Watched {
  const seen = { glance, raw, project, selection, concerned: [], failures: [] };
  try {
    const config = loadConfig(project, chunks);
    const exists = (file: string): boolean => existsUpward(glance.cwd, project, file);
    const concerned = (config?.head.guards ?? []).flatMap(({ name, interests }, index) =>
      selection.guards.includes(name) && isConcerned(interests, glance, exists) ? [index] : [],
    );
    return { ...seen, config, concerned, failures: unreadConfig(glance, config) };
  } catch (error) {
    return { ...seen, config: undefined, failures: [{ code: 'config.unreadable', detail: detailOf(error) }] };
  }
}

/** A config that does not parse lets everything pass, and must say so wherever something could have been held. */
function unreadConfig({ kind }: Glance, config: CompiledConfig | undefined): Failure[] {
  const could = kind === 'tool.before' || kind === 'turn.stop';
  const unread = config?.head.unread ?? [];
  return could && unread.length > 0 ? [{ code: 'config.unreadable', detail: unread.join(', ') }] : [];
}

/** Looks for a state file from the event's directory up to the project root, and in the git directory. */
function existsUpward(cwd: string, project: Ground, file: string): boolean {
  if (existsSync(join(project.layout.git, file))) return true;
  for (let dir = isAbsolute(cwd) ? cwd : project.root; ; dir = dirname(dir)) {
    if (existsSync(join(dir, file))) return true;
    if (dir === project.root || dirname(dir) === dir) return existsSync(join(project.root, file));
  }
}

/** Watched by a guard, or by the frame itself: sessions that begin and end, tool use after a refused stop. */
function isWatched({ glance, project, selection, config, concerned, failures }: Watched): boolean {
  if (concerned.length > 0 || failures.length > 0 || selection.unknown.length > 0) return true;
  const { kind, sessionId } = glance;
  if (kind === 'session.start' && (config?.head.problems.length ?? 0) > 0) return true;
  if ((config?.head.guards.length ?? 0) === 0 || sessionId === '') return false;
  if (kind === 'session.start' || kind === 'session.end') return true;
  return kind.startsWith('tool.') && mayHaveRecord(project.layout, sessionId);
}

/** An odd id would have to be hashed to tell; whoever has one goes the whole way. */
function mayHaveRecord({ own }: Layout, sessionId: string): boolean {
  const name = plainRecordName(sessionId);
  return name === undefined || existsSync(join(own, SESSION_RECORDS, `${name}.json`));
}
