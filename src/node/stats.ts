import type { Stats } from 'node:fs';
import type { StatNumbers } from './binding';

const KIND = 0o170000;

let Made: (new (numbers: StatNumbers) => Stats) | undefined;

/** What a file is, as Node's own `Stats` tell it. To make the first of those takes Node a good while. */
export function plainStats(numbers: StatNumbers): Stats {
  Made ??= statsClass();
  return new Made(numbers);
}

/** Most events look at no file in this way, and a class is much to make. */
function statsClass(): new (numbers: StatNumbers) => Stats {
  return class PlainStats implements Stats {
    readonly dev: number;
    readonly mode: number;
    readonly nlink: number;
    readonly uid: number;
    readonly gid: number;
    readonly rdev: number;
    readonly blksize: number;
    readonly ino: number;
    readonly size: number;
    readonly blocks: number;
    readonly atimeMs: number;
    readonly mtimeMs: number;
    readonly ctimeMs: number;
    readonly birthtimeMs: number;

    constructor(numbers: StatNumbers) {
      this.dev = numbers[0] ?? 0;
      this.mode = numbers[1] ?? 0;
      this.nlink = numbers[2] ?? 0;
      this.uid = numbers[3] ?? 0;
      this.gid = numbers[4] ?? 0;
      this.rdev = numbers[5] ?? 0;
      this.blksize = numbers[6] ?? 0;
      this.ino = numbers[7] ?? 0;
      this.size = numbers[8] ?? 0;
      this.blocks = numbers[9] ?? 0;
      this.atimeMs = milliseconds(numbers, 10);
      this.mtimeMs = milliseconds(numbers, 12);
      this.ctimeMs = milliseconds(numbers, 14);
      this.birthtimeMs = milliseconds(numbers, 16);
    }

    get atime(): Date {
      return new Date(Math.round(this.atimeMs));
    }
    get mtime(): Date {
      return new Date(Math.round(this.mtimeMs));
    }
    get ctime(): Date {
      return new Date(Math.round(this.ctimeMs));
    }
    get birthtime(): Date {
      return new Date(Math.round(this.birthtimeMs));
    }

    isFile(): boolean {
      return (this.mode & KIND) === 0o100000;
    }
    isDirectory(): boolean {
      return (this.mode & KIND) === 0o040000;
    }
    isSymbolicLink(): boolean {
      return (this.mode & KIND) === 0o120000;
    }
    isFIFO(): boolean {
      return (this.mode & KIND) === 0o010000;
    }
    isSocket(): boolean {
      return (this.mode & KIND) === 0o140000;
    }
    isBlockDevice(): boolean {
      return (this.mode & KIND) === 0o060000;
    }
    isCharacterDevice(): boolean {
      return (this.mode & KIND) === 0o020000;
    }
  };
}

/** Computed as Node does it: what was written down of a file by one way is compared with what the other tells. */
function milliseconds(numbers: StatNumbers, at: number): number {
  return (numbers[at] ?? 0) * 1000 + (numbers[at + 1] ?? 0) / 1_000_000;
}
