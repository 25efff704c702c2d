import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mainFile, startPostgres } from './processes.mjs';

const MEMORY = '/dev/shm';

/** One PostgreSQL for the whole run, and one directory for all temporary files; both go at its end. */
export async function setup(): Promise<() => Promise<void>> {
  if (!existsSync(mainFile())) throw new Error(`${mainFile()} is missing: run node hub/build.mjs first.`);
  const before = process.env['TMPDIR'];
  const dir = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'hub-'));
  chmodSync(dir, 0o1777);
  process.env['TMPDIR'] = dir;
  const given = process.env['HUB_TEST_PG_URL'];
  const postgres = await startPostgres();
  process.env['HUB_TEST_POSTGRES'] = postgres?.url ?? '';
  return async () => {
    if (given === undefined) await postgres?.stop();
    rmSync(dir, { recursive: true, force: true });
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  };
}
