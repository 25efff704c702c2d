import { readdirSync, statSync } from 'node:fs';

/** Whether the files that we were started from are still the same ones. */
export type AreUnchanged = () => boolean;

/** Taken down before anything of them is loaded, so that no two builds are ever mixed. */
export function ownFiles(dist: string): AreUnchanged {
  const files = readdirSync(dist)
    .filter((name) => name.endsWith('.cjs'))
    .map((name) => `${dist}/${name}`);
  const signs = files.map(signOf);
  return () => files.every((file, index) => signs[index] === signOf(file));
}

function signOf(file: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return 'gone';
  }
}
