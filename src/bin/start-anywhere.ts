import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import type { Beginning, FirstChunk } from './first-chunk';
import { readKept } from './kept-code';

/** Loads the first chunk as `start.ts` does, by Node's public functions: for every Node that we do not know. */
export function startAnywhere(
  place: Omit<Beginning, 'script' | 'endings'> & { readonly first: string },
): void {
  const { first, cacheFile, require } = place;
  const kept = process.env['HOME']?.startsWith('/') ? readKept(cacheFile) : undefined;
  const wrapped = `(function(exports,require,module,nodeRequire){${readFileSync(first, 'utf8')}\n})`;
  const script = new Script(wrapped, { filename: first, cachedData: kept?.code });
  const module: { exports: Partial<FirstChunk> } = { exports: {} };
  script.runInThisContext()(module.exports, require, module, require);
  const endings = kept !== undefined && script.cachedDataRejected === false ? kept.endings : 0;
  module.exports.run?.({ ...place, script, endings });
}
