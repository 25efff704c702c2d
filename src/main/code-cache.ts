import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { Script } from 'node:vm';
import { sealOf } from '../state/files';

/** Loads the hook's chunks, each with the code that V8 compiled for it at earlier events. */
export interface ChunkLoader {
  load(name: string): unknown;
  /** Stores what V8 has compiled by now, for the first two events of each kind: each runs other functions. */
  save(profile: string): void;
}

/** Where compiled code is stored, and what it depends on beside its source: the build and the version of Node. */
type Cache = { readonly dir: string; readonly version: string };

/** What a chunk is as a script; see tools/build.mjs. */
type Wrapper = (exports: object, require: unknown, module: object, file: string, dir: string) => void;

const STORED_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
const PROFILES_BYTES = 1024;
const MOST_PROFILES = 36;

export function chunkLoader(dir: string, require: unknown, cache: Cache | undefined): ChunkLoader {
  const modules = new Map<string, { exports: object }>();
  const scripts: { script: Script; name: string; profiles: readonly string[] }[] = [];
  return {
    load(name) {
      const known = modules.get(name);
      if (known !== undefined) return known.exports;
      const filename = `${dir}/${name}.cjs`;
      const stored = cache && readStored(`${cache.dir}/${name}.${cache.version}`);
      const script = new Script(readFileSync(filename, 'utf8'), { filename, cachedData: stored?.code });
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
          const stored = profiles.filter((one) => one === profile).length;
          if (stored === 2 || profiles.length >= MOST_PROFILES) continue;
          store(cache, name, [...profiles, profile], script.createCachedData());
        }
      } catch {
        // It costs the next event some time and nothing else.
      }
    },
  };
}

/**
 * The code is stored twice and used only where both copies agree: V8 crashes on damaged code. A hash takes longer.
 * Each function of Node's that is called here costs every event the time to compile it, so they are few.
 */
function readStored(file: string): { code: Buffer; profiles: string[] } | undefined {
  try {
    const fd = openSync(file, STORED_FLAGS);
    const bytes = readFileSync(fd);
    const { mtimeMs } = fstatSync(fd);
    closeSync(fd);
    if (mtimeMs !== sealOf(bytes.length) * 1000) return undefined;
    const code = bytes.subarray(PROFILES_BYTES, (PROFILES_BYTES + bytes.length) / 2);
    if (code.length === 0 || !code.equals(bytes.subarray(PROFILES_BYTES + code.length))) return undefined;
    return { code, profiles: bytes.subarray(0, PROFILES_BYTES).toString().trimEnd().split(',') };
  } catch {
    return undefined;
  }
}

function store({ dir, version }: Cache, name: string, profiles: readonly string[], code: Buffer): void {
  const temporary = `${dir}/${name}.${process.pid}.tmp`;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  try {
    const bytes = Buffer.concat([Buffer.from(profiles.join().padEnd(PROFILES_BYTES)), code, code]);
    writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' });
    utimesSync(temporary, sealOf(bytes.length), sealOf(bytes.length));
    const old = readdirSync(dir).filter((one) => one.startsWith(`${name}.`) && !one.endsWith('.tmp'));
    for (const one of old) rmSync(`${dir}/${one}`, { force: true, recursive: true });
    renameSync(temporary, `${dir}/${name}.${version}`);
  } finally {
    rmSync(temporary, { force: true });
  }
}
