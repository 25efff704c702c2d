// node test/clients/install.mjs: puts the pinned clients into .clients, without running any script of theirs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderOf, PINS, programOf } from './pins.mjs';

/** Installs a client unless it is there. Returns its program, or why there is none. */
export function installClient(name) {
  const { packages } = PINS[name];
  const dir = folderOf(name);
  const path = programOf(name);
  const wanted = packages.join('\n');
  const note = join(dir, 'installed.txt');
  if (existsSync(path) && existsSync(note) && readFileSync(note, 'utf8') === wanted) return { path };
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'package.json'), '{"private":true}\n');
  const options = [
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--engine-strict=false',
    '--loglevel=error',
  ];
  console.error(`Installing ${packages.join(', ')} into ${dir}`);
  const { status, stderr } = spawnSync('npm', ['install', ...packages, ...options], {
    cwd: dir,
    encoding: 'utf8',
  });
  if (status !== 0) return { problem: `npm install failed: ${String(stderr).trim().split('\n')[0]}` };
  if (!existsSync(path)) return { problem: `no build of ${name} for ${process.platform}-${process.arch}` };
  writeFileSync(note, wanted);
  return { path };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of Object.keys(PINS)) {
    const { path, problem } = installClient(name);
    console.log(problem ?? path);
    if (problem !== undefined) process.exitCode = 1;
  }
}
