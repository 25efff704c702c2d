import type { OtherHost } from '../host';
import { capabilities } from './capabilities';
import { checkOutput } from './check-output';
import { glance } from './glance';
import { parse } from './parse';
import { render } from './render';

/** Google's Gemini CLI. It never ends a turn by itself that is held, short of a hundred rounds. */
export const host: OtherHost = {
  name: 'gemini',
  capabilities,
  stopCap: () => undefined,
  namelessShell: true,
  glance,
  parse,
  render,
  check: checkOutput,
};
