import { withoutEntries } from '../../config/settings/without-entries';
import { fail, type Result, succeed } from '../../core/failure';
import { isStopHook } from '../gates/stop-hook';
import * as say from './messages';
import type { StopHookRecord } from './record';

/** A settings file without the gates' own entry, where we have put it there; no file where there was none. */
export function withoutStopHook(
  text: string,
  { file, existed, undo }: StopHookRecord,
): Result<string | undefined, string> {
  const rest = withoutEntries(text, { parents: [['hooks']], skeleton: [], undo, isOurs: isStopHook });
  if (!rest.ok) return fail(say.trouble(file, rest.failure));
  return succeed(existed || !isBare(rest.value) ? rest.value : undefined);
}

/** Nothing is left: also without brackets, which is how a document begins that nobody had written before us. */
export function isBare(text: string): boolean {
  return /^\s*(?:\{\s*\}\s*)?$/.test(text);
}
