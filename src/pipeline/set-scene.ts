import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Event } from '../domain/event';
import { detailOf, type Failure } from '../domain/failure';
import { isConcerned } from '../engine/interest';
import type { Selection } from '../engine/selection';
import { sessionRecordRef } from '../engine/session-file';
import { stopLimit } from '../engine/stop-limit';
import { nextDecisionId } from '../store/decision-id';
import { documentFile } from '../store/layout';
import type { Chunks } from './chunks';
import type { CompiledConfig } from './config-cache';
import { loadConfig } from './load-config';
import type { Project } from './project';
import type { ActiveGuard, Scene } from './scene';

type Environment = Readonly<Record<string, string | undefined>>;

/** A scene, with what went wrong while it was set. */
export interface Stage {
  readonly scene: Scene;
  readonly failures: readonly Failure[];
  /** Whether anybody has to look at the event at all. */
  readonly concerned: boolean;
}

/** Brings together what the event needs: its config, and only those guards that it concerns. */
export function setScene(
  event: Event,
  project: Project & { readonly layout: NonNullable<Project['layout']> },
  selection: Selection,
  env: Environment,
  chunks: Chunks,
): Stage {
  const failures: Failure[] = [];
  const config = configOf(project, chunks, failures);
  failures.push(...unreadConfig(event, config));
  const guards =
    config === undefined ? [] : activeGuards(event, project, selection, chunks, config, failures);
  if (guards.length > 0 && event.sessionId === '') {
    failures.push({ code: 'input.no-session', event: event.hostEvent });
  }
  const scene: Scene = {
    event,
    project,
    layout: project.layout,
    env,
    chunks,
    guards,
    rules: selection.rules,
    problems: config?.head.problems ?? [],
    stopLimit: stopLimit(env),
    id: nextDecisionId(event.at, process.pid),
  };
  const watched = config !== undefined && config.head.guards.length > 0 && isWatched(scene);
  const told = event.kind === 'session.start' && scene.problems.length > 0;
  return { scene, failures, concerned: guards.length > 0 || failures.length > 0 || watched || told };
}

function configOf(project: Project, chunks: Chunks, failures: Failure[]): CompiledConfig | undefined {
  try {
    return loadConfig(project, chunks);
  } catch (error) {
    failures.push({ code: 'config.unreadable', detail: detailOf(error) });
    return undefined;
  }
}

/** A config that does not parse lets everything pass, and must say so wherever something could have been held. */
function unreadConfig(event: Event, config: CompiledConfig | undefined): Failure[] {
  const could = event.kind === 'tool.before' || event.kind === 'turn.stop';
  const unread = config?.head.unread ?? [];
  return could && unread.length > 0 ? [{ code: 'config.unreadable', detail: unread.join(', ') }] : [];
}

function activeGuards(
  event: Event,
  project: Project,
  selection: Selection,
  chunks: Chunks,
  config: CompiledConfig,
  failures: Failure[],
): ActiveGuard[] {
  const exists = (file: string): boolean => existsUpward(event.cwd, project, file);
  return config.head.guards.flatMap(({ name, interests, onError }, index) => {
    if (!selection.guards.includes(name) || !isConcerned(interests, event, exists)) return [];
    try {
      return [{ guard: chunks.guard(name), config: config.configOf(index), onError }];
    } catch (error) {
      failures.push({ code: 'guard.missing', guard: name, detail: detailOf(error) });
      return [];
    }
  });
}

/** Looks for a state file from the event's directory up to the project root, and in the git directory. */
function existsUpward(cwd: string, project: Project, file: string): boolean {
  if (project.layout !== undefined && existsSync(join(project.layout.git, file))) return true;
  for (let dir = isAbsolute(cwd) ? cwd : project.root; ; dir = dirname(dir)) {
    if (existsSync(join(dir, file))) return true;
    if (dir === project.root || dirname(dir) === dir) return existsSync(join(project.root, file));
  }
}

/** The frame's own interest: sessions that begin and end, and tool use after a refused stop. */
function isWatched(scene: Scene): boolean {
  const { kind } = scene.event;
  if (kind === 'session.start' || kind === 'session.end') return true;
  return kind.startsWith('tool.') && hasSessionRecord(scene);
}

function hasSessionRecord({ event, layout }: Scene): boolean {
  return event.sessionId !== '' && existsSync(documentFile(layout, sessionRecordRef(event.sessionId)));
}
