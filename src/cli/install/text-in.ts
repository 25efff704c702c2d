import { readFileSync } from 'node:fs';

/** The text of a file; `undefined` where there is none, or none that can be read. */
export function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
