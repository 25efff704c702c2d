// Runs every check, even if an earlier one failed, so that one run shows everything to fix.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const MOST_LINES = 600;

/** A check returns true if it passes; otherwise it has printed what is wrong. */
const CHECKS = {
  'types: tsc': () => local('tsc', '-p', '.', '--noEmit') && local('tsc', '-p', 'hub', '--noEmit'),
  'format and lint: biome': () => local('biome', 'ci', '.'),
  'unused files and exports: knip': () => local('knip'),
  // The package is linted as published, so it must be built first. Packing without a package manager keeps
  // `prepack` from building it again.
  'package: build, publint': () =>
    run(process.execPath, 'tools/build.mjs') &&
    run(process.execPath, 'hub/build.mjs') &&
    ['.', 'hub'].every((place) => local('publint', place, '--strict', '--pack', 'false')),
  'lock file without download addresses': () => nothingIn(downloadAddresses()),
  [`files of at most ${MOST_LINES} lines`]: () => nothingIn(longFiles()),
};

function local(name, ...args) {
  return run(join(root, 'node_modules', '.bin', name), ...args);
}

function run(command, ...args) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0;
}

function nothingIn(complaints) {
  for (const complaint of complaints) console.log(complaint);
  return complaints.length === 0;
}

function downloadAddresses() {
  const lines = readFileSync(join(root, 'package-lock.json'), 'utf8').split('\n');
  return lines.flatMap((line, index) =>
    line.includes('"resolved": "http') ? [`package-lock.json:${index + 1}: ${line.trim()}`] : [],
  );
}

function longFiles() {
  return ['src', 'hub/src', 'hub/page']
    .flatMap((dir) => readdirSync(join(root, dir), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .map((file) => ({ file, lines: readFileSync(file, 'utf8').trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > MOST_LINES)
    .map(({ file, lines }) => `${file} has ${lines} lines`);
}

const failed = Object.entries(CHECKS).filter(([name, check]) => {
  console.log(`\n== ${name}`);
  const begun = performance.now();
  const passed = check();
  console.log(`-- ${passed ? 'passed' : 'FAILED'} in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  return !passed;
});

console.log(failed.length === 0 ? '\nAll checks passed.' : '\nFailed:');
for (const [name] of failed) console.log(`  ${name}`);
process.exitCode = failed.length === 0 ? 0 : 1;
