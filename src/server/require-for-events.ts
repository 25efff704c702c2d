import { renameInTime } from './replaced-files';

/** What the chunks get as their `require`: Node's own, but that no event waits for a file that it has replaced. */
export function requireForEvents(nodeRequire: (name: string) => unknown): (name: string) => unknown {
  const files = Object.assign(Object.create(nodeRequire('node:fs') as object), { renameSync: renameInTime });
  return (name) => (name === 'node:fs' ? files : nodeRequire(name));
}
