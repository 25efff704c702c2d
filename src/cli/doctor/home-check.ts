import { accessSync, constants } from 'node:fs';
import { isAbsolute } from 'node:path';
import { errorCode } from '../../core/error-code';
import { detailOf } from '../../core/failure';
import type { Context } from '../verb';
import { advice, type Check, failed } from './check';
import * as say from './messages';

const SUBJECT = { id: 'runtime.home', category: 'runtime' } as const;

/** Whether there is a home to keep things in. Nothing is said where there is. */
export function homeCheck(env: Context['env']): Check | undefined {
  const home = env['HOME'] ?? '';
  if (home === '') return failed(SUBJECT, say.NO_HOME, advice(say.SET_HOME));
  if (!isAbsolute(home)) return failed(SUBJECT, say.relativeHome(home), advice(say.SET_HOME));
  try {
    accessSync(`${home}/.`, constants.X_OK);
    return undefined;
  } catch (error) {
    // One that is still to be made is no trouble: an installation makes it.
    if (errorCode(error) === 'ENOENT') return undefined;
    return failed(SUBJECT, say.homeUnread(home, detailOf(error)), advice(say.openHome(home)));
  }
}
