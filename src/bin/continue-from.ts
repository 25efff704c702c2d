import { requireForChunks } from '../node/for-chunks';
import { type Beginning, CODE_FOLDER } from './first-chunk';
import { type ChunkLoader, chunkLoader } from './load-chunk';

/** Goes on from the chunk that was loaded first; what it loads is given our own stand-ins for Node's functions. */
export function continueFrom(first: string, beginning: Beginning): ChunkLoader {
  const home = process.env['HOME'];
  const folder = home?.startsWith('/') ? home + CODE_FOLDER : undefined;
  const { script, endings, cacheFile, build, dir, bytes } = beginning;
  const require = requireForChunks(beginning.require);
  const loaded = { script, series: `any.${first}.`, cacheFile, endings };
  return chunkLoader({ dir, require, build, folder, bytes }, loaded);
}
