// Judges every command of the corpus and prints what was judged otherwise than it should be.
// node test/guards/workflow/corpus.mjs
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'holdpoint-judge-'));
try {
  const outfile = join(dir, 'judge-corpus.mjs');
  await build({
    entryPoints: [here('judge-corpus.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  const { judgeCorpus } = await import(pathToFileURL(outfile).href);
  const { count, deviations } = judgeCorpus(here('corpus'));
  const isMild = (verdict) => verdict === 'allow' || verdict === 'none';
  const missed = deviations.filter(({ found }) => isMild(found));
  const alarms = deviations.filter(({ found }) => !isMild(found));
  for (const [title, list] of [
    ['missed', missed],
    ['false alarm', alarms],
  ])
    for (const { theme, command, expected, found } of list)
      console.log(`${title} (${theme}): ${command.replaceAll('\n', '⏎')}\n  ${found} instead of ${expected}`);
  console.log(`${count} verdicts: ${missed.length} missed, ${alarms.length} false alarms`);
  if (deviations.length > 0) process.exitCode = 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}
