import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

const STORES = ['.jwz', '.zawinski'];

/** The file of a message store that holds its messages. */
export const MESSAGES = 'messages.jsonl';

/**
 * The message store that serves a directory: the nearest above it, however far; else the nearest above the
 * host's project; else the one that the environment names.
 */
export function findMessageStore(cwd: string, env: Environment): string | undefined {
  const above = nearestStore(cwd) ?? nearestStore(env['CLAUDE_PROJECT_DIR'] ?? '');
  if (above !== undefined) return above;
  const named = env['JWZ_STORE'] ?? '';
  return isAbsolute(named) ? whereItIs(named) : undefined;
}

function nearestStore(start: string): string | undefined {
  if (!isAbsolute(start)) return undefined;
  for (let dir = start; ; ) {
    // With the dot only a directory is there.
    const name = STORES.find((store) => existsSync(`${dir}/${store}/.`));
    if (name !== undefined) return `${dir === '/' ? '' : dir}/${name}`;
    const parent = dirname(dir);
    if (parent === dir) return undefined;
    dir = parent;
  }
}

/** One that was named is trusted as it is, so that a link to it is followed here and not suspected later. */
function whereItIs(store: string): string | undefined {
  try {
    return realpathSync.native(store);
  } catch {
    return undefined;
  }
}
