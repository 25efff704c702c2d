import { readdirSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { globMatcher, isGlob } from '../../core/glob';
import type { CheckGate, EntryPoint, GatesConfig } from '../../guards/gates/config';
import type { CiCheck, CiConfig } from './ci-config';
import { setupScript } from './setup-script';

/** One job of the workflow's matrix. */
export interface CiJob {
  readonly id: string;
  readonly name: string;
  readonly entry_point: string;
  readonly working_directory: string;
  readonly command: string;
  readonly runtimes: readonly string[];
  readonly services: readonly string[];
  readonly setup: string;
  readonly global_setup: string;
}

/** Every check of `ci.yml` at every entry point that has it. The same work in the same place is one job. */
export function ciJobs(root: string, config: GatesConfig, ci: CiConfig): CiJob[] {
  const jobs = new Map<string, CiJob>();
  for (const entryPoint of config.entryPoints) {
    for (const path of pathsOf(root, entryPoint)) {
      for (const wanted of ci.checks) {
        const check = config.checks.find((one) => one.name === wanted.name);
        if (check === undefined || !check.runInCi || !entryPoint.checks.includes(check.name)) continue;
        const job = jobOf(root, path, check, wanted, ci);
        const key = `${job.name}:${job.working_directory}`;
        if (!jobs.has(key)) jobs.set(key, job);
      }
    }
  }
  return [...jobs.values()];
}

function jobOf(root: string, path: string, check: CheckGate, wanted: CiCheck, ci: CiConfig): CiJob {
  return {
    id: `${check.name}-${path.replaceAll('/', '-')}`,
    name: check.name,
    entry_point: path,
    working_directory: check.workingDirectory ?? directoryOf(root, path),
    command: check.command,
    runtimes: wanted.requires_runtimes ?? [],
    services: wanted.requires_services ?? [],
    setup: setupScript(wanted.setup ?? []),
    global_setup: setupScript(ci.setup),
  };
}

/** A pattern for the children of a directory is each directory there is. */
function pathsOf(root: string, { path }: EntryPoint): string[] {
  const slash = path.lastIndexOf('/') + 1;
  const [parent, name] = [path.slice(0, slash), path.slice(slash)];
  if (!name.endsWith('*') || name.includes('**') || isGlob(parent)) return [path];
  const matches = globMatcher(name);
  return directoriesIn(join(root, parent))
    .filter(matches)
    .map((child) => parent + child);
}

function directoriesIn(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .filter(isPlain)
      .sort();
  } catch {
    return [];
  }
}

/** What nobody keeps work in. */
function isPlain(name: string): boolean {
  return !name.startsWith('.') && name !== 'node_modules';
}

/** Where a check runs that names no place of its own: beside a file, and for a pattern at the root. */
function directoryOf(root: string, path: string): string {
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return path;
  if (isGlob(path)) return '.';
  return stat?.isFile() === true ? posix.dirname(path) : path;
}
