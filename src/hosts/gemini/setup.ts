import { join } from 'node:path';
import { isJsonObject, type Json, listIn, numberIn, objectIn, objectsIn } from '../../core/json';
import { COMMAND_TEXTS, type CommandText } from '../command-texts';
import { EVENT_SECONDS, errorFound, hasOwnLine, hookGroups, STOP_SECONDS } from '../own-lines';
import type { Finding, HostSetup, InstallTarget, Scope } from '../setup';
import { startLineFor } from '../start-line';

/** Unlike all other hosts, Gemini CLI takes timeouts in milliseconds. */
const MILLISECONDS = 1000;

/** No matchers: a requirement may name any tool, and would miss a tool that a matcher leaves out. */
const EVENTS = [
  'SessionStart',
  'BeforeAgent',
  'BeforeTool',
  'Notification',
  'AfterTool',
  'AfterAgent',
  'SessionEnd',
];

const IN_TRUSTED_FOLDERS =
  'Gemini CLI runs the hooks of a project only in folders that it trusts; it asks when you start it there.';

export const geminiSetup = {
  name: 'gemini',
  title: 'Gemini CLI',
  scopes: ['project', 'user'],
  signs: { project: ['.gemini', 'GEMINI.md'], home: ['.gemini'], programs: ['gemini'] },
  afterwards: (scope) => (scope === 'user' ? [] : [IN_TRUSTED_FOLDERS]),
  installSpec: (scope, target) => ({
    file: join(folder(scope, target), 'settings.json'),
    entries: hookGroups(EVENTS, (event) => ({
      name: 'holdpoint',
      type: 'command',
      command: startLineFor('gemini'),
      timeout: (event === 'AfterAgent' ? STOP_SECONDS : EVENT_SECONDS) * MILLISECONDS,
    })),
    files: COMMAND_TEXTS.map((text) => ({
      file: join(folder(scope, target), 'commands', `${text.name}.toml`),
      text: commandFile(text),
    })),
  }),
  examine: (_scope, _ground, settings) => examine(settings),
} satisfies HostSetup;

function folder(scope: Scope, { project, home }: InstallTarget): string {
  return join(scope === 'user' ? home : project, '.gemini');
}

/** A command in Gemini CLI's format: TOML, with the output of a shell line and the typed arguments filled in. */
export function commandFile({ description, shows, takes, prompt }: CommandText): string {
  const shown = shows === undefined ? '' : `!{${shows}}\n\n`;
  const typed = takes === undefined ? '' : `${takes}\n\n{{args}}\n\n`;
  // A TOML literal string: nothing in it is escaped.
  return `description = '${description}'\nprompt = '''\n${shown}${typed}${prompt}\n'''\n`;
}

const HOOKS_OFF = errorFound(
  'gemini-hooks-off',
  'Gemini CLI runs no hooks at all: these settings say `"enabled": false` under hooksConfig.',
  'Remove that line, or run /hooks enable-all in Gemini CLI.',
);
const OWN_HOOK_OFF = errorFound(
  'gemini-hook-off',
  'The hook `holdpoint` is disabled by hooksConfig.disabled.',
  'Run /hooks enable holdpoint in Gemini CLI.',
);

/** What in the settings keeps our hooks from working. When a hook times out, everything is allowed. */
function examine(settings: Json | undefined): readonly Finding[] {
  if (!isJsonObject(settings)) return [];
  const config = objectIn(settings, 'hooksConfig');
  const events = objectIn(settings, 'hooks');
  return [
    ...(config['enabled'] === false ? [HOOKS_OFF] : []),
    ...(listIn(config, 'disabled').includes('holdpoint') ? [OWN_HOOK_OFF] : []),
    ...Object.keys(events).flatMap((event) =>
      objectsIn(events, event)
        .flatMap((group) => objectsIn(group, 'hooks').filter(hasOwnLine))
        .flatMap((hook) => shortTimeout(event, numberIn(hook, 'timeout') ?? Number.POSITIVE_INFINITY)),
    ),
  ];
}

/** Below a thousand, somebody has written seconds. */
function shortTimeout(event: string, timeout: number): Finding[] {
  const text = `The hook for ${event} has ${timeout} ms: Gemini CLI counts milliseconds, so the hook is killed before it can answer, and everything is allowed.`;
  const fix = 'Run `holdpoint install --host gemini` again.';
  return timeout >= 1000 ? [] : [errorFound('gemini-milliseconds', text, fix)];
}
