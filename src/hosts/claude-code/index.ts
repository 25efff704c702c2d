import type { Host } from '../host';
import { capabilities } from './capabilities';
import { checkOutput } from './check-output';
import { parse } from './parse';
import { render } from './render';
import { stopCap } from './stop-cap';

/** Anthropic's Claude Code. */
export const claudeCode: Host = {
  name: 'claude-code',
  capabilities,
  stopCap,
  parse,
  render,
  check: checkOutput,
};
