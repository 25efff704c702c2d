import type { Project } from './project';

/** Lets the client call the hook, as a person would: with our own installer. */
export function install(project: Project, ...flags: readonly string[]): void {
  const { exitCode, stdout, stderr } = project.holdpoint(['install', '--host', 'claude-code', ...flags]);
  if (exitCode !== 0) throw new Error(`not installed: ${stdout}${stderr}`);
}

const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'SessionEnd',
];

/** Lets the client run a line of the test's own at every event. */
export function wireLine(project: Project, line: string, handler: object = {}): void {
  const entry = [{ hooks: [{ type: 'command', command: line, ...handler }] }];
  const hooks = Object.fromEntries(EVENTS.map((event) => [event, entry]));
  project.write('.claude/settings.json', `${JSON.stringify({ hooks }, null, 2)}\n`);
}
