import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ESBUILD = fileURLToPath(new URL('../node_modules/.bin/esbuild', import.meta.url));
const OPTIONS = ['--bundle', '--platform=node', '--format=cjs', '--target=node20', '--log-level=warning'];
const made = new Map<string, string>();

/** The module and all it imports as one file, made once, for a process of its own. */
export function bundle(module: URL): string {
  const entry = fileURLToPath(module);
  const known = made.get(entry);
  if (known !== undefined) return known;
  const file = join(mkdtempSync(join(tmpdir(), 'holdpoint-bundle-')), `${basename(entry, '.ts')}.cjs`);
  execFileSync(ESBUILD, [entry, ...OPTIONS, `--outfile=${file}`], { timeout: 60_000 });
  made.set(entry, file);
  return file;
}
