import { isKnownNode } from './known';

/** What Node's own functions for files call in the end. It checks hardly anything: a wrong argument ends the process. */
export interface FilesBinding {
  existsSync(path: string): boolean;
  open(path: string, flags: number, mode: number): number;
  close(fd: number): void;
  read(fd: number, bytes: Uint8Array, offset: number, length: number, position: number): number;
  writeString(
    fd: number,
    text: string,
    position: null,
    encoding: undefined,
    request: undefined,
    trouble: Trouble,
  ): number;
  writeBuffer(
    fd: number,
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: null,
    request: undefined,
    trouble: Trouble,
  ): number;
  readFileUtf8(file: string | number, flags: number): string;
  readlink(path: string, encoding: 'utf8'): string;
  realpath(path: string, encoding: 'utf8'): string;
  symlink(target: string, path: string, kind: 0): void;
  unlink(path: string): void;
  rename(from: string, to: string): void;
  fsync(fd: number): void;
  mkdir(path: string, mode: number, recursive: boolean): string | undefined;
  stat(path: string, big: false, request: undefined, throws: boolean): StatNumbers | undefined;
  lstat(path: string, big: false, request: undefined, throws: boolean): StatNumbers | undefined;
  fstat(fd: number, big: false, request: undefined, silent: false): StatNumbers;
}

/** Filled where a write failed. */
export interface Trouble {
  readonly errno?: number;
}

/** The same array at every call, so it has to be read at once. */
export type StatNumbers = Float64Array;

interface ScriptsBinding {
  readonly ContextifyScript: ScriptClass;
}

export type ScriptClass = new (
  source: string,
  filename: string,
  line: 0,
  column: 0,
  cachedData: Uint8Array | undefined,
  produceCachedData: false,
  context: undefined,
  id: symbol,
) => StraightScript;

export interface StraightScript {
  readonly cachedDataRejected?: boolean;
  createCachedData(): Buffer;
  runInContext(
    context: null,
    timeout: number,
    displayErrors: true,
    breakOnSigint: false,
    breakFirstLine: false,
    // biome-ignore lint/suspicious/noExplicitAny: whatever the source is, as `vm.Script` has it
  ): any;
}

interface WithBindings {
  binding(name: 'fs'): FilesBinding;
  binding(name: 'contextify'): ScriptsBinding;
  binding(name: 'buffer'): { compare(one: Uint8Array, other: Uint8Array): number };
  binding(name: 'constants'): { readonly fs: typeof import('node:fs').constants };
}

/** Who may ask for bindings; nobody where this Node is not one that we know, or keeps them from us. */
export const bindings: WithBindings | undefined = withBindings();

function withBindings(): WithBindings | undefined {
  if (!isKnownNode(process.version)) return undefined;
  const asked = process as unknown as WithBindings;
  try {
    asked.binding('fs');
    return asked;
  } catch {
    return undefined;
  }
}
