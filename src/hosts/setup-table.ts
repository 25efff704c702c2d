import type { HostName } from '../core/host-name';
import { claudeCodeSetup } from './claude-code/setup';
import { codexSetup } from './codex/setup';
import { copilotSetup } from './copilot/setup';
import { cursorSetup } from './cursor/setup';
import { geminiSetup } from './gemini/setup';
import { opencodeSetup } from './opencode/setup';
import type { HostSetup } from './setup';

/** Every host that we can set up. */
export const SETUPS: readonly HostSetup[] = [
  claudeCodeSetup,
  codexSetup,
  geminiSetup,
  copilotSetup,
  cursorSetup,
  opencodeSetup,
];

/** How the host of that name is set up. */
export function setupOf(name: HostName): HostSetup | undefined {
  return SETUPS.find((setup) => setup.name === name);
}
