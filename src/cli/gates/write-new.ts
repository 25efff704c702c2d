import { appendFileSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { detailOf, fail, type Result, succeed } from '../../domain/failure';
import { placeOf } from '../../store/place';
import { writeNew } from '../../store/whole-file';
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
  const path = join(root, '.gitignore');
  try {
    const place = placeOf(root, path);
    if (place.kind === 'outward') return fail(say.leadsOut('.gitignore', place.target));
    const before = place.kind === 'missing' ? '' : readFileSync(path, 'utf8');
    const lines = before.split(/\r?\n/).map((line) => line.trim().replace(/^\/|\/$|\/\*{1,2}$/g, ''));
    if (lines.includes(name)) return succeed(false);
    const end = before.includes('\r\n') ? '\r\n' : '\n';
    appendFileSync(path, `${before === '' || before.endsWith('\n') ? '' : end}${name}/${end}`);
    return succeed(true);
  } catch (error) {
    return fail(say.notWritten('.gitignore', detailOf(error)));
  }
}
