import type { Host } from '../host';
import { capabilitiesTable } from './capabilities';
import { checkOutput } from './check-output';
import { parse } from './parse';
import { render } from './render';
import { stopCap } from './stop-cap';

/** Anthropic's Claude Code. */
export const claudeCode: Host = {
  name: 'claude-code',
  get capabilities() {
    return capabilitiesTable();
  },
  stopCap,
  parse,
  render,
  check: checkOutput,
};
