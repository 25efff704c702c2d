import type { Glance } from '../domain/glance';
import { globMatches } from '../domain/glob';
import type { Interest } from '../domain/guard';

/** Whether any of a guard's interests covers the event. `exists` is asked only when all else fits. */
export function isConcerned(
  interests: readonly Interest[],
  glance: Glance,
  exists: (file: string) => boolean,
): boolean {
  return interests.some(
    ({ kind, tools, whenFile }) =>
      kind === glance.kind &&
      (tools === undefined || tools.some((tool) => isNamed(glance.toolNames, tool))) &&
      (whenFile === undefined || whenFile.some(exists)),
  );
}

function isNamed(names: readonly string[], pattern: string): boolean {
  return names.some((name) => globMatches(pattern, name));
}
