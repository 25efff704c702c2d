import type { Host } from '../host';
import { capabilities } from './capabilities';
import { checkOutput } from './check-output';
import { parse } from './parse';
import { render } from './render';

/** Anthropic's Claude Code. Of all hosts only it numbers its prompts. */
export const claudeCode: Host = {
  name: 'claude-code',
  capabilities,
  recognises: (raw) => typeof raw['prompt_id'] === 'string',
  parse,
  render,
  check: checkOutput,
};
