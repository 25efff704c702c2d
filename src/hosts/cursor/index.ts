import type { OtherHost } from '../host';
import { hasOwnEntryIn } from '../own-entry';
import { capabilities } from './capabilities';
import { checkOutput } from './check-output';
import { cursorGlance } from './glance';
import { OWN_FILE } from './own-file';
import { parse } from './parse';
import { render } from './render';
import { LOOP_LIMIT } from './stop-cap';

/** The editor Cursor, by its documents: we have not run it. It can run Claude Code's settings as well. */
export const host: OtherHost = {
  ...cursorGlance,
  capabilities,
  stopCap: () => LOOP_LIMIT,
  namelessShell: true,
  parse,
  render,
  check: checkOutput,
  hasOwnEntry: hasOwnEntryIn(OWN_FILE, 'cursor'),
};
