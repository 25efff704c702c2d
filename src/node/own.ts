/** Node's own `require`, which every first chunk is given beside the one that answers with what is in this room. */
declare const nodeRequire: (name: string) => unknown;

/** Node's own functions for files, for everything that is not called straight. */
export function own(): typeof import('node:fs') {
  return nodeRequire('node:fs') as typeof import('node:fs');
}

export function ownScript(): typeof import('node:vm').Script {
  return (nodeRequire('node:vm') as typeof import('node:vm')).Script;
}

export function ownPaths(): typeof import('node:path') {
  return nodeRequire('node:path') as typeof import('node:path');
}
