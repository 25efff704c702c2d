import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { attempt, readText } from '../../../core/failure';
import { isJsonObject, type JsonObject } from '../../../core/json';

/** What a check is for. Also its name in the config, unless two checks would get the same name. */
export type Purpose = 'test' | 'lint' | 'typecheck' | 'format' | 'check' | 'build';

/** A command of the project, and where it is defined. */
export interface FoundCheck {
  readonly purpose: Purpose;
  readonly command: string;
  readonly source: string;
}

/** A script that looks like a check but cannot be one. */
export interface SkippedScript {
  readonly what: string;
  readonly why: string;
}

/** What the detector of one kind of project found in a directory. */
export interface DetectedProject {
  readonly checks: readonly FoundCheck[];
  readonly passedOver?: readonly SkippedScript[];
  /** The command to run before the checks can work, such as `npm install`. */
  readonly first?: string;
  /** Subdirectories that are projects of their own; their checks run there. */
  readonly members?: readonly string[];
}

/**
 * Detectors by kind of project: each finds the commands that a directory really has, or returns undefined if the
 * directory is of another kind. The kinds have short names, since check names and messages contain them.
 */
export type Detectors = Readonly<Record<string, (files: ProjectFiles) => DetectedProject | undefined>>;

/** Larger files are ignored; no handwritten manifest comes near this size. */
const LARGEST_BYTES = 1024 * 1024;

/** The files of a directory, from which its kind is detected. Nothing is executed. */
export type ProjectFiles = ReturnType<typeof projectFiles>;

/** Missing and unreadable files count as empty. */
export function projectFiles(root: string) {
  const statsOf = (path: string) => statSync(join(root, path), { throwIfNoEntry: false });
  const text = (path: string): string => {
    const stats = attempt(() => statsOf(path));
    const isSmall = stats?.isFile() === true && stats.size <= LARGEST_BYTES;
    return (isSmall && readText(join(root, path))?.replace(/^\uFEFF/, '')) || '';
  };
  const isDirectory = (path: string): boolean => statsOf(path)?.isDirectory() === true;
  /** Names in a directory, sorted; `.` is the directory itself. */
  const names = (path: string): readonly string[] =>
    attempt(() => readdirSync(join(root, path)).sort()) ?? [];
  return {
    text,
    has: (path: string): boolean => statsOf(path) !== undefined,
    isDirectory,
    names,
    /** The directories in one, except those with such a name. */
    directories: (path: string, but: RegExp): string[] => {
      const found = names(path).filter((name) => !but.test(name));
      return found.map((name) => (path === '.' ? name : `${path}/${name}`)).filter(isDirectory);
    },
    /** A JSON file, comments allowed. */
    json: (path: string): JsonObject => {
      const value: unknown = parse(text(path), [], { allowTrailingComma: true });
      return isJsonObject(value) ? value : {};
    },
  };
}
