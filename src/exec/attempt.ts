import { readFileSync } from 'node:fs';

/** What a look at the world outside brings; `undefined` where it fails. */
export function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** The text of a file; `undefined` where there is none, or none that can be read. */
export function readText(file: string): string | undefined {
  return attempt(() => readFileSync(file, 'utf8'));
}
