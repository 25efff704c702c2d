import { textIn } from '../install/files';
import { launchState } from '../install/launch';
import * as say from './messages';

/**
 * Why the lines in settings start nothing, if they do not. The launch file finds another Node by itself, and the copy
 * of a hook that is gone. `install`: the command that writes it anew.
 */
export function launchTrouble(home: string, install: () => string): say.Reason | undefined {
  const { file, present, hook, hookThere, copyThere } = launchState(home);
  if (!present) return say.launchGone(file, install());
  if (hook === undefined || isCutShort(textIn(file) ?? '')) return say.launchDamaged(file, install());
  return hookThere || copyThere ? undefined : say.hookGone(file, hook, install());
}

/** Of a block that does not end a shell runs nothing. */
function isCutShort(text: string): boolean {
  return /^\{$/m.test(text) && !/^\}$/m.test(text);
}
