import { join } from 'node:path';
import { EVENT_SECONDS, hookEntries, STOP_SECONDS } from '../own-lines';
import type { HostSetup, InstallTarget, Scope } from '../setup';
import { startLineFor } from '../start-line';

/** With this spelling, the documents contain the event's name. */
const EVENTS: readonly string[] = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'Notification',
  'PostToolUse',
  'PostToolUseFailure',
  'PreCompact',
  'Stop',
  'SessionEnd',
];

const IN_TRUSTED_FOLDERS =
  'Copilot CLI runs a repository’s hooks only in a folder that it trusts: answer its question with yes.';
const BOTH_CALL =
  'It also runs the hooks of .claude/settings.json. Where both call Holdpoint, an event is decided once, for this file.';

export const copilotSetup: HostSetup = {
  name: 'copilot',
  title: 'Copilot CLI',
  scopes: ['project', 'user'],
  signs: {
    project: ['.github/hooks', '.github/copilot', '.github/copilot-instructions.md'],
    home: ['.copilot'],
    programs: ['copilot'],
  },
  afterwards: (scope) => (scope === 'user' ? [BOTH_CALL] : [IN_TRUSTED_FOLDERS, BOTH_CALL]),
  installSpec: (scope, target) => ({
    file: hooksFile(scope, target),
    skeleton: { version: 1 },
    entries: hookEntries(EVENTS, (event) => ({
      type: 'command',
      bash: startLineFor('copilot'),
      timeoutSec: event === 'Stop' ? STOP_SECONDS : EVENT_SECONDS,
    })),
  }),
};

/** The Copilot CLI settings file that calls us. */
export function hooksFile(scope: Scope, { project, home, env }: InstallTarget): string {
  const dir = scope === 'user' ? env['COPILOT_HOME'] || join(home, '.copilot') : join(project, '.github');
  return join(dir, 'hooks', 'holdpoint.json');
}
