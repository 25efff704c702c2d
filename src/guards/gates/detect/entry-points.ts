import { globMatcher, isGlob } from '../../../core/glob';
import type { EntryPoint } from '../config';

/** The part of the project that an active entry point stands for. */
export type Scope = {
  /** Relative to the root, which is `.` itself. */
  readonly path: string;
  /** Whether the path is a pattern; names of directories may look like one. */
  readonly glob: boolean;
  readonly exclude: readonly string[];
};

/** An entry point that changes have reached. */
export interface ActiveEntry {
  readonly entryPoint: EntryPoint;
  readonly scope: Scope;
  /** The changed files in its scope. */
  readonly files: readonly string[];
}

/** The entry points that changed files reach. One that means every child of a directory is several. */
export function activeEntries(
  entryPoints: readonly EntryPoint[],
  changed: readonly string[],
): readonly ActiveEntry[] {
  return entryPoints.flatMap((entryPoint) =>
    scopesOf(entryPoint, changed).flatMap((scope) => {
      const isIn = scopeTest(scope);
      const files = changed.filter(isIn);
      return files.length === 0 ? [] : [{ entryPoint, scope, files }];
    }),
  );
}

/** Tells of a file whether it lies in a scope. */
export function scopeTest(scope: Scope): (file: string) => boolean {
  const isUnder = scope.glob ? reachedBy(scope.path) : (file: string) => isBelow(scope.path, file);
  const isExcluded = exclusionTest(scope.exclude);
  return (file) => isUnder(file) && !isExcluded(file);
}

/** Whether a file is a path or lies in it. */
export function isBelow(path: string, file: string): boolean {
  return path === '.' || file === path || file.startsWith(`${path}/`);
}

/** A pattern without signs names a file or a directory with all that is in it. */
function exclusionTest(patterns: readonly string[]): (file: string) => boolean {
  const tests = patterns.map((pattern) => {
    const matches = isGlob(pattern) ? globMatcher(pattern) : () => false;
    return (file: string) => isBelow(pattern, file) || matches(file);
  });
  return (file) => tests.some((test) => test(file));
}

/** A pattern may name files, or directories and so all that is in them. */
function reachedBy(pattern: string): (file: string) => boolean {
  const matches = globMatcher(pattern);
  return (file) => {
    if (isBelow(pattern, file) || matches(file)) return true;
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
      if (matches(file.slice(0, end))) return true;
    }
    return false;
  };
}

function scopesOf({ path, exclude }: EntryPoint, changed: readonly string[]): readonly Scope[] {
  const children = childrenOf(path);
  if (children === undefined) return [{ path, glob: isGlob(path), exclude }];
  const isExcluded = exclusionTest(exclude);
  const names = changed.filter((file) => !isExcluded(file)).flatMap((file) => children(file) ?? []);
  return [...new Set(names)].map((child) => ({ path: child, glob: false, exclude }));
}

/**
 * For a pattern that ends with a star and whose directory is a plain one: tells of a file which child
 * of that directory it is or lies in, if the pattern means it.
 */
function childrenOf(path: string): ((file: string) => string | undefined) | undefined {
  const slash = path.lastIndexOf('/') + 1;
  const [parent, name] = [path.slice(0, slash), path.slice(slash)];
  if (!name.endsWith('*') || name.includes('**') || isGlob(parent)) return undefined;
  const matches = globMatcher(name);
  return (file) => {
    if (!file.startsWith(parent)) return undefined;
    const [child = ''] = file.slice(slash).split('/', 1);
    return matches(child) ? parent + child : undefined;
  };
}
