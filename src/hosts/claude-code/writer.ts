import type { HostWriter } from '../host';
import { capabilities } from './capabilities';
import { checkOutput } from './check-output';
import { render } from './render';

export const claudeCodeWriter: HostWriter = {
  name: 'claude-code',
  capabilities,
  render,
  check: checkOutput,
};
