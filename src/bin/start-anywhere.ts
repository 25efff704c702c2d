import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { type Beginning, type FirstChunk, LARGEST_BYTES } from './first-chunk';
import { readKept } from './kept-code';

/** Loads the first chunk as `start.ts` does, by Node's public functions: for every Node that we do not know. */
export function startAnywhere(
  place: Omit<Beginning, 'script' | 'endings' | 'bytes'> & { readonly first: string },
): void {
  const { first, cacheFile, require } = place;
  const bytes = new Uint8Array(LARGEST_BYTES);
  const kept = process.env['HOME']?.startsWith('/') ? readKept(cacheFile, bytes) : undefined;
  const script = new Script(readFileSync(first, 'latin1'), { filename: first, cachedData: kept?.code });
  const module: { exports: Partial<FirstChunk> } = { exports: {} };
  script.runInThisContext()(module.exports, require, module, require);
  const endings = kept === undefined || script.cachedDataRejected === true ? 0 : kept.endings;
  module.exports.run?.({ ...place, script, endings, bytes });
}
