// Builds dist/: one CommonJS file for the hook with a chunk for each thing it may need,
// and the command line as ES modules that share their chunks.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import pkg from '../package.json' with { type: 'json' };
import { assignLiterals } from './assign-literals.mjs';
import { originsIn } from './origins.mjs';
import { functionsOf } from './seldom.mjs';
import { toCommonJs } from './to-commonjs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = (path) => join(root, 'src', path);
/** Where the tests look for the product too. */
const out = process.env.HOLDPOINT_DIST ?? join(root, 'dist');

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  define: { __VERSION__: JSON.stringify(pkg.version) },
  legalComments: 'none',
  logLevel: 'warning',
};

const guards = readdirSync(src('guards')).filter((name) => existsSync(src(`guards/${name}/index.ts`)));

const effectChunks = guards
  .filter((name) => existsSync(src(`guards/${name}/effects.ts`)))
  .map((name) => [`guard-${name}-effects`, src(`guards/${name}/effects.ts`)]);

/** Claude Code is part of the first files; every other host is a chunk of its own. */
const otherHosts = readdirSync(src('hosts')).filter(
  (name) => name !== 'claude-code' && existsSync(src(`hosts/${name}/index.ts`)),
);

/** What every watched event runs; all of it is short, so that what stands around it counts. */
const wayOfAnEvent = {
  decide: src('pipeline/decide-event.ts'),
  shell: src('shell/chunk.ts'),
  ...Object.fromEntries(guards.map((name) => [`guard-${name}`, src(`guards/${name}/index.ts`)])),
  ...Object.fromEntries(effectChunks),
  ...Object.fromEntries(otherHosts.map((name) => [`host-${name}`, src(`hosts/${name}/index.ts`)])),
};

/** What is loaded first has our stand-ins for Node's functions in it, and hands them to all that it loads. */
const firsts = { 'run-hook': src('bin/run-hook.ts'), 'run-stop-hook': src('bin/run-stop-hook.ts') };
const standIns = {
  'node:fs': src('node/files.ts'),
  'node:path': src('node/paths.ts'),
  'node:vm': src('node/script.ts'),
};

/** What is called, and the chunk that it starts. Built last, since it has to know all chunks. */
const starters = { hook: 'run-hook', 'stop-hook': 'run-stop-hook' };

/** What is started by its name, and chunks for rarer needs. */
const others = {
  'start-anywhere': src('bin/start-anywhere.ts'),
  'keep-code': src('bin/keep-code.ts'),
  opencode: src('bin/opencode.ts'),
  holdpoint: src('bin/holdpoint.ts'),
  req: src('bin/req.ts'),
  'agent-gauntlet': src('bin/agent-gauntlet.ts'),
  'compile-config': src('pipeline/compile-config.ts'),
  'report-bug': src('pipeline/report-bug.ts'),
  'lost-hooks': src('pipeline/lost-hooks.ts'),
  'odd-arguments': src('pipeline/odd-arguments.ts'),
  'in-process': src('bin/in-process.ts'),
  'shell-parser': src('shell/parser.ts'),
  'ask-git': src('git/ask-git.ts'),
  settle: src('pipeline/settle.ts'),
  'claude-code-transcript': src('hosts/claude-code/transcript.ts'),
};

/** `wrapped` is what the code of each stands in; where it is loaded from says what is called by which name there. */
async function buildWay(entryPoints, alias = {}, [before, after] = ['', '']) {
  const { outputFiles } = await build({
    ...shared,
    entryPoints,
    alias,
    outdir: out,
    outExtension: { '.js': '.cjs' },
    format: 'esm',
    minify: true,
    sourcemap: 'external',
    sourcesContent: false,
    write: false,
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  for (const { path, text } of outputFiles.filter(({ path }) => path.endsWith('.cjs'))) {
    const originOf = originsIn(text, texts.get(`${path}.map`));
    const code = toCommonJs(text, { originOf, ...functionsOf(basename(path, '.cjs')) });
    writeFileSync(path, before + assignLiterals(code) + after);
  }
}

function buildPlain(entryPoints, define = shared.define) {
  return build({
    ...shared,
    define,
    entryPoints,
    outdir: out,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minify: true,
    external: ['./hook.cjs', './stop-hook.cjs', './start-anywhere.cjs'],
  });
}

/** Other content, other name: compiled code that is kept must never serve another build. */
function nameOfBuild() {
  const hash = createHash('sha256');
  const chunks = readdirSync(out).filter((name) => name.endsWith('.cjs'));
  for (const name of chunks.sort()) {
    const bytes = readFileSync(join(out, name));
    // A letter beyond ASCII would make V8 keep the whole source in twice the space, and chunks are read as letters.
    if (bytes.some((byte) => byte > 127)) throw new Error(`${name}: a letter beyond ASCII`);
    hash.update(`${name}\0`).update(bytes);
  }
  return hash.digest('hex').slice(0, 16);
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await Promise.all([
  buildPlain(others),
  buildWay(wayOfAnEvent),
  buildWay(firsts, standIns, ['(function(exports,require,module,nodeRequire){', '})\n']),
  build({
    ...shared,
    entryPoints: { main: src('cli/main.ts') },
    outdir: join(out, 'cli'),
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    // Some packages name a file for Node that loads its parts by itself, which no bundle can follow.
    mainFields: ['module', 'main'],
    // Bundled CommonJS packages ask for Node's own modules by `require`, which ES modules do not have.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  }),
]);
const name = JSON.stringify(nameOfBuild());
for (const [starter, first] of Object.entries(starters)) {
  const define = { ...shared.define, __BUILD__: name, __FIRST__: JSON.stringify(first) };
  await buildPlain({ [starter]: src('bin/start.ts') }, define);
}
await buildPlain({ serve: src('bin/serve.ts') }, { ...shared.define, __BUILD__: name });
