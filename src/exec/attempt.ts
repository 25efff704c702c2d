import { readFileSync } from 'node:fs';

/** The result of `read`, or `undefined` if it throws. For files and other things that may be missing. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The text of a file; `undefined` if it is missing or unreadable. */
export function readText(file: string): string | undefined {
  return attempt(() => readFileSync(file, 'utf8'));
}
