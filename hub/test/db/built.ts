/** The databases built as plain modules: PGlite's worker and the processes that are killed need files of their own. */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Database } from '../../src/db/database.js';
import type { EmbeddedDatabase } from '../../src/db/pglite.js';
import { temporaryDirectory } from '../processes.mjs';

const sources = fileURLToPath(new URL('../../src/db/', import.meta.url));
/** Below the packages, so that imports of them are found. */
const out = fileURLToPath(new URL('../../../node_modules/.cache/hub-db/', import.meta.url));

export interface Built {
  readonly openEmbedded: (data: string) => Promise<EmbeddedDatabase>;
  readonly openDatabase: (place: { data: string; url?: string | undefined }) => Promise<Database>;
}

let built: Promise<Built> | undefined;

export const openModule = join(out, 'open.mjs');
const embeddedModule = join(out, 'pglite.mjs');

export function builtDatabases(): Promise<Built> {
  built ??= (async () => {
    await build({
      entryPoints: ['open', 'pglite', 'pglite-worker'].map((name) => join(sources, `${name}.ts`)),
      outdir: out,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      packages: 'external',
      platform: 'node',
      target: 'node20',
      format: 'esm',
      splitting: true,
      logLevel: 'error',
    });
    const [open, embedded] = await Promise.all(
      [openModule, embeddedModule].map((file) => import(pathToFileURL(file).href)),
    );
    return { openDatabase: open.openDatabase, openEmbedded: embedded.openEmbedded };
  })();
  return built;
}

let template: Promise<string> | undefined;

/** A data directory with a database in it. Making one takes seconds, copying one does not. */
export async function newData(): Promise<string> {
  template ??= (async () => {
    const data = temporaryDirectory();
    const { openDatabase } = await builtDatabases();
    await (await openDatabase({ data })).close();
    return data;
  })();
  const source = await template;
  const data = temporaryDirectory();
  if (!existsSync(join(source, 'db'))) throw new Error('The template has no database.');
  cpSync(join(source, 'db'), join(data, 'db'), { recursive: true });
  return data;
}
