// Builds dist/: CommonJS for the hook with a chunk for each thing that an event may need, ES modules for the command line.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import pkg from '../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('..', import.meta.url));
const src = (path) => join(root, 'src', path);
/** Where the tests look for the product too. */
const out = process.env.HOLDPOINT_DIST ?? join(root, 'dist');

const foldersOf = (room) =>
  readdirSync(src(room), { withFileTypes: true }).filter((entry) => entry.isDirectory());
const guards = foldersOf('guards').map(({ name }) => name);
/** Claude Code is part of the first chunk; every other host has its own. */
const otherHosts = foldersOf('hosts').flatMap(({ name }) => (name === 'claude-code' ? [] : [name]));

const chunks = {
  run: src('main/run.ts'),
  decide: src('core/pipeline.ts'),
  shell: src('shell/command-lines.ts'),
  'shell-effects': src('shell/effects.ts'),
  'compile-config': src('core/compile-config.ts'),
  'claude-code-transcript': src('hosts/claude-code/transcript.ts'),
  person: src('hosts/claude-code/person.ts'),
  'lost-hooks': src('core/lost-hooks.ts'),
  protection: src('cli/status/protection.ts'),
  client: src('cli/client.ts'),
  'report-bug': src('core/report-bug.ts'),
  'stop-hook': src('core/stop-hook.ts'),
  'store-code': src('main/store-code.ts'),
  outbox: src('server/outbox.ts'),
  markdown: src('guards/loop/markdown.ts'),
  people: src('guards/requirements/people.ts'),
  deeds: src('guards/requirements/deeds.ts'),
  signed: src('guards/requirements/signed.ts'),
  doing: src('core/doing.ts'),
  recording: src('core/recording/tape.ts'),
  uplink: src('uplink/uplink.ts'),
  'start-uplink': src('server/start-uplink.ts'),
  ...Object.fromEntries(guards.map((name) => [`guard-${name}`, src(`guards/${name}/index.ts`)])),
  ...Object.fromEntries(
    guards
      .filter((name) => existsSync(src(`guards/${name}/effects.ts`)))
      .map((name) => [`guard-${name}-effects`, src(`guards/${name}/effects.ts`)]),
  ),
  ...Object.fromEntries(otherHosts.map((name) => [`host-${name}`, src(`hosts/${name}/index.ts`)])),
};
const entries = {
  hook: src('main/hook.ts'),
  serve: src('main/serve.ts'),
  opencode: src('main/opencode.ts'),
  holdpoint: src('main/holdpoint.ts'),
  req: src('main/req.ts'),
  'agent-gauntlet': src('main/agent-gauntlet.ts'),
};

/** Some packages name a file for Node that loads its parts by itself, which no bundle can follow. */
const mainFields = ['module', 'main'];

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  logLevel: 'warning',
};
const version = { __VERSION__: JSON.stringify(pkg.version) };
const commonJs = { ...shared, outdir: out, outExtension: { '.js': '.cjs' }, format: 'cjs', minify: true };

/**
 * A chunk is a CommonJS module for `require`, and for the hook a script whose value is a function. Were the function put
 * around it at run time, every event would copy the whole text once more.
 */
const parameters = 'exports,require,module,__filename,__dirname';
const asFunction = {
  banner: { js: `(chunk=>typeof module==='object'?chunk(${parameters}):chunk)(function(${parameters}){` },
  footer: { js: '})' },
};

rmSync(out, { recursive: true, force: true });
await Promise.all([
  // Only commands ask where their own file is.
  build({
    ...commonJs,
    ...asFunction,
    entryPoints: chunks,
    mainFields,
    define: { ...version, 'import.meta.url': "''" },
  }),
  build({
    ...shared,
    entryPoints: { main: src('cli/main.ts') },
    outdir: join(out, 'cli'),
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    define: version,
    mainFields,
    // Bundled CommonJS packages ask for Node's own modules by `require`, which ES modules do not have.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  }),
]);
const hash = createHash('sha256');
for (const name of Object.keys(chunks)) hash.update(readFileSync(join(out, `${name}.cjs`)));
await build({
  ...commonJs,
  entryPoints: entries,
  external: ['./hook.cjs'],
  define: { ...version, __BUILD__: JSON.stringify(hash.digest('hex').slice(0, 16)) },
});
