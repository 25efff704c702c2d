import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { Script } from 'node:vm';
import { textOf } from '../process/text-of';

/** Loads the hook's chunks, with what V8 made of them at an earlier event of the same kind. */
export interface ChunkLoader {
  /** `event` tells whose compiled code will do: each kind of event runs other functions. */
  load(name: string, event: string): unknown;
  /** Loads chunks that are wanted together as one, which takes less time than one after the other. */
  loadTogether(names: readonly string[], event: string): void;
  /** Where compiled code is kept; absent where there is no place for it. */
  readonly folder: string | undefined;
  /** Everything that was loaded, for who keeps its code. */
  readonly compiled: readonly Compiled[];
}

/** Chunks that were compiled as one script, and where their code is kept. */
export interface Compiled {
  readonly script: Script;
  readonly source: string;
  /** The event and the names of the chunks: what all their cache files begin with, those of older builds too. */
  readonly series: string;
  readonly cacheFile: string;
  /** The endings that the kept code knows, as bits; zero where there was none to use. */
  readonly endings: number;
}

type ChunkFunction = (exports: object, require: unknown, module: object, file: string, dir: string) => void;

/** Far more than the code of any chunk. What is not touched of it costs nothing. */
const LARGEST_BYTES = 4 * 1024 * 1024;
/** One for all chunks: V8 has done with the bytes once the script is made, and so much memory anew has it collect garbage. */
let bytes: Uint8Array | undefined;

/**
 * A third of a watched event's time was V8 compiling the same functions again. Its code cache saves that,
 * but V8 checks hardly anything and crashes on damaged bytes. So a cache file is named after the versions
 * that its content depends on, holds the code twice and then the source that it was made from: it is used
 * only where both codes agree and the source is the one at hand. One byte more tells after which endings
 * it was taken. This file is compiled anew at every event, so what writes them stands elsewhere.
 */
export function chunkLoader(dir: string, home: string | undefined): ChunkLoader {
  const folder = home?.startsWith('/') ? `${home}/.config/holdpoint/code` : undefined;
  const compiled: Compiled[] = [];
  const exported = new Map<string, unknown>();
  const loadTogether: ChunkLoader['loadTogether'] = (names, event) => {
    let source = '';
    for (const name of names) {
      const text = readFileSync(`${dir}/${name}.cjs`, 'utf8');
      source += `${source === '' ? '[' : ','}function(exports,require,module,__filename,__dirname){${text}\n}`;
    }
    const one = compile(`${source}]`, `${dir}/${names[0]}.cjs`, folder, `${event}.${names.join('+')}.`);
    const functions: readonly ChunkFunction[] = one.script.runInThisContext();
    for (const [index, name] of names.entries()) {
      const module = { exports: {} };
      functions[index]?.(module.exports, require, module, `${dir}/${name}.cjs`, dir);
      exported.set(name, module.exports);
    }
    compiled.push(one);
  };
  const load: ChunkLoader['load'] = (name, event) => {
    if (!exported.has(name)) loadTogether([name], event);
    return exported.get(name);
  };
  return { load, loadTogether, folder, compiled };
}

/** Read by hand, and without asking for its size: reading a whole file as bytes costs Node several times as much. */
function compile(source: string, filename: string, folder: string | undefined, series: string): Compiled {
  const cacheFile = `${folder}/${series}${__VERSION__}-${process.version}-${process.arch}`;
  let cachedData: Uint8Array | undefined;
  let endings = 0;
  let fd: number | undefined;
  try {
    if (folder !== undefined) {
      fd = openSync(cacheFile, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      bytes ??= new Uint8Array(LARGEST_BYTES);
      const length = readSync(fd, bytes, 0, LARGEST_BYTES, null);
      const half = (length - source.length - 1) / 2;
      const isWhole =
        half > 0 && Buffer.compare(bytes.subarray(0, half), bytes.subarray(half, 2 * half)) === 0;
      if (isWhole && textOf(bytes, 2 * half, length - 1, 'latin1') === source) {
        cachedData = bytes.subarray(0, half);
        endings = bytes[length - 1] ?? 0;
      }
    }
  } catch {
    // Nothing is kept yet, or something else lies there.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
  const script = new Script(source, { filename, cachedData });
  return { script, source, series, cacheFile, endings: script.cachedDataRejected === false ? endings : 0 };
}
