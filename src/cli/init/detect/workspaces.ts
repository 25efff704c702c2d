import { parse } from 'yaml';
import { globMatcher, isGlob } from '../../../core/glob';
import { isJsonObject, type Json } from '../../../core/json';
import type { ProjectFiles } from './project-files';

/** Where nobody keeps packages of their own. */
const NEVER = new Set(['node_modules', 'dist', 'build', 'target', 'vendor']);
const DEEPEST = 4;

/** The directories of a JavaScript workspace that have a manifest; none where it is no workspace. */
export function workspaceMembers(files: ProjectFiles): readonly string[] {
  const patterns = patternsIn(files).map((pattern) => pattern.replace(/^\.\/|\/+$/g, ''));
  const excluded = patterns.filter((one) => one.startsWith('!')).map((one) => globMatcher(one.slice(1)));
  const found = patterns.filter((one) => !one.startsWith('!')).flatMap((one) => directoriesFor(files, one));
  return [...new Set(found)]
    .filter((dir) => !excluded.some((matches) => matches(dir)) && files.has(`${dir}/package.json`))
    .sort();
}

/** Only what a pattern can mean is looked at: a large project has more directories than anybody waits for. */
function directoriesFor(files: ProjectFiles, pattern: string): string[] {
  const segments = pattern.split('/');
  const glob = segments.findIndex(isGlob);
  if (glob < 0) return files.isDirectory(pattern) ? [pattern] : [];
  const start = segments.slice(0, glob).join('/') || '.';
  const depth = pattern.includes('**') ? DEEPEST : segments.length - glob;
  return directoriesIn(files, start, depth).filter(globMatcher(pattern));
}

function patternsIn(files: ProjectFiles): string[] {
  const { workspaces } = files.json('package.json');
  const named = isJsonObject(workspaces) ? workspaces['packages'] : workspaces;
  return [
    ...textsIn(named),
    ...textsIn(pnpmPackages(files)),
    ...textsIn(files.json('lerna.json')['packages']),
  ];
}

function pnpmPackages(files: ProjectFiles): Json | undefined {
  try {
    const value: unknown = parse(files.text('pnpm-workspace.yaml'));
    return isJsonObject(value) ? value['packages'] : undefined;
  } catch {
    return undefined;
  }
}

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function directoriesIn(files: ProjectFiles, dir: string, depth: number): string[] {
  return files
    .names(dir)
    .filter((name) => !name.startsWith('.') && !NEVER.has(name))
    .map((name) => (dir === '.' ? name : `${dir}/${name}`))
    .filter((path) => files.isDirectory(path))
    .flatMap((path) => [path, ...(depth > 1 ? directoriesIn(files, path, depth - 1) : [])]);
}
