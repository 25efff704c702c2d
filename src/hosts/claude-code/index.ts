import type { Host } from '../host';
import { capabilities } from './capabilities';
import { checkOutput } from './check-output';
import { parse } from './parse';
import { render } from './render';

/** Anthropic's Claude Code. */
export const claudeCode: Host = { name: 'claude-code', capabilities, parse, render, check: checkOutput };
