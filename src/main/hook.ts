import { writeSync } from 'node:fs';
import { chunkLoader } from './code-cache';

/*
 * What hosts run: `hook.cjs [--host NAME] [--only NAMES]`, and `hook.cjs stop-hook` for the gates' own
 * command. Only loads the chunk that does the work. A broken installation allows the event, with a warning.
 */
try {
  const loader = chunkLoader(__dirname, require, process.env['HOME']);
  (loader.load('run') as typeof import('./run')).run(loader);
} catch (error) {
  const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  const broken = `the installation is broken (${why})`;
  if (process.argv[2] === 'stop-hook') {
    const message = `⚠ Stop hook error — ${broken}. Reinstall Holdpoint.`;
    writeSync(1, `${JSON.stringify({ decision: 'approve', status: 'error', message })}\n`);
  } else {
    writeSync(2, `holdpoint: ${broken}; the event was allowed unchecked. Reinstall Holdpoint.\n`);
  }
  process.exit(0);
}
