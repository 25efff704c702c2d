import { join } from 'node:path';
import { WORKFLOW_RULES } from '../../core/guard';
import type { Json, JsonObject } from '../../core/json';
import { EVENT_SECONDS, hookGroups, linesIn, STOP_SECONDS } from '../own-lines';
import type { DuplicateEntry, HostSetup, InstallTarget, Scope } from '../setup';
import { startLineFor } from '../start-line';
import { examine } from './check-settings';

/** The client waits for this event before it exits. */
const END_SECONDS = 10;

/**
 * All events that a guard watches, or that show whether we are still installed. No matchers: a requirement may name any
 * tool, and would miss a tool that a matcher leaves out.
 */
const EVENTS: readonly string[] = [
  'SessionStart',
  'UserPromptSubmit',
  'UserPromptExpansion',
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

/** Events at which something can be held; at others a failure that blocks would only be noise. */
const HOLDING = ['PreToolUse', 'Stop'];
const CLOSED: JsonObject = { onFailure: 'block' };

const allowed = (command: string) =>
  ({ path: ['permissions', 'allow'], kind: 'item', value: `Bash(${command}:*)` }) as const;
const AT_THE_ROOT =
  'Start Claude Code at the root of the project: in a subdirectory it does not load the project’s hooks.';

/** The client repaints the line only during a turn: without an interval it would miss ending gates, or an approval. */
const STATUS_LINE = { type: 'command', command: 'holdpoint statusline', refreshInterval: 5 };

export const claudeCodeSetup: HostSetup = {
  name: 'claude-code',
  title: 'Claude Code',
  scopes: ['project', 'local', 'user'],
  closedBy: CLOSED,
  signs: { project: ['.claude', 'CLAUDE.md'], home: ['.claude'], programs: ['claude'] },
  afterwards: (scope) => (scope === 'user' ? [] : [AT_THE_ROOT]),
  installSpec: (scope, target, failClosed = false) => ({
    file: settingsFile(scope, target),
    entries: hookGroups(EVENTS, (event) => handlerFor(event, failClosed)),
  }),
  offers: {
    permissions: [allowed('req satisfy'), allowed('holdpoint req satisfy')],
    statusLine: [{ path: ['statusLine'], kind: 'member', value: STATUS_LINE }],
  },
  olderProgram,
  examine: (scope, target, settings) => examine(scope, settingsFile(scope, target), settings),
};

function settingsFile(scope: Scope, { project, home, env }: InstallTarget): string {
  if (scope === 'user') return join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'settings.json');
  return join(project, '.claude', scope === 'local' ? 'settings.local.json' : 'settings.json');
}

function handlerFor(event: string, failClosed: boolean): JsonObject {
  return {
    type: 'command',
    command: startLineFor('claude-code'),
    timeout: event === 'Stop' ? STOP_SECONDS : event === 'SessionEnd' ? END_SECONDS : EVENT_SECONDS,
    ...(failClosed && HOLDING.includes(event) && CLOSED),
  };
}

/** Matches a path to a file with one of these names, in any quotes. */
const file = (folder: string, names: readonly string[], ending: string): RegExp =>
  new RegExp(`${folder}["']?/(?:${names.join('|')})${ending}(?=["']?(?:\\s|$|[;&|]))`);

const REQUIREMENT_HOOKS = [
  'check-requirements',
  'auto-satisfy-skills',
  'clear-single-use',
  'handle-(?:session-start|session-end|stop|plan-exit|plan-enter|prompt-submit|permission-request)',
  'handle-(?:tool-failure|subagent-start|pre-compact|teammate-idle|task-completed)',
];

/** The programs that Holdpoint replaces, recognised by their command lines. */
const OLDER_PROGRAMS: readonly (readonly [name: string, ...lines: RegExp[]])[] = [
  ['agent-gauntlet', /\bagent-gauntlet(?:\.c?js|@[\w.^~-]+)?["']?\s+stop-hook\b/],
  ['claude-requirements-framework', file('hooks', REQUIREMENT_HOOKS, '\\.py')],
  ['idle', /\b(?:idle|trivial)["']?\/\S*hooks\/stop-hook\.sh\b/, /(?:^|[/\s])idle["']?\s+stop(?:\s|$)/],
  // Its hooks have the same names as our rules.
  ['iSDLC', file('\\.claude/hooks', [...WORKFLOW_RULES, 'dispatchers/[a-z-]+'], '\\.cjs')],
];

/** The program replaced by Holdpoint that a settings entry calls, if any. */
export function olderProgram(value: Json): DuplicateEntry | undefined {
  for (const command of linesIn(value)) {
    const program = OLDER_PROGRAMS.find(([, ...lines]) => lines.some((line) => line.test(command)));
    if (program !== undefined) return { kind: 'older', program: program[0], command };
  }
  return undefined;
}
