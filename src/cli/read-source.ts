import { readFileSync } from 'node:fs';
import { detailOf, fail, type Result, succeed } from '../core/failure';
import { readAll } from '../exec/standard-io';

/** The text of a file, or of standard input for `-`. */
export function readSource(name: string): Result<string> {
  if (name === '-') return readAll(0);
  try {
    return succeed(readFileSync(name, 'utf8'));
  } catch (error) {
    return fail({ code: 'input.unreadable', detail: detailOf(error) });
  }
}
