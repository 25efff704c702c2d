import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { OWN_DIR } from '../state/layout';
import type { EventHeader } from './event-header';
import type { Ground } from './route';

type Environment = Readonly<Record<string, string | undefined>>;

const SEED_DIR = '.isdlc';

/**
 * A project for the workflow alone, where there is neither git nor a directory of ours but one in which a
 * workflow keeps its state: the lock lies in there, and nothing else is kept.
 */
export function seedGround({ cwd }: Pick<EventHeader, 'cwd'>, env: Environment): Ground | undefined {
  const starts = [cwd, env['CLAUDE_PROJECT_DIR'] ?? ''].filter(isAbsolute);
  const [root] = starts.flatMap((start) => rootAbove(start) ?? []);
  if (root === undefined) return undefined;
  const own = join(root, OWN_DIR, 'state');
  const given = env['HOME'] ?? '';
  const home = isAbsolute(given) ? given : join(own, 'home');
  const soleLock = join(root, SEED_DIR, 'holdpoint.lock');
  const layout = { root, git: join(root, OWN_DIR), own, home, soleLock };
  return { root, home, git: undefined, layout, marked: true, configured: true };
}

function rootAbove(start: string): string | undefined {
  for (let dir = start; ; dir = dirname(dir)) {
    if (existsSync(join(dir, SEED_DIR))) return dir;
    if (dirname(dir) === dir) return undefined;
  }
}
