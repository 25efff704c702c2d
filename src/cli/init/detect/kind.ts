import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { isJsonObject, type JsonObject } from '../../../core/json';
import { attempt, readText } from '../../../exec/attempt';

/** What a check is for; it is its name in the config, unless two would be called the same. */
export type Purpose = 'test' | 'lint' | 'typecheck' | 'format' | 'check' | 'build';

/** A command that the project has, and the place that says so. */
export interface FoundCheck {
  readonly purpose: Purpose;
  readonly command: string;
  readonly source: string;
}

/** Something that looks like a check and is none. */
export interface PassedOver {
  readonly what: string;
  readonly why: string;
}

/** What a directory is, seen by one kind of project. */
export interface Recognised {
  readonly checks: readonly FoundCheck[];
  readonly passedOver?: readonly PassedOver[];
  /** What has to be done before the checks can work here. */
  readonly first?: string;
  /** Directories below that are projects of their own and whose checks are run there. */
  readonly members?: readonly string[];
}

/**
 * Kinds of projects by their names, which are short, for names of checks and for people: how each is told by its files,
 * and which commands it really has. Nothing where a directory is of another kind.
 */
export type Kinds = Readonly<Record<string, (files: ProjectFiles) => Recognised | undefined>>;

/** No manifest that people write comes near this. */
const LARGEST_BYTES = 1024 * 1024;

/** A directory of the project, as far as its files tell what kind of project it is. Nothing is run to find out. */
export type ProjectFiles = ReturnType<typeof projectFiles>;

/** The files of a directory. What is missing or cannot be read counts as empty. */
export function projectFiles(root: string) {
  const statsOf = (path: string) => statSync(join(root, path), { throwIfNoEntry: false });
  const text = (path: string): string => {
    const stats = attempt(() => statsOf(path));
    const isSmall = stats?.isFile() === true && stats.size <= LARGEST_BYTES;
    return (isSmall && readText(join(root, path))?.replace(/^\uFEFF/, '')) || '';
  };
  return {
    text,
    has: (path: string): boolean => statsOf(path) !== undefined,
    isDirectory: (path: string): boolean => statsOf(path)?.isDirectory() === true,
    /** A JSON file, comments allowed. */
    json: (path: string): JsonObject => {
      const value: unknown = parse(text(path), [], { allowTrailingComma: true });
      return isJsonObject(value) ? value : {};
    },
    /** Names in a directory, sorted; `.` is the directory itself. */
    names: (path: string): readonly string[] => attempt(() => readdirSync(join(root, path)).sort()) ?? [],
  };
}
