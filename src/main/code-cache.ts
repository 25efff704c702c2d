import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { Script } from 'node:vm';
import { sealOf } from '../core/text';

/** Loads the hook's chunks, each with the code that V8 compiled for it at earlier events. */
export interface ChunkLoader {
  load(name: string): unknown;
  /** Compiles a text. V8 only checks its length, so `key` must differ for different texts of one name. */
  compile(name: string, key: string, text: string, filename: string): Script;
  /** Everything compiled so far, for `storeCode`. */
  readonly compiled: readonly Compiled[];
  /** The cache's directory, if there is a home for it. */
  readonly dir: string | undefined;
}

/** With its file name in the cache, and how many events of each profile its cached code covers. */
export type Compiled = { name: string; file: string; script: Script; covered: Uint8Array };

/** A chunk as a script; see tools/build.mjs. */
type Wrapper = (exports: object, require: unknown, module: object, file: string, dir: string) => void;
const STORED_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
/** The header before the code: its checksum, then a counter for each profile. */
export const HEAD_BYTES = 256;
export const SUM_BYTES = 4;
/** In words: an eighth of a page. Odd, since values are aligned, and half of each is often zero. */
const SUMMED_EVERY = 127;

/** This file is compiled at every event, so it contains only what every event needs. */
export function chunkLoader(from: string, require: NodeJS.Require, home = ''): ChunkLoader {
  const dir = home.startsWith('/') ? `${home}/.config/holdpoint/code` : undefined;
  const modules = new Map<string, { exports: object }>();
  const compiled: Compiled[] = [];
  // Every source file in a chunk requires Node's modules again.
  const known = new Map<string, unknown>();
  const requireOnce = (name: string) => known.get(name) ?? known.set(name, require(name)).get(name);
  const compile = (name: string, key: string, text: string, filename: string): Script => {
    const file = `${name}.${key}${__BUILD__}-${process.version}-${process.arch}`;
    const stored = dir === undefined ? undefined : readStored(`${dir}/${file}`);
    const cachedData = stored && new Uint8Array(stored, HEAD_BYTES);
    const script = new Script(text, { filename, cachedData });
    const head = script.cachedDataRejected || stored === undefined ? new ArrayBuffer(HEAD_BYTES) : stored;
    const covered = new Uint8Array(head, SUM_BYTES, HEAD_BYTES - SUM_BYTES);
    compiled.push({ name, file, script, covered });
    return script;
  };
  const load = (name: string): object => {
    const loaded = modules.get(name);
    if (loaded !== undefined) return loaded.exports;
    const filename = `${from}/${name}.cjs`;
    const script = compile(name, '', readFileSync(filename, 'utf8'), filename);
    const module = { exports: {} };
    (script.runInThisContext() as Wrapper)(module.exports, requireOnce, module, filename, from);
    modules.set(name, module);
    return module.exports;
  };
  return { load, compile, compiled, dir };
}

/* V8 crashes on damaged code: its mtime tells if others wrote to the file, the checksum if pages got lost. */
function readStored(file: string): ArrayBuffer | undefined {
  try {
    const fd = openSync(file, STORED_FLAGS);
    const { size, mtimeMs } = fstatSync(fd);
    const words = new Int32Array(size / 4);
    const isWhole = readSync(fd, words, 0, size, null) === size;
    closeSync(fd);
    return isWhole && mtimeMs === sealOf(size) * 1000 && words[0] === sumOf(words) ? words.buffer : undefined;
  } catch {
    return undefined;
  }
}

/** Eight words of each page: a single byte is often zero, as in a lost page. */
export function sumOf(words: Int32Array): number {
  let sum = words.length;
  for (let at = HEAD_BYTES / 4; at < words.length; at += SUMMED_EVERY)
    sum = (sum * 31 + (words[at] as number)) | 0;
  return sum;
}
