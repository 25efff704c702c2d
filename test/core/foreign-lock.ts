import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../bundle';

/** A living process of somebody else's that holds a lock. */
export interface ForeignLock {
  /** Ends the process; a second time it does nothing. */
  release(): Promise<void>;
}

export async function holdElsewhere(lockFile: string): Promise<ForeignLock> {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-holder-'));
  const holder = bundle(new URL('lock-holder.ts', import.meta.url));
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const child = spawn(process.execPath, [holder, lockFile], { env: { ...env, HOME: dir } });
  const [said] = await once(child.stdout, 'data');
  if (String(said) !== 'held\n') throw new Error(`the lock was not taken: ${said}`);
  const ended = once(child, 'close');
  return {
    release: async () => {
      child.kill('SIGKILL');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
