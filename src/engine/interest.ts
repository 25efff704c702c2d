import type { Event } from '../domain/event';
import { toolCallOf } from '../domain/event';
import { globMatches } from '../domain/glob';
import type { Interest } from '../domain/guard';

/** Whether any of a guard's interests covers the event. `exists` is asked only when all else fits. */
export function isConcerned(
  interests: readonly Interest[],
  event: Event,
  exists: (file: string) => boolean,
): boolean {
  return interests.some(
    (interest) =>
      interest.kind === event.kind &&
      wantsTool(interest, event) &&
      (interest.whenFile === undefined || interest.whenFile.some(exists)),
  );
}

function wantsTool(interest: Interest, event: Event): boolean {
  const { tools } = interest;
  if (tools === undefined) return true;
  const call = toolCallOf(event);
  if (call === undefined) return false;
  return tools.some((tool) => call.names.some((name) => globMatches(tool, name)));
}
