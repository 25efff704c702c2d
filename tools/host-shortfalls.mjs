// What each host does not report or do, besides what its capabilities show: the disciplines concerned and a
// short sentence. `isGrave`: these disciplines only partly hold there.
const ALL = ['requirements', 'workflow', 'gates', 'loop'];

const OPEN_IN_TIME = { guards: ALL, text: 'A hook that times out allows the call.' };

const NO_REPORT = {
  guards: ['gates'],
  text: 'Status and message for scripts are not printed at the end of a turn.',
};

const NO_TOKENS = {
  guards: ['loop'],
  text: 'Tokens are not counted, so `--max-tokens` has no effect.',
};

const NO_API_ERRORS = {
  guards: ['loop'],
  text: 'A turn that ends with an API error is not seen.',
};

const NO_COMPACTION = {
  guards: ['requirements'],
  text: 'Compaction is not seen.',
};

const IDS_DIFFER = {
  guards: ['requirements'],
  text: 'Calls have no ids, so several identical calls cannot be told apart.',
};

export const SHORTFALLS = {
  'claude-code': [
    {
      guards: ALL,
      text: 'Started below the project root, Claude Code does not load the project’s hooks',
    },
    {
      guards: ALL,
      text: 'A hook that times out allows the call, unless installed with `--fail-closed`',
    },
    {
      guards: ['gates', 'loop'],
      text: 'Claude Code ends a turn after 8 holds in a row without tool use',
    },
  ],
  codex: [
    {
      guards: ALL,
      text: 'Codex silently skips hooks you have not trusted in /hooks; `holdpoint doctor` reports it.',
    },
    OPEN_IN_TIME,
    {
      guards: ['requirements', 'workflow'],
      text: 'Exit codes are not reported: a failed command uses up a `single_use` satisfaction too, and a test run is judged by its output.',
    },
    {
      guards: ['requirements', 'workflow'],
      text: 'The directory a command runs in is not reported: relative paths are resolved from the session’s.',
    },
    {
      guards: ['requirements', 'workflow'],
      text: 'Input to a terminal the agent opened is not seen; `unified_exec_tty = false` under [features] in Codex’s config.toml prevents such terminals.',
    },
    {
      guards: ['requirements'],
      text: 'Skills and plan mode are not seen; use `req satisfy`.',
    },
    {
      guards: ['workflow'],
      text: 'Delegations are seen only as `spawn_agent`, and every patch to the workflow’s own files is held.',
    },
    NO_REPORT,
    NO_API_ERRORS,
    NO_TOKENS,
  ],
  gemini: [
    {
      guards: ALL,
      text: 'Gemini CLI runs no project hooks in folders it does not trust.',
    },
    OPEN_IN_TIME,
    {
      guards: ['requirements', 'workflow'],
      text: 'Exit codes are reported only in the text of a failure: a test run is judged by its output.',
    },
    {
      guards: ['requirements', 'workflow', 'loop'],
      text: 'The agent’s shell does not know its session: it is found by the host’s process, else commands need `--session`.',
    },
    { guards: ['requirements'], text: 'Subagents cannot be told from the main agent.' },
    IDS_DIFFER,
    { guards: ['workflow'], text: 'In headless mode, a question ends the run.' },
    {
      guards: ['workflow'],
      text: 'Delegations have no model of their own: `models` has no effect.',
    },
    NO_COMPACTION,
    NO_REPORT,
    NO_API_ERRORS,
    {
      guards: ['loop'],
      text: 'Loop signals are read from everything since the prompt, not only the last message.',
    },
    NO_TOKENS,
  ],
  copilot: [
    {
      guards: ALL,
      text: 'Copilot CLI runs no project hooks in folders it does not trust.',
    },
    OPEN_IN_TIME,
    IDS_DIFFER,
    { guards: ['workflow'], text: 'In headless mode, a question holds the call.' },
    {
      guards: ['loop', 'gates'],
      text: 'Copilot CLI ends a turn after 8 holds, whatever the agent did in between.',
    },
    NO_REPORT,
    NO_API_ERRORS,
    NO_TOKENS,
  ],
  cursor: [
    { guards: ALL, text: 'Written from Cursor’s documentation; not tested with Cursor itself.' },
    {
      guards: ALL,
      text: 'A hook that times out allows the call, unless installed with `--fail-closed`.',
    },
    {
      guards: ['requirements', 'workflow', 'loop'],
      text: 'The agent’s shell does not know its session: with several live sessions, commands need `--session`.',
    },
    {
      guards: ['requirements'],
      text: 'The server of an MCP tool is not reported: rules must name it as Cursor does, `MCP:tool`.',
    },
    {
      guards: ['requirements', 'workflow'],
      text: 'Skills are not seen, and subagents cannot be told from the main agent.',
    },
    {
      guards: ['requirements', 'workflow'],
      text: 'Whether a shell command failed is known only if the result includes its exit code.',
    },
    {
      guards: ['loop'],
      text: 'The agent’s last message is not reported, so loop signals are not seen: a loop ends at its limits, or by a person.',
      isGrave: true,
    },
    { guards: ['gates', 'loop'], text: 'Cursor ends a turn after 5 holds.' },
    NO_REPORT,
    NO_API_ERRORS,
    NO_TOKENS,
  ],
  opencode: [
    {
      guards: ALL,
      text: '`opencode run` ends with the turn, so nothing can hold it.',
      isGrave: true,
    },
    {
      guards: ['requirements', 'workflow'],
      text: 'Tool calls that fail with an error are not reported afterwards.',
    },
    NO_COMPACTION,
    NO_REPORT,
    NO_API_ERRORS,
    NO_TOKENS,
  ],
};
