import type { OtherHost } from '../host';
import { plainGlance } from '../plain-glance';
import { capabilities } from './capabilities';
import { checkOutput } from './check-output';
import { kindOf } from './event-kinds';
import { parse } from './parse';
import { render } from './render';
import { callNames } from './tool-names';

/** Google's Gemini CLI. It never ends a turn by itself that is held, short of a hundred rounds. */
export const host: OtherHost = {
  name: 'gemini',
  capabilities,
  stopCap: () => undefined,
  namelessShell: true,
  glance: plainGlance('gemini', kindOf, callNames),
  parse,
  render,
  check: checkOutput,
};
