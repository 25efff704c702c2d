import type { OtherHost } from '../host';
import { hasOwnEntryIn } from '../own-entry';
import { capabilities } from './capabilities';
import { checkOutput } from './check-output';
import { copilotGlance } from './glance';
import { OWN_FILE } from './own-file';
import { parse } from './parse';
import { render } from './render';
import { transcriptFacts } from './transcript';

/** GitHub's Copilot CLI. It runs Claude Code's settings as well. */
export const host: OtherHost = {
  ...copilotGlance,
  capabilities,
  stopCap: () => 8,
  parse,
  render,
  check: checkOutput,
  transcriptFacts,
  hasOwnEntry: hasOwnEntryIn(OWN_FILE, 'copilot'),
};
