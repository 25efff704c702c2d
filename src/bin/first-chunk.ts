/** Below the home: where compiled code is kept. */
export const CODE_FOLDER = '/.config/holdpoint/code';
/** What a cache file begins with: how long the code is, and which endings were noted. */
export const HEADER_BYTES = 16;
/** Where in it the endings are. */
export const ENDINGS_AT = 3;
/** Far more than any chunks have, as text or as code. What is not touched of it costs nothing. */
export const LARGEST_BYTES = 1024 * 1024;

/** A compiled script, as far as its code is to be kept. */
export interface Keepable {
  createCachedData(): Buffer;
}

/** How the first chunk came to be loaded, for it to go on from there. */
export interface Beginning {
  readonly script: Keepable;
  /** The endings that were noted, as bits; zero where what was kept is of no use. */
  readonly endings: number;
  readonly cacheFile: string;
  /** What the name of kept code ends with: the build and the versions that it depends on. */
  readonly build: string;
  /** Where all chunks are. */
  readonly dir: string;
  readonly require: (name: string) => unknown;
  /** What files were read into, for whoever reads more. */
  readonly bytes: Uint8Array;
}

/** What the first chunk exports. */
export interface FirstChunk {
  run(beginning: Beginning): void;
}
