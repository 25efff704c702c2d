import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { Script } from 'node:vm';
import { sealOf } from '../state/files';

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

/** With its file name in the cache, and the event profiles that its cached code covers. */
export type Compiled = { name: string; file: string; script: Script; profiles: readonly string[] };

/** A chunk as a script; see tools/build.mjs. */
type Wrapper = (exports: object, require: unknown, module: object, file: string, dir: string) => void;
const STORED_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
/** The header before the code: its checksum and its event profiles. */
export const HEAD_BYTES = 1024;
/** In words: a sixteenth of a page. Odd, since values are aligned, and half of each is often zero. */
const SUMMED_EVERY = 63;

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
    const script = new Script(text, { filename, cachedData: stored?.code });
    const profiles = script.cachedDataRejected ? [] : (stored?.profiles ?? []);
    compiled.push({ name, file, script, profiles });
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
function readStored(file: string): { code: Buffer; profiles: string[] } | undefined {
  try {
    const fd = openSync(file, STORED_FLAGS);
    const { size, mtimeMs } = fstatSync(fd);
    const bytes = Buffer.allocUnsafeSlow(size);
    const isWhole = readSync(fd, bytes) === size;
    closeSync(fd);
    const [sum, ...profiles] = bytes.subarray(0, HEAD_BYTES).toString().trimEnd().split(',');
    const code = bytes.subarray(HEAD_BYTES);
    return isWhole && mtimeMs === sealOf(size) * 1000 && sum === sumOf(code) ? { code, profiles } : undefined;
  } catch {
    return undefined;
  }
}

/** Sixteen words of each page: a single byte is often zero, as in a lost page. */
export function sumOf(code: Buffer): string {
  const words = new Int32Array(code.buffer, code.byteOffset, code.length >> 2);
  let sum = code.length;
  for (let at = 0; at < words.length; at += SUMMED_EVERY) sum = (Math.imul(sum, 31) + (words[at] ?? 0)) | 0;
  return String(sum);
}
