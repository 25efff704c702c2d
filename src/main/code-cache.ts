import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Script } from 'node:vm';

/** Loads the hook's chunks, each with the code that V8 compiled for it at earlier events. */
export interface ChunkLoader {
  load(name: string): unknown;
  /** Stores what V8 has compiled by now, once for each `profile`: each kind of event runs other functions. */
  save(profile: string): void;
}

/** Where compiled code is stored, and what it depends on beside its source: the build and the version of Node. */
type Cache = { readonly dir: string; readonly version: string };

/** What a chunk is as a script; see tools/build.mjs. */
type Wrapper = (exports: object, require: unknown, module: object, file: string, dir: string) => void;

const LARGEST_CACHE = 8 * 1024 * 1024;
const MOST_PROFILES = 40;

export function chunkLoader(dir: string, require: unknown, cache: Cache | undefined): ChunkLoader {
  const modules = new Map<string, { exports: object }>();
  const scripts: { script: Script; name: string; profiles: readonly string[] }[] = [];
  return {
    load(name) {
      const known = modules.get(name);
      if (known !== undefined) return known.exports;
      const filename = `${dir}/${name}.cjs`;
      const stored = cache && readStored(`${cache.dir}/${name}.${cache.version}`);
      const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData: stored?.code });
      scripts.push({ script, name, profiles: script.cachedDataRejected ? [] : (stored?.profiles ?? []) });
      const module = { exports: {} };
      (script.runInThisContext() as Wrapper)(module.exports, require, module, filename, dir);
      modules.set(name, module);
      return module.exports;
    },
    save(profile) {
      if (cache === undefined) return;
      try {
        for (const { script, name, profiles } of scripts) {
          if (profiles.includes(profile) || profiles.length >= MOST_PROFILES) continue;
          store(cache, name, [...profiles, profile], script.createCachedData());
        }
      } catch {
        // It costs the next event some time and nothing else.
      }
    },
  };
}

/** The code is stored twice and used only where both copies agree: V8 crashes on damaged code. A hash takes longer. */
function readStored(file: string): { code: Buffer; profiles: string[] } | undefined {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile() || stats.size > LARGEST_CACHE) return undefined;
    const bytes = readFileSync(file);
    const start = bytes.indexOf('\n') + 1;
    const code = bytes.subarray(start, (start + bytes.length) / 2);
    if (start === 0 || !code.equals(bytes.subarray(start + code.length))) return undefined;
    return { code, profiles: bytes.toString('latin1', 0, start - 1).split(',') };
  } catch {
    return undefined;
  }
}

function store({ dir, version }: Cache, name: string, profiles: readonly string[], code: Buffer): void {
  const temporary = `${dir}/${name}.${process.pid}.tmp`;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  try {
    const bytes = Buffer.concat([Buffer.from(`${profiles.join()}\n`), code, code]);
    writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' });
    const old = readdirSync(dir).filter((one) => one.startsWith(`${name}.`) && !one.endsWith('.tmp'));
    for (const one of old) rmSync(`${dir}/${one}`, { force: true, recursive: true });
    renameSync(temporary, `${dir}/${name}.${version}`);
  } finally {
    rmSync(temporary, { force: true });
  }
}
