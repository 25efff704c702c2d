import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { GitPlace } from '../domain/git-head';
import { processState } from '../process/alive';

const NAME = /^index-(\d+)-(.*)-[^-]{6}$/;
/** Whose process cannot be seen from here is given this long. */
const FOREIGN_MS = 24 * 60 * 60_000;

/** A directory for one index of ours, in the repository and nobody else's to read; and what dead processes left goes. */
export function scratchDirectory({ commonDir }: GitPlace): string {
  const own = join(commonDir, 'holdpoint');
  if (!existsSync(own)) mkdirSync(own, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(own)) {
    if (isForsaken(own, name)) rmSync(join(own, name), { recursive: true, force: true });
  }
  const dir = `${own}/index-${process.pid}-${processSpace()}-${sixSigns()}`;
  mkdirSync(dir, { mode: 0o700 });
  return dir;
}

/** One process may need several. */
function sixSigns(): string {
  return Math.random().toString(36).slice(2, 8).padEnd(6, '0');
}

function isForsaken(own: string, name: string): boolean {
  const [, pid, space] = NAME.exec(name) ?? [];
  if (pid === undefined) return false;
  if (space === processSpace()) return processState(Number(pid)) === 'dead';
  const { mtimeMs = Date.now() } = lstatSync(join(own, name), { throwIfNoEntry: false }) ?? {};
  return Date.now() - mtimeMs > FOREIGN_MS;
}

/** Within which a process number means one process: other machines and sandboxes have numbers of their own. */
function processSpace(): string {
  const told = [
    tryReading(() => readFileSync('/proc/sys/kernel/hostname', 'utf8')) ?? process.env['HOSTNAME'] ?? '',
    tryReading(() => readlinkSync('/proc/self/ns/pid')) ?? '',
  ];
  return told.map((text) => text.replace(/[^A-Za-z0-9]/g, '').slice(0, 60)).join('.');
}

function tryReading(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
