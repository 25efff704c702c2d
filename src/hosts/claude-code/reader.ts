import type { HostReader } from '../host';
import { parse } from './parse';

/** Anthropic's Claude Code. Of all hosts only it numbers its prompts. */
export const claudeCodeReader: HostReader = {
  name: 'claude-code',
  recognises: (raw) => typeof raw['prompt_id'] === 'string',
  parse,
};
