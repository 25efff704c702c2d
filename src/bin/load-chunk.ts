import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';

/** Loads the hook's chunks, and keeps what V8 made of them for the next event of the same kind. */
export interface ChunkLoader {
  /** `event` tells whose compiled code will do: each kind of event runs other functions. */
  load(name: string, event: string): unknown;
  /** Writes down what was compiled in this process. Called when the host has its answer. */
  keep(): void;
}

interface Loaded {
  readonly exports: unknown;
  readonly script: Script;
  /** Where its code is to be kept; absent where it came from there, or has no place. */
  readonly unkept?: { readonly folder: string; readonly series: string; readonly file: string };
}

/**
 * A third of a watched event's time is V8 compiling the same functions again. Its code cache saves that,
 * but V8 checks hardly anything and crashes on damaged bytes. So a cache file is named after all that
 * its content depends on, and holds its bytes twice: it is used only where both halves agree.
 */
export function chunkLoader(dir: string, home: string | undefined): ChunkLoader {
  const folder =
    home !== undefined && isAbsolute(home) ? join(home, '.config', 'holdpoint', 'code') : undefined;
  const loaded = new Map<string, Loaded>();
  return {
    load: (name, event) => {
      const chunk = loaded.get(name) ?? compile(join(dir, `${name}.cjs`), dir, folder, `${event}.${name}.`);
      loaded.set(name, chunk);
      return chunk.exports;
    },
    keep: () => {
      for (const { script, unkept } of loaded.values()) {
        if (unkept !== undefined) keepCode(unkept.folder, unkept.series, unkept.file, script);
      }
    },
  };
}

function compile(file: string, dir: string, folder: string | undefined, series: string): Loaded {
  const { text, stamp } = readChunk(file);
  const cacheFile =
    folder && join(folder, `${series}${__VERSION__}-${process.version}-${process.arch}-${stamp}`);
  const cachedData = cacheFile === undefined ? undefined : readCode(cacheFile);
  const source = `(function(exports,require,module,__filename,__dirname){${text}\n})`;
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  const chunk = { exports: {} as unknown };
  script.runInThisContext()(chunk.exports, require, chunk, file, dir);
  const isCached = cachedData !== undefined && script.cachedDataRejected !== true;
  if (isCached || folder === undefined || cacheFile === undefined) return { exports: chunk.exports, script };
  return { exports: chunk.exports, script, unkept: { folder, series, file: cacheFile } };
}

function readChunk(file: string): { text: string; stamp: string } {
  const fd = openSync(file, 'r');
  try {
    const { size, mtimeMs } = fstatSync(fd);
    return { text: readFileSync(fd, 'utf8'), stamp: `${size}-${mtimeMs}` };
  } finally {
    closeSync(fd);
  }
}

function readCode(file: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    // Read by hand: reading a whole file as bytes costs Node several times as much.
    const bytes = Buffer.allocUnsafe(stat.size);
    if (readSync(fd, bytes, 0, stat.size, 0) !== stat.size) return undefined;
    const half = bytes.length / 2;
    const isWhole = half > 0 && bytes.subarray(0, half).equals(bytes.subarray(half));
    return isWhole ? bytes.subarray(0, half) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Takes the place of what an older build left. Whatever hinders it costs time at the next event and nothing else. */
function keepCode(folder: string, series: string, file: string, script: Script): void {
  const temporary = `${file}.${process.pid}.${Date.now().toString(36)}.tmp`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const code = script.createCachedData();
    writeFileSync(temporary, Buffer.concat([code, code]), { mode: 0o600, flag: 'wx' });
    for (const name of readdirSync(folder)) {
      if (name.startsWith(series) && !name.endsWith('.tmp')) rmSync(join(folder, name), { force: true });
    }
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}
