// Enforces which room of src/ may import which, and what the hook's path may load.
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importsOf } from './imports-of.mjs';

const FOUNDATION = ['domain', 'process'];
const GROUND = ['store', 'config', 'shell', 'git', 'markdown', ...FOUNDATION];
const MIDDLE = ['engine', 'guards', 'hosts', ...GROUND];

/** Room by room: which other rooms it may import. Its own files it always may, unless `SEALED` says no. */
const MAY_IMPORT = {
  domain: [],
  process: ['domain'],
  git: FOUNDATION,
  store: FOUNDATION,
  shell: FOUNDATION,
  config: FOUNDATION,
  markdown: FOUNDATION,
  settings: ['domain'],
  engine: ['domain'],
  hosts: ['store', 'git', 'shell', 'markdown', ...FOUNDATION],
  guards: GROUND,
  pipeline: MIDDLE,
  resident: ['pipeline', 'engine', 'store', ...FOUNDATION],
  cli: ['resident', 'pipeline', 'settings', ...MIDDLE],
  node: [],
  bin: ['resident', 'cli', 'pipeline', 'node', ...MIDDLE],
};

/**
 * Rooms whose folders do not know each other. Files directly in the room know every folder;
 * `sharesTop` says whether the folders may import those files in turn.
 */
const SEALED = {
  hosts: { sharesTop: true },
  guards: { sharesTop: false },
};

/** What is loaded at every event: no package, and of node only what its snapshot has ready. */
const HOOK_PATH = {
  files: /^(?:domain|engine|hosts|store|git)\/|^guards\/[^/]+\//,
  except:
    /^git\/(?:ask-git|run-git|snapshot-tree)\.ts$|^guards\/[^/]+\/(?:schema|section|message-files|effects|evidence|branch-size|run-line|compile-[a-z-]+)\.ts$|^guards\/(?:gates\/(?:detect|run|review)|workflow\/config)\//,
  builtins: ['node:fs', 'node:path'],
};

/** Every import under `rootDir`/src that the rules forbid, in the order of files and lines. */
export function checkImports(rootDir) {
  const src = join(rootDir, 'src');
  return sourceFiles(src).flatMap((file) =>
    importsOf(file, readFileSync(file, 'utf8')).flatMap(({ line, path }) => {
      const problem = problemOf(src, file, path);
      return problem === undefined
        ? []
        : [{ file: toSlashes(relative(rootDir, file)), line, problem: `${problem} (${path})` }];
    }),
  );
}

function sourceFiles(dir) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function problemOf(src, file, path) {
  const from = placeOf(toSlashes(relative(src, file)));
  return path.startsWith('.')
    ? problemOfRoom(from, placeOf(toSlashes(relative(src, resolveFile(dirname(file), path)))))
    : problemOfPackage(from, path);
}

function problemOfRoom(from, to) {
  if (to.file.startsWith('..')) return `room ${from.room} may not import what is outside of src`;
  if (from.room !== to.room) {
    return MAY_IMPORT[from.room]?.includes(to.room)
      ? undefined
      : `room ${from.room} may not import room ${to.room}`;
  }
  const seal = SEALED[from.room];
  if (seal === undefined || from.folder === undefined || from.folder === to.folder) return undefined;
  if (to.folder === undefined && seal.sharesTop) return undefined;
  const target = to.folder === undefined ? to.room : `${to.room}/${to.folder}`;
  return `room ${from.room}/${from.folder} may not import room ${target}`;
}

function problemOfPackage(from, path) {
  if (!HOOK_PATH.files.test(from.file) || HOOK_PATH.except.test(from.file)) return undefined;
  if (!isBuiltin(path)) return `room ${from.room} may not import packages on the hook's path`;
  const builtin = path.startsWith('node:') ? path : `node:${path}`;
  return HOOK_PATH.builtins.includes(builtin)
    ? undefined
    : `room ${from.room} may not import ${builtin} on the hook's path`;
}

/** `file` is relative to src; `folder` is absent for files directly in their room. */
function placeOf(file) {
  const parts = file.split('/');
  const room = parts.length > 1 ? parts[0] : posix.basename(file);
  return { file, room, folder: parts.length > 2 ? parts[1] : undefined };
}

/** As the bundler resolves: the file itself, with an extension, or a folder's index. */
function resolveFile(dir, path) {
  const target = resolve(dir, path);
  const candidates = [target, `${target}.ts`, join(target, 'index.ts')];
  return candidates.find((each) => existsSync(each) && statSync(each).isFile()) ?? target;
}

function toSlashes(path) {
  return path.split(sep).join('/');
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const found = checkImports(fileURLToPath(new URL('..', import.meta.url)));
  for (const { file, line, problem } of found) console.log(`${file}:${line}: ${problem}`);
  if (found.length > 0) process.exitCode = 1;
}
