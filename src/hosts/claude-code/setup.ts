import type { Json, JsonObject } from '../../core/json';
import { hasOwnLine, rivalByHand } from '../own-lines';
import type { Entry, HostSetup, Sheet, StartLine, Wishes } from '../setup';
import { examine } from './examine';
import { olderProgram } from './old-entries';
import { settingsFile } from './settings-file';

/** Seconds that an event may take. We end ourselves after five, but for commands of the config, which have a minute each. */
const SECONDS = 300;
/** The host waits for it before it ends. */
const END_SECONDS = 10;

/**
 * Every event that a guard watches, or that shows whether we are still on. There are no matchers: a
 * requirement may name any tool, and one that a matcher leaves out would be deaf.
 */
const EVENTS: readonly string[] = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'PreCompact',
  'Stop',
  'StopFailure',
  'SessionEnd',
  'ConfigChange',
];

/** Where things are held: elsewhere a failure that refuses would only be noise. */
const HOLDING = ['PreToolUse', 'Stop'];
const CLOSED: JsonObject = { onFailure: 'block' };

export const claudeCodeSetup: HostSetup = {
  name: 'claude-code',
  title: 'Claude Code',
  scopes: ['project', 'local', 'user'],
  // Not in what is shared by git: the paths are those of one machine.
  withoutShell: ['local', 'user'],
  closedBy: CLOSED,
  signs: { project: ['.claude', 'CLAUDE.md'], home: ['.claude'], programs: ['claude'] },
  // A person's own settings are read wherever it is started.
  afterwards: (scope) =>
    scope === 'user'
      ? []
      : [
          'Start Claude Code at the root of the project: in a directory below it, it does not load the project’s hooks.',
        ],
  sheet: (scope, ground, wishes): Sheet => ({
    kind: 'entries',
    file: settingsFile(scope, ground),
    skeleton: {},
    entries: EVENTS.map((event) => entryFor(event, wishes)),
  }),
  isOurs: hasOwnLine,
  rival: (value: Json) => rivalByHand(value) ?? olderProgram(value),
  examine,
};

function commandOf({ shell, direct }: StartLine): JsonObject {
  return direct === undefined ? { command: shell } : { command: direct.program, args: [...direct.args] };
}

function entryFor(event: string, { start, stopSeconds, failClosed }: Wishes): Entry {
  const handler: JsonObject = {
    type: 'command',
    ...commandOf(start),
    timeout: event === 'Stop' ? stopSeconds : event === 'SessionEnd' ? END_SECONDS : SECONDS,
    ...(failClosed && HOLDING.includes(event) && CLOSED),
  };
  return { path: ['hooks', event], value: { hooks: [handler] } };
}
