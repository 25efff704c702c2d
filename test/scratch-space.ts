import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';

/**
 * All temporary files of a run lie in one directory that goes at its end. It is kept in memory where that is possible:
 * for thousands of small repositories a disk takes longer than the product does. Its name is short, for sockets.
 */
export default function setup(): () => void {
  const dir = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'hp-'));
  // Some tests run commands as another user.
  chmodSync(dir, 0o1777);
  process.env['TMPDIR'] = dir;
  return () => rmSync(dir, { recursive: true, force: true });
}
