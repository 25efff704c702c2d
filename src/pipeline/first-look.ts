import type { Event } from '../domain/event';
import type { Failure, Result } from '../domain/failure';
import { selectGuards } from '../engine/selection';
import { findProject, type Project } from './project';
import { readEvent } from './read-event';
import { type Stage, setScene } from './set-scene';
import type { Surroundings } from './surroundings';

/** What a first look at the input shows. Most events end here, so this is all that the hook's first file holds. */
export type FirstLook =
  /** No guard watches this event. */
  | { readonly kind: 'unwatched' }
  /** The input is no event at all. */
  | { readonly kind: 'no-event'; readonly failure: Failure; readonly project: Project | undefined }
  /** A session begins in a project that nothing is configured for. */
  | { readonly kind: 'unconfigured'; readonly event: Event; readonly root: string }
  | { readonly kind: 'watched'; readonly stage: Stage; readonly unknownNames: readonly string[] };

export function firstLook(input: Result<string>, surroundings: Surroundings): FirstLook {
  const { env, chunks, only, host, now } = surroundings;
  const arrival = input.ok ? readEvent(input.value, host, now) : input;
  const project = findProject(arrival.ok ? arrival.value.cwd : '', env, chunks.askGit);
  if (!arrival.ok) return { kind: 'no-event', failure: arrival.failure, project };
  const event = arrival.value;
  if (project?.layout === undefined) return { kind: 'unwatched' };
  if (!project.configured) {
    const begins = event.kind === 'session.start' && event.source === 'startup';
    return begins ? { kind: 'unconfigured', event, root: project.root } : { kind: 'unwatched' };
  }
  const selection = selectGuards(only, env);
  const stage = setScene(event, { ...project, layout: project.layout }, selection, env, chunks);
  if (!stage.concerned && selection.unknown.length === 0) return { kind: 'unwatched' };
  return { kind: 'watched', stage, unknownNames: selection.unknown };
}
