import { join } from 'node:path';
import type { JsonObject } from '../../core/json';
import { claudeSettingsWithUs } from '../claude-settings';
import { hasOwnLine, rivalByHand } from '../own-lines';
import type { Finding, Ground, HostSetup, Scope, Wishes } from '../setup';
import { alsoRuns } from './messages';

const SECONDS = 30;

/** Spelled like this, the documents carry the event's name. */
const EVENTS: readonly string[] = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'PreCompact',
  'Stop',
  'SessionEnd',
];

export const copilotSetup: HostSetup = {
  name: 'copilot',
  title: 'Copilot CLI',
  scopes: ['project', 'user'],
  signs: {
    project: ['.github/hooks', '.github/copilot', '.github/copilot-instructions.md'],
    home: ['.copilot'],
    programs: ['copilot'],
  },
  afterwards: (scope) => [
    ...(scope === 'user'
      ? []
      : [
          'Copilot CLI runs a repository’s hooks only in a folder that it trusts: answer its question with yes.',
        ]),
    'It also runs the hooks of .claude/settings.json. Where both call Holdpoint, an event is decided once, for this file.',
  ],
  sheet: (scope, ground, wishes) => ({
    kind: 'own-file',
    file: hooksFile(scope, ground),
    text: `${JSON.stringify(settingsText(wishes), null, 2)}\n`,
  }),
  isOurs: hasOwnLine,
  rival: rivalByHand,
  examine: (_scope, ground): readonly Finding[] => claudeSettingsWithUs(ground).map(alsoRuns),
};

function hooksFile(scope: Scope, { project, home, env }: Ground): string {
  const dir = scope === 'user' ? env['COPILOT_HOME'] || join(home, '.copilot') : join(project, '.github');
  return join(dir, 'hooks', 'holdpoint.json');
}

function settingsText({ start, stopSeconds }: Wishes): JsonObject {
  const entry = (event: string): JsonObject => ({
    type: 'command',
    bash: start.shell,
    timeoutSec: event === 'Stop' ? stopSeconds : SECONDS,
  });
  return { version: 1, hooks: Object.fromEntries(EVENTS.map((event) => [event, [entry(event)]])) };
}
