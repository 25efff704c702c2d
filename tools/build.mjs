// Builds dist/: CommonJS chunks for the hook, loaded as events need them; ES modules for the command line.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import pkg from '../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('..', import.meta.url));
const src = (path) => join(root, 'src', path);
const out = join(root, 'dist');

const foldersOf = (room) =>
  readdirSync(src(room), { withFileTypes: true }).filter((entry) => entry.isDirectory());
const guards = foldersOf('guards').map(({ name }) => name);
/** Claude Code is part of the first chunk; every other host has its own. */
const otherHosts = foldersOf('hosts').flatMap(({ name }) => (name === 'claude-code' ? [] : [name]));

const chunks = {
  run: src('main/run.ts'),
  decide: src('core/pipeline.ts'),
  shell: src('shell/index.ts'),
  'compile-config': src('core/compile-config.ts'),
  'claude-code-transcript': src('hosts/claude-code/transcript.ts'),
  person: src('hosts/claude-code/person.ts'),
  skill: src('hosts/claude-code/skill.ts'),
  'lost-hooks': src('core/lost-hooks.ts'),
  'own-files-calls': src('core/own-files/calls.ts'),
  session: src('main/session.ts'),
  client: src('cli/client.ts'),
  'report-bug': src('core/report-bug.ts'),
  'stop-hook': src('core/stop-hook.ts'),
  'store-code': src('main/store-code.ts'),
  markdown: src('guards/loop/markdown.ts'),
  people: src('guards/requirements/people.ts'),
  'effect-rules': src('guards/requirements/effect-rules.ts'),
  signed: src('guards/requirements/signed.ts'),
  'test-run': src('guards/workflow/test-run.ts'),
  'built-in-rules': src('guards/rules/built-in.ts'),
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

/** Some packages name a file for Node that loads its parts dynamically, which a bundler cannot follow. */
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
 * A chunk is a CommonJS module for `require`, and for the hook a script whose value is a function. Wrapping
 * it in that function at run time would copy the whole text once more at every event.
 */
const parameters = 'exports,require,module,__filename,__dirname';
const asFunction = {
  banner: { js: `(chunk=>typeof module==='object'?chunk(${parameters}):chunk)(function(${parameters}){` },
  footer: { js: '})' },
};

/** Bundled CommonJS packages load Node's own modules with `require`, which ES modules do not have. */
const requireBanner = {
  js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
};

rmSync(out, { recursive: true, force: true });
await Promise.all([
  // Only commands need to know where their own file is.
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
    banner: requireBanner,
  }),
]);
// What people's own rules and their tests import; the types are those of the sources.
const api = { index: src('api/index.ts'), testing: src('api/testing.ts') };
const apiOut = {
  ...shared,
  outdir: join(out, 'api'),
  define: { ...version, 'import.meta.url': "''" },
  mainFields,
};
await Promise.all([
  build({ ...apiOut, entryPoints: api, format: 'cjs', outExtension: { '.js': '.cjs' } }),
  build({
    ...apiOut,
    entryPoints: api,
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    banner: requireBanner,
  }),
  build({
    ...apiOut,
    entryPoints: { 'test-setup': src('api/test-setup.ts') },
    define: version,
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    banner: requireBanner,
  }),
]);
writeTypes();

const hash = createHash('sha256');
for (const name of Object.keys(chunks)) hash.update(readFileSync(join(out, `${name}.cjs`)));
await build({
  ...commonJs,
  entryPoints: entries,
  external: ['./hook.cjs'],
  define: { ...version, __BUILD__: JSON.stringify(hash.digest('hex').slice(0, 16)) },
});

/** The types of the API: the source files that it imports, with the extensions that Node needs. */
function writeTypes() {
  const all = join(out, 'all-types');
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { status } = spawnSync(tsc, ['-p', src('api'), '--outDir', all], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  const copy = (name) => {
    const to = join(out, 'types', `${name}.d.ts`);
    if (existsSync(to)) return;
    const text = readFileSync(join(all, `${name}.d.ts`), 'utf8');
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text.replace(/(from '\.[^']*)'/g, "$1.js'"));
    for (const [, path] of text.matchAll(/from '(\.[^']*)'/g)) copy(join(dirname(name), path));
  };
  for (const name of Object.keys(api)) copy(`api/${name}`);
  rmSync(all, { recursive: true });
}
