import { digest } from '../core/hash';
import type { Json, JsonObject } from '../core/json';

/**
 * An id for a call to which the host gives none. The same document has the same id however many processes
 * see it, and the same call made again has another, since the time is in it. Before and after a call the ids
 * differ: which of several equal calls has ended nobody can tell. Without a time there is no id.
 */
export function derivedCallId(tool: string, input: JsonObject, time: Json | undefined): string | undefined {
  if (typeof time !== 'string' && typeof time !== 'number') return undefined;
  return `derived-${time}-${digest(`${tool} ${JSON.stringify(input)}`)}`.slice(0, 64);
}
