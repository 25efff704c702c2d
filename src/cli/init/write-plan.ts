import { join } from 'node:path';
import { detailOf, fail, type Result, succeed } from '../../core/failure';
import { placeOf } from '../../state/place';
import { leadsOut, notWritten, writeNewFiles } from '../gates/init-files';
import { extendIgnore } from './extend-ignore';
import type { InitPlan } from './plan';
import { OWN_CONFIG } from './taken';

/** Writes the files of the project itself; hooks are installed by the installer. A failure is a sentence. */
export function writeFiles(root: string, { config, ignore }: InitPlan): Result<true, string> {
  const ready = config === undefined ? succeed(true) : whereConfigGoes(root);
  if (!ready.ok) return ready;
  const ignored = extendIgnore(root, ignore);
  if (!ignored.ok) return ignored;
  if (config === undefined) return succeed(true);
  // Last, so that a beginning that is cut short leaves nothing that is in force.
  const made = writeNewFiles(root, [{ path: OWN_CONFIG, text: config }]);
  return made.ok ? succeed(true) : made;
}

/** What is in the way of the config is found before anything else is written. */
function whereConfigGoes(root: string): Result<true, string> {
  try {
    const place = placeOf(root, join(root, OWN_CONFIG));
    return place.kind === 'outward' ? fail(leadsOut(OWN_CONFIG, place.target)) : succeed(true);
  } catch (error) {
    return fail(notWritten(OWN_CONFIG, detailOf(error)));
  }
}
