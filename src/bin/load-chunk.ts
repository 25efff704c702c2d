import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { Script } from 'node:vm';
import { type Beginning, CODE_FOLDER, HEADER_BYTES } from './first-chunk';

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
  /** The event and the names of the chunks: what all their cache files begin with, those of older builds too. */
  readonly series: string;
  readonly cacheFile: string;
  /** The endings that the kept code knows, as bits; zero where there was none to use. */
  readonly endings: number;
}

/** Where chunks are, and where their code is kept, if anywhere. */
export interface ChunkPlace {
  readonly dir: string;
  readonly require: unknown;
  readonly build: string;
  readonly folder: string | undefined;
}

type ChunkFunction = (exports: object, require: unknown, module: object, file: string, dir: string) => void;

/** Far more than the code of any chunks. What is not touched of it costs nothing. */
const LARGEST_BYTES = 2 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
/** One for all chunks: a page that is touched for the first time costs as much as a function that is run. */
let bytes: Uint8Array | undefined;

/**
 * A third of a watched event's time was V8 compiling the same functions again. Its code cache saves that,
 * but V8 checks hardly anything and crashes on damaged bytes. So a cache file is named after the build and
 * the versions that its content depends on, and holds the code twice: it is used only where both agree.
 * The first chunk was loaded in the same way by `start.ts`.
 */
export function chunkLoader({ dir, require, build, folder }: ChunkPlace, first?: Compiled): ChunkLoader {
  const compiled: Compiled[] = first === undefined ? [] : [first];
  const exported = new Map<string, unknown>();
  const loadTogether: ChunkLoader['loadTogether'] = (names, event) => {
    let source = '';
    for (const name of names) {
      const text = readFileSync(`${dir}/${name}.cjs`, 'utf8');
      source += `${source === '' ? '[' : ','}function(exports,require,module,__filename,__dirname){${text}\n}`;
    }
    const one = compile(
      `${source}]`,
      `${dir}/${names[0]}.cjs`,
      folder,
      `${event}.${names.join('+')}.`,
      build,
    );
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

/** Goes on from the chunk that was loaded first. */
export function continueFrom(first: string, beginning: Beginning): ChunkLoader {
  const home = process.env['HOME'];
  const folder = home?.startsWith('/') ? home + CODE_FOLDER : undefined;
  return chunkLoader({ ...beginning, folder }, { ...beginning, series: `any.${first}.` });
}

function compile(
  source: string,
  filename: string,
  folder: string | undefined,
  series: string,
  build: string,
): Compiled {
  const cacheFile = `${folder}/${series}${build}`;
  const kept = folder === undefined ? undefined : readKept(cacheFile);
  const script = new Script(source, { filename, cachedData: kept?.code });
  const endings = kept !== undefined && script.cachedDataRejected === false ? kept.endings : 0;
  return { script, series, cacheFile, endings };
}

interface Kept {
  readonly code: Uint8Array;
  readonly endings: number;
}

/** The code of an earlier event; nothing where none is kept yet, or something else lies there. */
function readKept(cacheFile: string): Kept | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(cacheFile, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    bytes ??= new Uint8Array(LARGEST_BYTES);
    readSync(fd, bytes, 0, HEADER_BYTES, null);
    const [low = 0, middle = 0, high = 0, endings = 0] = bytes;
    const end = HEADER_BYTES + low + 256 * middle + 65_536 * high;
    if (
      end > LARGEST_BYTES - PIECE_BYTES ||
      readSync(fd, bytes, HEADER_BYTES, end - HEADER_BYTES, null) === 0
    )
      return undefined;
    const code = bytes.subarray(HEADER_BYTES, end);
    return isRepeated(fd, code, bytes.subarray(end, end + PIECE_BYTES)) ? { code, endings } : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Whether the same bytes come once more and nothing after them; piece by piece, so that few pages are touched. */
function isRepeated(fd: number, code: Uint8Array, piece: Uint8Array): boolean {
  for (let at = 0; ; ) {
    const read = readSync(fd, piece, 0, PIECE_BYTES, null);
    if (read === 0) return at === code.length;
    if (Buffer.compare(piece.subarray(0, read), code.subarray(at, at + read)) !== 0) return false;
    at += read;
  }
}
