import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An environment in which every start of git leaves a line behind. */
export interface CountedGit {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The subcommands that were started since the last time this was asked. */
  calls(): string[];
}

export function countGit(dir: string): CountedGit {
  const bin = join(dir, 'counted-bin');
  const log = join(dir, 'git-calls');
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >> '${log}'\nexec '${real}' "$@"\n`);
  chmodSync(join(bin, 'git'), 0o755);
  return {
    env: {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: join(dir, 'home'),
      // As inside one of git's own hooks.
      GIT_DIR: '/nowhere',
      GIT_INDEX_FILE: '/nowhere/index',
    },
    calls() {
      const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [];
      writeFileSync(log, '');
      return lines.map((line) => line.replaceAll(/-c \S+ /g, '').split(' ')[0] ?? '');
    },
  };
}
