// The parts of the rig are TypeScript, and this Node may not read it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Imports a TypeScript file, given relative to the root of the project. */
export async function loadTs(file) {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-load-'));
  const outfile = join(dir, 'module.mjs');
  const absWorkingDir = fileURLToPath(new URL('../..', import.meta.url));
  try {
    await build({
      entryPoints: [file],
      absWorkingDir,
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
    });
    return await import(outfile);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
