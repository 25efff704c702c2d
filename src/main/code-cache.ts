import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { sealOf } from '../state/seal';

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
/** Before the code: its sum and the kinds of events that it is from. */
export const HEAD_BYTES = 1024;
const MOST_PROFILES = 36;
const PAGE_BYTES = 4096;

/** This file is compiled at every event, so it holds only what every event needs. */
export function chunkLoader(dir: string, require: NodeJS.Require, cache: Cache | undefined): ChunkLoader {
  const modules = new Map<string, { exports: object }>();
  const scripts: { script: Script; name: string; profiles: readonly string[] }[] = [];
  // Every source file in a chunk asks for Node's modules anew.
  const known = new Map<string, unknown>();
  const requireOnce = (name: string) => known.get(name) ?? known.set(name, require(name)).get(name);
  const load = (name: string): object => {
    const loaded = modules.get(name);
    if (loaded !== undefined) return loaded.exports;
    const filename = `${dir}/${name}.cjs`;
    const stored = cache && readStored(`${cache.dir}/${name}.${cache.version}`);
    const script = new Script(readFileSync(filename, 'utf8'), { filename, cachedData: stored?.code });
    scripts.push({ script, name, profiles: script.cachedDataRejected ? [] : (stored?.profiles ?? []) });
    const module = { exports: {} };
    (script.runInThisContext() as Wrapper)(module.exports, requireOnce, module, filename, dir);
    modules.set(name, module);
    return module.exports;
  };
  const save = (profile: string): void => {
    const isNew = (kept: readonly string[]): boolean =>
      kept.indexOf(profile) === kept.lastIndexOf(profile) && kept.length < MOST_PROFILES;
    const unsaved = scripts.filter(({ profiles }) => isNew(profiles));
    if (cache === undefined || unsaved.length === 0) return;
    try {
      const { storeCode } = load('store-code') as typeof import('./store-code');
      for (const { script, name, profiles } of unsaved)
        storeCode(cache.dir, name, cache.version, [...profiles, profile], script.createCachedData());
    } catch {
      // It costs the next event some time and nothing else.
    }
  };
  return { load, save };
}

/* V8 crashes on damaged code: its file's time tells that somebody wrote to it, the sum that pages of it were lost. */
function readStored(file: string): { code: Buffer; profiles: string[] } | undefined {
  try {
    const fd = openSync(file, STORED_FLAGS);
    const bytes = readFileSync(fd);
    const { mtimeMs } = fstatSync(fd);
    closeSync(fd);
    const [sum, ...profiles] = bytes.subarray(0, HEAD_BYTES).toString().trimEnd().split(',');
    const code = bytes.subarray(HEAD_BYTES);
    return mtimeMs === sealOf(bytes.length) * 1000 && sum === sumOf(code) ? { code, profiles } : undefined;
  } catch {
    return undefined;
  }
}

export function sumOf(code: Buffer): string {
  let sum = code.length;
  for (let at = 0; at < code.length; at += PAGE_BYTES) sum = (Math.imul(sum, 31) + (code[at] ?? 0)) | 0;
  return String(sum);
}
