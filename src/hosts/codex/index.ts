import type { OtherHost } from '../host';
import { plainGlance } from '../plain-glance';
import { capabilities } from './capabilities';
import { checkOutput } from './check-output';
import { kindOf } from './event-kinds';
import { parse } from './parse';
import { render } from './render';
import { callNames } from './tool-call';

/** OpenAI's Codex CLI. It never ends a turn by itself that is held. */
export const host: OtherHost = {
  name: 'codex',
  capabilities,
  stopCap: () => undefined,
  glance: plainGlance('codex', kindOf, callNames),
  parse,
  render,
  check: checkOutput,
};
