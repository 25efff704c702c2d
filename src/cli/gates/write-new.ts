import { lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { detailOf, fail, type Result, succeed } from '../../core/failure';
import { placeOf } from '../../state/place';
import { writeNew } from '../../state/whole-file';
import { appended, bytesOf, extendIgnore } from '../init/gitignore';
import type { NewFile } from './init-files';
import * as say from './messages';

/** What became of the files of a beginning, by their paths. */
export interface Outcome {
  readonly written: readonly string[];
  /** There was something already. */
  readonly skipped: readonly string[];
}

/** Makes files that are not there yet. None is ever written over, and none outside of the root. */
export function writeNewFiles(root: string, files: readonly NewFile[]): Result<Outcome, string> {
  const [written, skipped]: [string[], string[]] = [[], []];
  for (const file of files) {
    const path = join(root, file.path);
    try {
      if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
        skipped.push(file.path);
        continue;
      }
      const place = placeOf(root, path);
      if (place.kind === 'outward') return fail(say.leadsOut(file.path, place.target));
      mkdirSync(dirname(path), { recursive: true });
      if ('linkTo' in file) symlinkSync(file.linkTo, path);
      else writeNew(path, file.text, false, 0o644);
      written.push(file.path);
    } catch (error) {
      return fail(say.notWritten(file.path, detailOf(error)));
    }
  }
  return succeed({ written, skipped });
}

/** Lets git pass over a directory, unless a line says so already. Tells whether it had to. */
export function ignoreDirectory(root: string, name: string): Result<boolean, string> {
  try {
    const before = bytesOf(join(root, '.gitignore'));
    const written = (before?.toString('utf8') ?? '').split(/\r?\n/);
    const names = written.map((line) => line.trim().replace(/^\/|\/$|\/\*{1,2}$/g, ''));
    if (names.includes(name)) return succeed(false);
    const lines = [`${name}/`];
    const added = extendIgnore(root, { before, lines, after: appended(before ?? Buffer.alloc(0), lines) });
    return added.ok ? succeed(true) : added;
  } catch (error) {
    return fail(say.notWritten('.gitignore', detailOf(error)));
  }
}
