import { isAbsolute } from 'node:path';
import { fail, type Result, succeed } from '../../core/failure';
import type { Context } from '../verb';
import * as say from './messages';

/** The home below which what starts the hook is kept. The failure is a sentence for people. */
export function homeIn(env: Context['env']): Result<string, string> {
  const home = env['HOME'] ?? '';
  if (home === '') return fail(say.NO_HOME);
  return isAbsolute(home) ? succeed(home) : fail(say.notAPlace('HOME', home));
}
