import { join } from 'node:path';
import { hasOwnLine, rivalByHand } from '../own-lines';
import type { Entry, Ground, HostSetup, Scope, Wishes } from '../setup';
import { examine } from './examine';

const SECONDS = 30;
/** Codex gives the end of a session no more. */
const LAST_SECONDS = 3;

/** Without matchers: a requirement may name any tool, and one that a matcher leaves out would be deaf. */
const EVENTS: readonly string[] = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PreCompact',
  'Stop',
  'SessionEnd',
];

export const codexSetup: HostSetup = {
  name: 'codex',
  title: 'Codex',
  scopes: ['project', 'user'],
  signs: { project: ['.codex'], home: ['.codex'], programs: ['codex'] },
  afterwards: (scope) => [
    'Start Codex, open /hooks and trust the Holdpoint hooks. Until then Codex skips them without a word, in `codex exec` too.',
    ...(scope === 'user' ? [] : ['Codex reads `.codex/hooks.json` only in projects that it trusts.']),
  ],
  sheet: (scope, ground, wishes) => ({
    kind: 'entries',
    file: hooksFile(scope, ground),
    skeleton: {},
    entries: EVENTS.map((event) => entryFor(event, wishes)),
  }),
  isOurs: hasOwnLine,
  rival: rivalByHand,
  examine: (scope, ground, settings) => examine(hooksFile(scope, ground), codexHome(ground), settings),
};

function hooksFile(scope: Scope, ground: Ground): string {
  return join(scope === 'user' ? codexHome(ground) : join(ground.project, '.codex'), 'hooks.json');
}

function codexHome({ home, env }: Ground): string {
  return env['CODEX_HOME'] || join(home, '.codex');
}

/** Codex drops the whole file for one key that it does not know, so there are no others. */
function entryFor(event: string, { start, stopSeconds }: Wishes): Entry {
  const timeout = event === 'Stop' ? stopSeconds : event === 'SessionEnd' ? LAST_SECONDS : SECONDS;
  return {
    path: ['hooks', event],
    value: { hooks: [{ type: 'command', command: start.shell, timeout }] },
  };
}
