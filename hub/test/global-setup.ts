import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mainFile, startHub, startPostgres } from './processes.mjs';

const MEMORY = '/dev/shm';

/** One PostgreSQL for the whole run, and one directory for all temporary files; both go at its end. */
export async function setup(): Promise<() => Promise<void>> {
  if (!existsSync(mainFile())) throw new Error(`${mainFile()} is missing: run node hub/build.mjs first.`);
  const before = process.env['TMPDIR'];
  const dir = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'hub-'));
  chmodSync(dir, 0o1777);
  process.env['TMPDIR'] = dir;
  const given = process.env['HUB_TEST_PG_URL'];
  const [postgres, template] = await Promise.all([startPostgres(), emptyHub(join(dir, 'template'))]);
  process.env['HUB_TEST_POSTGRES'] = postgres?.url ?? '';
  process.env['HUB_TEST_TEMPLATE'] = template;
  return async () => {
    if (given === undefined) await postgres?.stop();
    rmSync(dir, { recursive: true, force: true });
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  };
}

/** The data directory of a hub that has started once. Making the embedded database takes longer than most tests. */
async function emptyHub(parent: string): Promise<string> {
  const data = join(parent, 'data');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const hub = await startHub({ data });
  const { code } = await hub.stop();
  if (code !== 0) throw new Error(`The hub ended with ${code}: ${hub.stderr()}`);
  return data;
}
