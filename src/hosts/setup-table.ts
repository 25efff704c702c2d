import type { HostName } from '../core/host-name';
import { claudeCodeSetup } from './claude-code/setup';
import { codexSetup } from './codex/setup';
import { copilotSetup } from './copilot/setup';
import { cursorSetup } from './cursor/setup';
import { geminiSetup } from './gemini/setup';
import { opencodeSetup } from './opencode/setup';
import type { HostSetup } from './setup';

const BY_NAME: Readonly<Record<HostName, HostSetup>> = {
  'claude-code': claudeCodeSetup,
  codex: codexSetup,
  gemini: geminiSetup,
  copilot: copilotSetup,
  cursor: cursorSetup,
  opencode: opencodeSetup,
};

export const SETUPS = Object.values(BY_NAME);

export function setupOf(name: HostName): HostSetup {
  return BY_NAME[name];
}
