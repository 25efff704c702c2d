import { Script } from 'node:vm';
import { chunkSource } from './chunk-source';
import { type Keepable, LARGEST_BYTES } from './first-chunk';
import { readKept } from './kept-code';

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
  readonly script: Keepable;
  /** The event and the names of the chunks: what all their cache files begin with, those of older builds too. */
  readonly series: string;
  readonly cacheFile: string;
  /** The endings that were noted, as bits; zero where what was kept is of no use. */
  readonly endings: number;
}

/** Where chunks are, and where their code is kept, if anywhere. */
export interface ChunkPlace {
  readonly dir: string;
  readonly require: unknown;
  readonly build: string;
  readonly folder: string | undefined;
  /** Makes the objects of chunks; without it they have no shape, which is best where each is made once. */
  readonly empty?: () => object;
  /** Room to read files in, where there is some already: a page that is touched for the first time costs a lot. */
  readonly bytes?: Uint8Array;
}

type ChunkFunction = (exports: object, require: unknown, module: object, file: string, dir: string) => void;

/**
 * A third of a watched event's time was V8 compiling the same functions again. Its code cache saves that,
 * but V8 checks hardly anything and crashes on damaged bytes. So a cache file is named after the build and
 * the versions that its content depends on, and holds the code twice: it is used only where both agree.
 * The first chunk was loaded in the same way by `start.ts`.
 */
export function chunkLoader(place: ChunkPlace, first?: Compiled): ChunkLoader {
  const { dir, require, folder, empty, bytes = new Uint8Array(LARGEST_BYTES) } = place;
  const compiled: Compiled[] = first === undefined ? [] : [first];
  const exported = new Map<string, unknown>();
  const loadTogether: ChunkLoader['loadTogether'] = (names, event) => {
    const files = names.map((name) => `${dir}/${name}.cjs`);
    const one = compile(files, `${event}.${names.join('+')}.`, place, bytes);
    const functions: readonly ChunkFunction[] = one.script.runInThisContext();
    names.forEach((name, index) => {
      const module = { exports: {}, empty };
      functions[index]?.(module.exports, require, module, files[index] ?? '', dir);
      exported.set(name, module.exports);
    });
    compiled.push(one);
  };
  const load: ChunkLoader['load'] = (name, event) => {
    if (!exported.has(name)) loadTogether([name], event);
    return exported.get(name);
  };
  return { load, loadTogether, folder, compiled };
}

function compile(
  files: readonly string[],
  series: string,
  { folder, build }: ChunkPlace,
  bytes: Uint8Array,
): Compiled & { readonly script: Script } {
  const source = chunkSource(files, bytes);
  const cacheFile = `${folder}/${series}${build}`;
  const kept = folder === undefined ? undefined : readKept(cacheFile, bytes);
  const script = new Script(source, { filename: files[0] ?? '', cachedData: kept?.code });
  const endings = kept === undefined || script.cachedDataRejected === true ? 0 : kept.endings;
  return { script, series, cacheFile, endings };
}
