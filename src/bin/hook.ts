import { writeSync } from 'node:fs';
import { chunkLoader } from './load-chunk';

/*
 * What a host calls. Only the loader is here: with its compiled code kept, the rest starts faster
 * from a chunk than from this file. Whatever is wrong with the installation lets the event pass.
 */
try {
  const loader = chunkLoader(__dirname, process.env['HOME']);
  const chunk = loader.load('run-hook', 'any') as typeof import('./run-hook');
  chunk.runHook(process.argv.slice(2), loader);
} catch (error) {
  const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  writeSync(
    2,
    `holdpoint: the installation is broken (${why}); the event was let through unchecked. Reinstall holdpoint.\n`,
  );
  process.exit(0);
}
