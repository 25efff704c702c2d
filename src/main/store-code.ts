import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { removeLeftovers, writeFileAtomic } from '../state/files';
import { type Compiled, HEAD_BYTES, SUM_BYTES, sumOf } from './code-cache';

/** Replaces the cached code of a chunk, and counts this event for its profile. */
export function storeCode(dir: string, { name, file, script, covered }: Compiled, profile: number): void {
  const bytes = Buffer.concat([Buffer.alloc(HEAD_BYTES), script.createCachedData()]);
  bytes.set(covered, SUM_BYTES);
  bytes[SUM_BYTES + profile] = (covered[profile] ?? 0) + 1;
  bytes.writeInt32LE(sumOf(new Int32Array(new Uint8Array(bytes).buffer)));
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const isOld = (one: string): boolean => one.startsWith(`${name}.`) && !one.endsWith('.tmp');
  const old = readdirSync(dir).filter(isOld);
  for (const one of old) rmSync(`${dir}/${one}`, { force: true, recursive: true });
  removeLeftovers(dir, Date.now());
  writeFileAtomic(`${dir}/${file}`, bytes, { sealed: true });
}
