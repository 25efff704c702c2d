import type { OtherHost } from '../host';
import { capabilities } from './capabilities';
import { checkOutput } from './check-output';
import { glance } from './glance';
import { parse } from './parse';
import { render } from './render';

/** OpenAI's Codex CLI. It never ends a turn by itself that is held. */
export const host: OtherHost = {
  name: 'codex',
  capabilities,
  stopCap: () => undefined,
  glance,
  parse,
  render,
  check: checkOutput,
};
