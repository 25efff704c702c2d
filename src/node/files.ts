import type * as Fs from 'node:fs';
import { bindings, type FilesBinding, type Trouble } from './binding';
import { own } from './own';
import { plainStats } from './stats';

/*
 * Stands in for `node:fs` below the hook's chunks. Node's own functions are compiled anew in every process, each at
 * its first call, and together that takes longer than what they do. Here the ones that events call go straight to
 * where those end; whatever is unusual about a call, and every other Node, is left to Node's own.
 */

const straight: FilesBinding | undefined = bindings?.binding('fs');

export const constants: typeof Fs.constants = bindings?.binding('constants').fs ?? own().constants;

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_TRUNC } = constants;
/** The flags that are given by name where an event opens files. */
const NAMED_FLAGS: Readonly<Record<string, number>> = {
  r: O_RDONLY,
  wx: O_WRONLY | O_CREAT | O_EXCL | O_TRUNC,
};

/** A path with a zero in it would be cut there without a word. */
function isPlain(path: unknown): path is string {
  return typeof path === 'string' && !path.includes('\0');
}

export function existsSync(path: string): boolean {
  return straight !== undefined && isPlain(path) ? straight.existsSync(path) : own().existsSync(path);
}

export function openSync(path: string, flags: string | number, mode = 0o666): number {
  const bits = typeof flags === 'number' ? flags : NAMED_FLAGS[flags];
  return straight !== undefined && isPlain(path) && bits !== undefined
    ? straight.open(path, bits, mode)
    : own().openSync(path, flags, mode);
}

export function closeSync(fd: number): void {
  if (straight === undefined) own().closeSync(fd);
  else straight.close(fd);
}

export function readSync(
  fd: number,
  bytes: Uint8Array,
  offset: number,
  length: number,
  position: number | null,
): number {
  if (straight === undefined || !isWithin(bytes, offset, length) || length === 0) {
    return own().readSync(fd, bytes, offset, length, position);
  }
  return straight.read(fd, bytes, offset, length, position ?? -1);
}

/**
 * As Node's own it says how much was written; what fails is tried once more there, so that the error is Node's. `more` is
 * how much to write and to which place, which is for a text what `offset` is for bytes: none of that is usual.
 */
export function writeSync(fd: number, data: string | Uint8Array, offset?: number, ...more: number[]): number {
  const trouble: Trouble = {};
  if (straight === undefined || more.length > 0) return ownWrite(fd, data, offset, ...more);
  if (typeof data === 'string') {
    if (offset !== undefined) return ownWrite(fd, data, offset);
    const written = straight.writeString(fd, data, null, undefined, undefined, trouble);
    return trouble.errno === undefined ? written : ownWrite(fd, data);
  }
  const from = offset ?? 0;
  const length = data.byteLength - from;
  if (!isWithin(data, from, length)) return ownWrite(fd, data, offset);
  const written = straight.writeBuffer(fd, data, from, length, null, undefined, trouble);
  return trouble.errno === undefined ? written : ownWrite(fd, data, offset);
}

function ownWrite(fd: number, data: string | Uint8Array, ...more: (number | undefined)[]): number {
  return own().writeSync(fd, data as Uint8Array, ...(more as number[]));
}

function isWithin(bytes: Uint8Array, offset: number, length: number): boolean {
  return Number.isInteger(offset) && offset >= 0 && length >= 0 && offset + length <= bytes.byteLength;
}

export function readFileSync(file: string | number, encoding?: BufferEncoding): string | Buffer {
  const known = typeof file === 'number' || isPlain(file);
  return straight !== undefined && known && encoding === 'utf8'
    ? straight.readFileUtf8(file, O_RDONLY)
    : own().readFileSync(file, encoding);
}

export function readlinkSync(path: string): string {
  return straight !== undefined && isPlain(path) ? straight.readlink(path, 'utf8') : own().readlinkSync(path);
}

export function symlinkSync(target: string, path: string): void {
  if (straight !== undefined && isPlain(target) && isPlain(path)) straight.symlink(target, path, 0);
  else own().symlinkSync(target, path);
}

export function unlinkSync(path: string): void {
  if (straight !== undefined && isPlain(path)) straight.unlink(path);
  else own().unlinkSync(path);
}

export function renameSync(from: string, to: string): void {
  if (straight !== undefined && isPlain(from) && isPlain(to)) straight.rename(from, to);
  else own().renameSync(from, to);
}

export function fsyncSync(fd: number): void {
  if (straight === undefined) own().fsyncSync(fd);
  else straight.fsync(fd);
}

export function mkdirSync(path: string, options: Fs.MakeDirectoryOptions = {}): string | undefined {
  const { mode = 0o777, recursive = false } = options;
  return straight !== undefined && isPlain(path) && typeof mode === 'number'
    ? straight.mkdir(path, mode, recursive)
    : own().mkdirSync(path, options);
}

interface Missing {
  readonly throwIfNoEntry?: boolean;
}

export function statSync(path: string, { throwIfNoEntry = true }: Missing = {}): Fs.Stats | undefined {
  if (straight === undefined || !isPlain(path)) return own().statSync(path, { throwIfNoEntry });
  const numbers = straight.stat(path, false, undefined, throwIfNoEntry);
  return numbers && plainStats(numbers);
}

export function lstatSync(path: string, { throwIfNoEntry = true }: Missing = {}): Fs.Stats | undefined {
  if (straight === undefined || !isPlain(path)) return own().lstatSync(path, { throwIfNoEntry });
  const numbers = straight.lstat(path, false, undefined, throwIfNoEntry);
  return numbers && plainStats(numbers);
}

export function fstatSync(fd: number): Fs.Stats {
  return straight === undefined
    ? own().fstatSync(fd)
    : plainStats(straight.fstat(fd, false, undefined, false));
}

function nativeRealpath(path: string): string {
  return straight !== undefined && isPlain(path)
    ? straight.realpath(path, 'utf8')
    : own().realpathSync.native(path);
}

export const realpathSync = Object.assign((path: string): string => own().realpathSync(path), {
  native: nativeRealpath,
});
