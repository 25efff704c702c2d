import fs from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type Init = Parameters<NodeFS['init']>;

/** WASI's errno for an I/O error. */
const ioError = 29;

/** PGlite's files, with an fsync that reaches the disk: PGlite's own does nothing. */
export class SyncedFiles extends NodeFS {
  /** How often a file was synced. */
  syncs = 0;

  override async init(...[db, options]: Init): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(db, options);
    const preRun = [...listOf(emscriptenOpts.preRun), (module: unknown) => this.#addSync(module)];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } as Init[1] };
  }

  #addSync(module: unknown): void {
    const { NODEFS } = module as { NODEFS: { stream_ops: Record<string, unknown> } };
    NODEFS.stream_ops['fsync'] = ({ nfd }: { nfd: number }): number => {
      try {
        fs.fsyncSync(nfd);
      } catch {
        return ioError;
      }
      this.syncs++;
      return 0;
    };
  }
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined ? [] : [value];
}
