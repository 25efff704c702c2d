import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Lets the hooks of a home use the code that V8 compiled for those of all others. In a new home the first events of each
 * kind compile everything and store it, which takes longer than the event itself.
 */
export function shareCompiledCode(home: string): void {
  const shared = join(tmpdir(), 'compiled-code');
  mkdirSync(shared, { recursive: true, mode: 0o700 });
  mkdirSync(join(home, '.config/holdpoint'), { recursive: true, mode: 0o700 });
  if (!existsSync(join(home, '.config/holdpoint/code')))
    symlinkSync(shared, join(home, '.config/holdpoint/code'));
}

/** The same where the hook would make the directory itself: not in a home that is not there, or is not a directory. */
export function shareWherePossible(home: string | undefined): void {
  if (process.env['HOLDPOINT_TEST_PROCESSES'] !== undefined || home === undefined || !existsSync(home))
    return;
  try {
    shareCompiledCode(home);
  } catch {
    // It is then the hook's to do without.
  }
}
