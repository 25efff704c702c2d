import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HEADER_BYTES } from './first-chunk';
import type { Compiled } from './load-chunk';

/**
 * Writes compiled code in the place of what was kept of the same chunks before, by an older build too.
 * Whatever hinders it costs time at the next event and nothing else.
 */
export function keepCode(folder: string, { script, series, cacheFile }: Compiled, endings: number): void {
  const temporary = `${cacheFile}.${process.pid}.${Date.now().toString(36)}.tmp`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const code = script.createCachedData();
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUIntLE(code.length, 0, 3);
    header.writeUInt8(endings, 3);
    const bytes = Buffer.concat([header, code, code]);
    writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' });
    for (const name of readdirSync(folder)) {
      if (name.startsWith(series) && !name.endsWith('.tmp')) rmSync(join(folder, name), { force: true });
    }
    renameSync(temporary, cacheFile);
  } catch {
    rmSync(temporary, { force: true });
  }
}
