import { isAbsolute } from 'node:path';
import { runtimePlace } from '../../server/place';
import type { Context } from '../verb';
import * as say from './messages';

/** A sentence where a place for the server was named that is not used, because it depends on where one stands. */
export function unusedPlace(env: Context['env']): string | undefined {
  const named = env['HOLDPOINT_RUNTIME_DIR'] ?? '';
  if (named === '' || isAbsolute(named)) return undefined;
  return say.relativeRuntime(named, runtimePlace(env, process.getuid?.() ?? 0).dir);
}
