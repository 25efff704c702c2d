// Builds dist/: one CommonJS file for the hook with a chunk for each thing it may need,
// and the command line as ES modules that share their chunks.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import pkg from '../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('..', import.meta.url));
const src = (path) => join(root, 'src', path);
const out = join(root, 'dist');

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  define: { __VERSION__: JSON.stringify(pkg.version) },
  legalComments: 'none',
  logLevel: 'warning',
};

const guards = readdirSync(src('guards'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

const effectChunks = guards
  .filter((name) => existsSync(src(`guards/${name}/effects.ts`)))
  .map((name) => [`guard-${name}-effects`, src(`guards/${name}/effects.ts`)]);

const chunks = {
  hook: src('bin/hook.ts'),
  'run-hook': src('bin/run-hook.ts'),
  holdpoint: src('bin/holdpoint.ts'),
  req: src('bin/req.ts'),
  'agent-gauntlet': src('bin/agent-gauntlet.ts'),
  decide: src('pipeline/decide-event.ts'),
  'compile-config': src('pipeline/compile-config.ts'),
  'report-bug': src('pipeline/report-bug.ts'),
  shell: src('shell/index.ts'),
  'ask-git': src('git/ask-git.ts'),
  'claude-code-transcript': src('hosts/claude-code/transcript.ts'),
  ...Object.fromEntries(guards.map((name) => [`guard-${name}`, src(`guards/${name}/index.ts`)])),
  ...Object.fromEntries(effectChunks),
};

rmSync(out, { recursive: true, force: true });
await Promise.all([
  build({
    ...shared,
    entryPoints: chunks,
    outdir: out,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minify: true,
    external: ['./hook.cjs'],
  }),
  build({
    ...shared,
    entryPoints: { main: src('cli/main.ts') },
    outdir: join(out, 'cli'),
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    // Bundled CommonJS packages ask for Node's own modules by `require`, which ES modules do not have.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  }),
]);
