import { join } from 'node:path';
import type { JsonObject } from '../../core/json';
import { EVENT_SECONDS, hookEntries, STOP_SECONDS } from '../own-lines';
import type { HostSetup } from '../setup';
import { startLineFor } from '../start-line';

/** How many times in a row Cursor lets us answer the end of a turn with a message, unless configured otherwise. */
export const LOOP_LIMIT = 5;

/** Only one of the events that Cursor sends for the same call: two would mean two decisions. */
const EVENTS: readonly string[] = [
  'sessionStart',
  'sessionEnd',
  'beforeSubmitPrompt',
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'preCompact',
  'stop',
];

const MAY_REFUSE: readonly string[] = ['beforeSubmitPrompt', 'preToolUse'];
const CLOSED: JsonObject = { failClosed: true };

export const cursorSetup: HostSetup = {
  name: 'cursor',
  title: 'Cursor',
  scopes: ['project', 'user'],
  closedBy: CLOSED,
  signs: {
    project: ['.cursor', '.cursorrules'],
    home: ['.cursor'],
    programs: ['cursor', 'cursor-agent'],
  },
  afterwards: () => [
    'Support for Cursor follows Cursor’s documentation and has not been tested with Cursor itself. Try a held call before you rely on it.',
    'In Cursor’s shell, Holdpoint’s commands need `--session ID`: Cursor does not tell them the session.',
  ],
  installSpec: (scope, { project, home }, failClosed = false) => ({
    file: hooksFile(scope === 'user' ? home : project),
    skeleton: { version: 1 },
    entries: hookEntries(EVENTS, (event) => ({
      command: startLineFor('cursor'),
      timeout: event === 'stop' ? STOP_SECONDS : EVENT_SECONDS,
      ...(event === 'stop' && { loop_limit: LOOP_LIMIT }),
      ...(failClosed && MAY_REFUSE.includes(event) && CLOSED),
    })),
  }),
};

/** The Cursor settings file, below the project or the home, that calls us. */
export function hooksFile(dir: string): string {
  return join(dir, '.cursor', 'hooks.json');
}
