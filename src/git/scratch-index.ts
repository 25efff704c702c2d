import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import type { GitPlace } from '../core/git-head';
import { isPlainWord } from '../core/text';
import { processState } from '../exec/alive';

const BEGIN = 'index-';
/** Behind the name of an index stands what git and we put beside it for moments. */
const NAME = /^index-(\d+)-(.*)-[^-.]{6}(?:\.[a-z]+)?$/;
/** Whose process cannot be seen from here is given this long. */
const FOREIGN_MS = 24 * 60 * 60_000;

/** Where an index of ours may be made, in the repository and under a name that is nobody else's; what dead processes left goes. */
export function scratchIndex({ commonDir }: GitPlace, now: number): string {
  const own = `${commonDir}/holdpoint`;
  if (!existsSync(own)) mkdirSync(own, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(own)) {
    if (name.startsWith(BEGIN) && isForsaken(own, name, now)) {
      rmSync(`${own}/${name}`, { recursive: true, force: true });
    }
  }
  return `${own}/${BEGIN}${process.pid}-${processSpace()}-${sixSigns()}`;
}

/** One process may need several. */
function sixSigns(): string {
  return Math.random().toString(36).slice(2, 8).padEnd(6, '0');
}

function isForsaken(own: string, name: string, now: number): boolean {
  const [, pid, space] = NAME.exec(name) ?? [];
  if (pid === undefined) return false;
  if (space === processSpace()) return processState(Number(pid)) === 'dead';
  // When it came there: it may have the content, and so the time, of an index that is older.
  const { ctimeMs = now } = lstatSync(`${own}/${name}`, { throwIfNoEntry: false }) ?? {};
  return now - ctimeMs > FOREIGN_MS;
}

/** Within which a process number means one process: other machines and sandboxes have numbers of their own. */
function processSpace(): string {
  const told = [
    tryReading(() => readFileSync('/proc/sys/kernel/hostname', 'utf8')) ?? process.env['HOSTNAME'] ?? '',
    tryReading(() => readlinkSync('/proc/self/ns/pid')) ?? '',
  ];
  return told.map((text) => plainSigns(text).slice(0, 60)).join('.');
}

function plainSigns(text: string): string {
  let plain = '';
  for (const sign of text) if (isPlainWord(sign, '')) plain += sign;
  return plain;
}

function tryReading(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
