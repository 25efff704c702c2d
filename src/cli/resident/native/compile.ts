import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programOn } from '../../../exec/programs';
import type { Context } from '../../verb';
import { clientSource, type Ground } from './source';

/** Names of compilers, the one that a system means first. */
export const COMPILERS = ['cc', 'gcc', 'clang'] as const;

const COMPILES_WITHIN_MS = 20_000;

/** A way to build the client; those that start faster come first. */
export interface Build {
  readonly ground: Ground;
  readonly flags: readonly string[];
}

const BARE: Build = {
  ground: 'bare-linux',
  flags: ['-O1', '-ffreestanding', '-fno-stack-protector', '-nostdlib', '-static'],
};
const WITH_LIBRARY: readonly Build[] = [
  { ground: 'library', flags: ['-O2', '-static'] },
  { ground: 'library', flags: ['-O2'] },
];

/** All ways that are worth to try on this system. */
export const BUILDS: readonly Build[] = process.platform === 'linux' ? [BARE, ...WITH_LIBRARY] : WITH_LIBRARY;

/** The compiler of this machine. Apple has a stand-in for it, which asks people to install one. */
export function compilerOn(env: Context['env']): string | undefined {
  const path = env['PATH'] ?? '';
  if (process.platform === 'darwin' && spawnSync('/usr/bin/xcode-select', ['-p']).status !== 0)
    return undefined;
  return COMPILERS.map((name) => programOn(path, name)).find((program) => program !== undefined);
}

/** Compiles the client into a directory. Tells the file and what is in it; nothing where that fails. */
export function compileClient(
  compiler: string,
  { ground, flags }: Build,
  directory: string,
  env: Context['env'],
): { readonly file: string; readonly image: Uint8Array } | undefined {
  const file = join(directory, 'client');
  // Some compilers come with checks switched on that need a library.
  const words = ['-std=gnu11', '-U_FORTIFY_SOURCE', ...flags, '-s', '-w', '-x', 'c', '-o', file, '-'];
  const { status } = spawnSync(compiler, words, {
    cwd: directory,
    env: { ...env },
    input: clientSource(ground),
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: COMPILES_WITHIN_MS,
  });
  return status === 0 ? { file, image: readFileSync(file) } : undefined;
}
