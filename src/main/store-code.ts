import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { writeFileAtomic } from '../state/files';
import { type Cache, HEAD_BYTES, type LoadedChunk, sumOf } from './code-cache';

/** Keeps the compiled code of a chunk in place of what there was, with the kind of event that added to it. */
export function storeCode({ dir, version }: Cache, chunk: LoadedChunk, profile: string): void {
  const { name, script, profiles } = chunk;
  const code = script.createCachedData();
  const head = Buffer.from([sumOf(code), ...profiles, profile].join().padEnd(HEAD_BYTES));
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const isOld = (file: string): boolean => file.startsWith(`${name}.`) && !file.endsWith('.tmp');
  const old = readdirSync(dir).filter(isOld);
  for (const one of old) rmSync(`${dir}/${one}`, { force: true, recursive: true });
  writeFileAtomic(`${dir}/${name}.${version}`, Buffer.concat([head, code]), { sealed: true });
}
