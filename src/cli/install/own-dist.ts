import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of the built files that this command belongs to: it lies in `cli` below it. */
export function ownDist(): string {
  return join(dirname(fileURLToPath(import.meta.url)), '..');
}
