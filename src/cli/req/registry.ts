import { isJsonObject, type Json } from '../../core/json';
import type { LiveSession } from '../../core/snapshot';
import { processState } from '../../exec/processes';
import { readDocument } from '../../state/documents';
import type { Layout } from '../../state/layout';
import { REGISTRY, sessionsIn } from '../../state/sessions';

/** A session of the registry, with the process of its host; zero where none was noted. */
export type RegisteredSession = LiveSession & { readonly hostPid: number };

/** Whether the registry is there at all decides what is said to somebody whose session is not found. */
export type Registry =
  | { readonly kind: 'read'; readonly sessions: readonly RegisteredSession[] }
  | { readonly kind: 'missing'; readonly sessions: readonly [] }
  | {
      readonly kind: 'unreadable';
      readonly sessions: readonly [];
      readonly file: string;
      readonly why: string;
    };

export function readRegistry(layout: Layout, nowMs: number): Registry {
  const document = readDocument(layout, REGISTRY);
  switch (document.kind) {
    case 'missing':
      return { kind: 'missing', sessions: [] };
    case 'unreadable':
      return { kind: 'unreadable', sessions: [], file: document.file, why: document.why };
    case 'present': {
      const known = sessionsIn(document.value, nowMs, processState);
      return {
        kind: 'read',
        sessions: known.map((one) => ({ ...one, hostPid: hostPidOf(document.value, one.id) })),
      };
    }
  }
}

/** The registry belongs to the person, not to a project: where there is none, only the home matters. */
export function layoutOfHome(home: string): Layout {
  return { root: home, git: home, own: home, home };
}

function hostPidOf(registry: Json, id: string): number {
  const sessions = isJsonObject(registry) ? registry['sessions'] : undefined;
  const entry = isJsonObject(sessions) ? sessions[id] : undefined;
  const pid = isJsonObject(entry) ? entry['ppid'] : undefined;
  return typeof pid === 'number' ? pid : 0;
}
