import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { removeLeftovers, writeFileAtomic } from '../state/files';
import { type Compiled, HEAD_BYTES, sumOf } from './code-cache';

/** Replaces the cached code of a chunk, and adds the profile of this event. */
export function storeCode(dir: string, { name, file, script, profiles }: Compiled, profile: string): void {
  const code = script.createCachedData();
  const head = Buffer.from([sumOf(code), ...profiles, profile].join().padEnd(HEAD_BYTES));
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const isOld = (one: string): boolean => one.startsWith(`${name}.`) && !one.endsWith('.tmp');
  const old = readdirSync(dir).filter(isOld);
  for (const one of old) rmSync(`${dir}/${one}`, { force: true, recursive: true });
  removeLeftovers(dir, Date.now());
  writeFileAtomic(`${dir}/${file}`, Buffer.concat([head, code]), { sealed: true });
}
