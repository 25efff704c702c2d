import { EVERYWHERE, NO_API_ERRORS, NO_REPORT, NO_TOKENS, OPEN_IN_TIME, type Shortfall } from '../shortfall';

export const shortfalls: readonly Shortfall[] = [
  {
    guards: EVERYWHERE,
    text: 'Codex skips hooks that nobody has trusted in /hooks, without a word; `holdpoint doctor` tells.',
  },
  OPEN_IN_TIME,
  {
    guards: ['requirements', 'workflow'],
    text: 'Whether a shell command failed is not told: a command that failed uses up a pass as well, and a test run counts only by what its output shows.',
  },
  {
    guards: ['requirements', 'workflow'],
    text: 'The directory that a command is told to run in is not told to hooks: relative paths count from the session’s own.',
  },
  {
    guards: ['requirements', 'workflow'],
    text: 'What is typed into a terminal that the agent has opened is not seen; `unified_exec_tty = false` under [features] in Codex’s config.toml allows none.',
  },
  {
    guards: ['requirements'],
    text: 'The use of a skill or of plan mode is no tool call and is not seen; `req satisfy` takes its place.',
  },
  {
    guards: ['workflow'],
    text: 'Delegations are seen only as `spawn_agent`, and a patch to the workflow’s own files is refused without a look at its text.',
  },
  NO_REPORT,
  NO_API_ERRORS,
  NO_TOKENS,
];
