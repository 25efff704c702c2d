import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { isJsonObject, type JsonObject } from '../../../core/json';

/** A directory of the project, as far as its files tell what kind of project it is. Nothing is run to find out. */
export interface ProjectFiles {
  has(path: string): boolean;
  isDirectory(path: string): boolean;
  /** The text of a file; empty where there is none that could be read. */
  text(path: string): string;
  /** A JSON file, comments allowed; empty where it is missing or no object. */
  json(path: string): JsonObject;
  /** Names in a directory, sorted; `.` is the directory itself. */
  names(path: string): readonly string[];
}

/** No manifest that people write comes near this. */
const LARGEST_BYTES = 1024 * 1024;

export function projectFiles(root: string): ProjectFiles {
  const text = (path: string): string => textOf(join(root, path));
  return {
    text,
    has: (path) => statSync(join(root, path), { throwIfNoEntry: false }) !== undefined,
    isDirectory: (path) => statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true,
    json: (path) => {
      const value: unknown = parse(text(path), [], { allowTrailingComma: true });
      return isJsonObject(value) ? value : {};
    },
    names: (path) => namesIn(join(root, path)),
  };
}

function textOf(file: string): string {
  try {
    const stat = statSync(file);
    return stat.isFile() && stat.size <= LARGEST_BYTES
      ? readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
      : '';
  } catch {
    return '';
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).sort();
  } catch {
    return [];
  }
}
