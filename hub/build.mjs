// Builds hub/dist: the server as ES modules with external packages, and the page as static files.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import { build as buildPage } from 'vite';
import pkg from './package.json' with { type: 'json' };

const here = fileURLToPath(new URL('.', import.meta.url));
const out = process.env.HOLDPOINT_HUB_DIST ?? `${here}dist`;

rmSync(out, { recursive: true, force: true });
await bundle({
  entryPoints: { main: `${here}src/main.ts`, 'pglite-worker': `${here}src/db/pglite-worker.ts` },
  outdir: out,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  splitting: true,
  chunkNames: '[name]-[hash]',
  define: { __VERSION__: JSON.stringify(pkg.version) },
  logLevel: 'warning',
});
await buildPage({
  root: `${here}page`,
  configFile: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: `${out}/page`,
    emptyOutDir: true,
    target: 'es2022',
    // These support light-dark(), which would otherwise be expanded.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
});
