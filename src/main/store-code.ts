import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { writeFileAtomic } from '../state/files';
import { HEAD_BYTES, sumOf } from './code-cache';

/** Keeps the compiled code of a chunk in place of what there was. */
export function storeCode(
  dir: string,
  name: string,
  version: string,
  profiles: readonly string[],
  code: Buffer,
): void {
  const head = Buffer.from([sumOf(code), ...profiles].join().padEnd(HEAD_BYTES));
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const isOld = (file: string): boolean => file.startsWith(`${name}.`) && !file.endsWith('.tmp');
  const old = readdirSync(dir).filter(isOld);
  for (const one of old) rmSync(`${dir}/${one}`, { force: true, recursive: true });
  writeFileAtomic(`${dir}/${name}.${version}`, Buffer.concat([head, code]), { sealed: true });
}
