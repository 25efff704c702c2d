import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Script } from 'node:vm';

/** Loads the hook's chunks, each with the code that V8 compiled for it at earlier events. */
export interface ChunkLoader {
  load(name: string): unknown;
  /** Stores what V8 has compiled by now, once for each `profile`: each kind of event runs other functions. */
  save(profile: string): void;
}

/** Where compiled code is stored, and what it depends on beside its source: build and version of Node. */
export interface CacheKey {
  readonly dir: string;
  readonly version: string;
}

interface Loaded {
  readonly script: Script;
  readonly name: string;
  /** The profiles that the stored code covers. */
  readonly profiles: readonly string[];
}

type Wrapper = (exports: object, require: unknown, module: object, file: string, dir: string) => void;

const LARGEST_CACHE = 8 * 1024 * 1024;
const MOST_PROFILES = 40;

export function chunkLoader(dir: string, require: unknown, cache: CacheKey | undefined): ChunkLoader {
  const modules = new Map<string, { exports: object }>();
  const scripts: Loaded[] = [];
  return {
    load(name) {
      const known = modules.get(name);
      if (known !== undefined) return known.exports;
      const filename = `${dir}/${name}.cjs`;
      const source = `(function(exports,require,module,__filename,__dirname){${readFileSync(filename, 'utf8')}\n})`;
      const stored = cache && readStored(`${cache.dir}/${name}.${cache.version}`);
      const script = new Script(source, { filename, cachedData: stored?.code });
      scripts.push({ script, name, profiles: script.cachedDataRejected ? [] : (stored?.profiles ?? []) });
      const module = { exports: {} };
      (script.runInThisContext() as Wrapper)(module.exports, require, module, filename, dir);
      modules.set(name, module);
      return module.exports;
    },
    save(profile) {
      if (cache === undefined) return;
      const news = scripts.filter(
        ({ profiles }) => !profiles.includes(profile) && profiles.length < MOST_PROFILES,
      );
      try {
        for (const { script, name, profiles } of news) {
          store(cache, name, [...profiles, profile], script.createCachedData());
        }
      } catch {
        // It costs the next event some time and nothing else.
      }
    },
  };
}

/** The code is stored twice and used only where both copies agree: V8 crashes on damaged code, and a hash takes longer. */
function readStored(file: string): { code: Buffer; profiles: string[] } | undefined {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile() || stats.size > LARGEST_CACHE) return undefined;
    const bytes = readFileSync(file);
    const start = bytes.indexOf('\n') + 1;
    const middle = (start + bytes.length) / 2;
    const code = bytes.subarray(start, middle);
    if (start === 0 || !code.equals(bytes.subarray(middle))) return undefined;
    return { code, profiles: bytes.toString('latin1', 0, start - 1).split(',') };
  } catch {
    return undefined;
  }
}

function store({ dir, version }: CacheKey, name: string, profiles: readonly string[], code: Buffer): void {
  const temporary = `${dir}/${name}.${process.pid}.tmp`;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  try {
    const bytes = Buffer.concat([Buffer.from(`${profiles.join()}\n`), code, code]);
    writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' });
    for (const old of readdirSync(dir)) {
      if (old.startsWith(`${name}.`) && !old.endsWith('.tmp'))
        rmSync(`${dir}/${old}`, { force: true, recursive: true });
    }
    renameSync(temporary, `${dir}/${name}.${version}`);
  } finally {
    rmSync(temporary, { force: true });
  }
}
