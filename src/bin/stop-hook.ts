import { writeSync } from 'node:fs';
import { chunkLoader } from './load-chunk';

/*
 * What settings of the older program call. As in `hook.ts` only the loader is here. Whatever is wrong with
 * the installation allows the stop, in the words that the caller expects.
 */
try {
  const loader = chunkLoader(__dirname, process.env['HOME']);
  const chunk = loader.load('run-stop-hook', 'any') as typeof import('./run-stop-hook');
  chunk.runStopHook(loader);
} catch (error) {
  const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  const message = `⚠ Stop hook error — the installation is broken (${why}). Reinstall holdpoint.`;
  writeSync(1, `${JSON.stringify({ decision: 'approve', status: 'error', message })}\n`);
  process.exit(0);
}
