import { join } from 'node:path';
import { COMMAND_TEXTS } from '../command-texts';
import { hasOwnLine, rivalByHand } from '../own-lines';
import type { Entry, Ground, HostSetup, Scope, Wishes } from '../setup';
import { commandFile } from './command-file';
import { examine } from './examine';

const SECONDS = 30;
/** Gemini CLI counts milliseconds, unlike all other hosts. */
const MILLISECONDS = 1000;

/** Without matchers: a requirement may name any tool, and one that a matcher leaves out would be deaf. */
const EVENTS: readonly string[] = [
  'SessionStart',
  'BeforeAgent',
  'BeforeTool',
  'AfterTool',
  'AfterAgent',
  'SessionEnd',
];

export const geminiSetup: HostSetup = {
  name: 'gemini',
  title: 'Gemini CLI',
  scopes: ['project', 'user'],
  signs: { project: ['.gemini', 'GEMINI.md'], home: ['.gemini'], programs: ['gemini'] },
  afterwards: (scope) =>
    scope === 'user'
      ? []
      : [
          'Gemini CLI runs the hooks of a project only in folders that it trusts; it asks when it is started there.',
        ],
  sheet: (scope, ground, wishes) => ({
    kind: 'entries',
    file: settingsFile(scope, ground),
    skeleton: {},
    entries: EVENTS.map((event) => entryFor(event, wishes)),
    files: COMMAND_TEXTS.map((text) => ({
      file: join(folder(scope, ground), 'commands', `${text.name}.toml`),
      text: commandFile(text),
    })),
  }),
  isOurs: hasOwnLine,
  rival: rivalByHand,
  examine: (_scope, _ground, settings) => examine(settings),
};

function folder(scope: Scope, { project, home }: Ground): string {
  return join(scope === 'user' ? home : project, '.gemini');
}

function settingsFile(scope: Scope, ground: Ground): string {
  return join(folder(scope, ground), 'settings.json');
}

function entryFor(event: string, { start, stopSeconds }: Wishes): Entry {
  const seconds = event === 'AfterAgent' ? stopSeconds : SECONDS;
  const hook = {
    name: 'holdpoint',
    type: 'command',
    command: start.shell,
    timeout: seconds * MILLISECONDS,
  };
  return { path: ['hooks', event], value: { hooks: [hook] } };
}
