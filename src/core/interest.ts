import type { EventHeader as Glance } from './event-header';
import { globMatches } from './glob';
import type { Interest } from './guard';

/** Whether any of a guard's interests covers the event. `exists` is asked only when all else fits. */
export function isConcerned(
  interests: readonly Interest[],
  glance: Glance,
  exists: (file: string) => boolean,
): boolean {
  for (const { kind, tools, whenFile } of interests) {
    if (kind !== glance.kind) continue;
    if (tools !== undefined && !isNamed(glance.toolNames, tools)) continue;
    if (whenFile === undefined || whenFile.some(exists)) return true;
  }
  return false;
}

function isNamed(names: readonly string[], patterns: readonly string[]): boolean {
  for (const pattern of patterns) for (const name of names) if (globMatches(pattern, name)) return true;
  return false;
}
