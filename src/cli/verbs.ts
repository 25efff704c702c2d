import type { VerbTable } from './verb';

/** Every command. A new one is a file and an entry here. */
export const VERBS: VerbTable = {
  help: {
    summary: 'Shows the commands.',
    load: () => import('./commands/help'),
  },
  version: {
    summary: 'Prints the version.',
    load: async () => ({ verb: (await import('./commands/help')).version }),
  },
  init: {
    summary: 'Sets a project up: finds its checks and agents, writes a config, installs the hooks.',
    load: () => import('./commands/init'),
  },
  hook: {
    summary: 'Decides one event of a host: JSON on standard input, at most one JSON document out.',
    load: async () => ({ verb: (await import('./commands/help')).hook }),
  },
  req: {
    summary: 'Requirements: status, satisfy, pause, init and more; also installed as `req`.',
    load: () => import('./commands/req'),
  },
  loop: {
    summary: 'Keeps an agent at its task until it is complete or a bound is reached: start, status, cancel.',
    load: () => import('./commands/loop'),
  },
  flow: {
    summary: 'Workflows: phases in their order and the gate of each: start, begin, advance, status.',
    load: () => import('./commands/flow'),
  },
  gates: {
    summary:
      'Checks and reviews of what changed: run, detect, list, init; also installed as `agent-gauntlet`.',
    load: () => import('./commands/gates'),
  },
  status: {
    summary: 'Shows everything at a glance: guards, requirements, sessions, trouble, recent decisions.',
    load: () => import('./commands/status'),
  },
  statusline: {
    summary: "Prints one short line for the host's status line: armed or not and why, and what is open.",
    load: () => import('./commands/statusline'),
  },
  log: {
    summary: 'Shows the journal: every decision that spoke, changed something or failed.',
    load: () => import('./commands/log'),
  },
  why: {
    summary: 'Explains one decision by its id: guard, rule, config line, what clears it, who may waive it.',
    load: () => import('./commands/why'),
  },
  explain: {
    summary: 'Says what would be decided for an event, and why. Changes nothing.',
    load: () => import('./commands/explain'),
  },
  config: {
    summary: 'Prints the effective config; with --sources, where each value came from.',
    load: () => import('./commands/config'),
  },
  install: {
    summary: 'Adds our entries to the settings of the hosts in use; touches no other byte.',
    load: () => import('./commands/install'),
  },
  uninstall: {
    summary: 'Takes our entries out again, and gives back what was there before.',
    load: () => import('./commands/uninstall'),
  },
  doctor: {
    summary: 'Checks the installation, and proves that a known-bad event is held.',
    load: () => import('./commands/doctor'),
  },
  serve: {
    summary: 'Keeps the hook started, for hosts with many tool calls: events are answered in a millisecond.',
    load: () => import('./commands/serve'),
  },
  schema: {
    summary: "Prints the config's JSON Schema, for editors.",
    load: async () => ({ verb: (await import('./commands/config')).schemaVerb }),
  },
  completion: {
    summary: 'Prints what makes a shell complete the commands: bash, zsh, fish.',
    load: () => import('./commands/completion'),
  },
  try: {
    summary: 'Shows an agent held and released, in a scratch repository, through the real hook.',
    load: () => import('./commands/try'),
  },
};
