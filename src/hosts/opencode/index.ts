import type { OtherHost } from '../host';
import { capabilities } from './capabilities';
import { opencodeGlance } from './glance';
import { parse } from './parse';
import { checkOutput, render } from './render';

/** OpenCode. It has no hook processes: a plugin in its own process writes the documents and reads the answers. */
export const host: OtherHost = {
  ...opencodeGlance,
  capabilities,
  stopCap: () => undefined,
  parse,
  render,
  check: checkOutput,
};
