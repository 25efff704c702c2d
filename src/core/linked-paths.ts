import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { Event } from './event';

/**
 * The project root has its links resolved, but an agent that reached it through a link names files
 * through that link too. Its paths are put below the resolved root, so that guards know one root only.
 */
export function withoutLinks(event: Event, root: string): Event {
  if (!('call' in event) || event.call.paths.length === 0 || event.cwd === root) return event;
  const seen = rootAsSeen(event.cwd, root);
  if (seen === root) return event;
  const paths = event.call.paths.map((path) =>
    path === seen || path.startsWith(seen + sep) ? root + path.slice(seen.length) : path,
  );
  return { ...event, call: { ...event.call, paths } };
}

function rootAsSeen(cwd: string, root: string): string {
  if (cwd.startsWith(root + sep)) return root;
  try {
    const below = relative(root, realpathSync.native(cwd));
    if (below === '') return cwd;
    return !below.startsWith('..') && cwd.endsWith(sep + below) ? cwd.slice(0, -below.length - 1) : root;
  } catch {
    return root;
  }
}
