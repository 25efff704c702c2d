// What each host does not tell or do, beside what its capabilities show: the disciplines that suffer from it, and one
// short sentence. It is grave where a part of what these disciplines are for does not happen.
const ALL = ['requirements', 'workflow', 'gates', 'loop'];

const OPEN_IN_TIME = { guards: ALL, text: 'A hook that runs out of time lets the call through.' };

const NO_REPORT = {
  guards: ['gates'],
  text: 'The status and message for scripts are not printed at the end of a turn.',
};

const NO_TOKENS = {
  guards: ['loop'],
  text: 'Tokens are not counted: a loop’s bound on tokens does not hold.',
};

const NO_API_ERRORS = {
  guards: ['loop'],
  text: 'A turn that ends by an error of the API is not seen.',
};

const NO_COMPACTION = {
  guards: ['requirements'],
  text: 'That the conversation was compacted is not seen.',
};

const IDS_DIFFER = {
  guards: ['requirements'],
  text: 'Calls have no ids: which of several equal calls has ended is not known.',
};

export const SHORTFALLS = {
  'claude-code': [
    {
      guards: ALL,
      text: 'Started in a directory below the project’s root, Claude Code does not load the project’s hooks',
    },
    {
      guards: ALL,
      text: 'A hook that runs out of time lets the call through, unless it was installed with `--fail-closed`',
    },
    {
      guards: ['gates', 'loop'],
      text: 'The host ends a turn after 8 refused stops in a row without tool use',
    },
  ],
  codex: [
    {
      guards: ALL,
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
  ],
  gemini: [
    {
      guards: ALL,
      text: 'In a folder that it does not trust Gemini CLI runs none of the project’s hooks.',
    },
    OPEN_IN_TIME,
    {
      guards: ['requirements', 'workflow'],
      text: 'Whether a shell command failed is told only in its text, and that it went well not at all: a test run counts only by what its output shows.',
    },
    {
      guards: ['requirements', 'workflow', 'loop'],
      text: 'The agent’s shell carries no session: in a project with a config it is found by the host’s process above the shell, else commands need --session.',
    },
    { guards: ['requirements'], text: 'Subagents are not told from the main agent.' },
    IDS_DIFFER,
    { guards: ['workflow'], text: 'In headless mode a question ends the run; the call is not made.' },
    {
      guards: ['workflow'],
      text: 'A delegation has no model of its own: the one that is chosen for it has no effect.',
    },
    NO_COMPACTION,
    NO_REPORT,
    NO_API_ERRORS,
    {
      guards: ['loop'],
      text: 'All words since the prompt are heard, not only the last message; those of a refused stop are heard once.',
    },
    NO_TOKENS,
  ],
  copilot: [
    {
      guards: ALL,
      text: 'In a folder that it does not trust Copilot CLI runs none of the project’s hooks.',
    },
    OPEN_IN_TIME,
    IDS_DIFFER,
    { guards: ['workflow'], text: 'In headless mode a question is a denial.' },
    {
      guards: ['loop', 'gates'],
      text: 'The host ends a turn after 8 refused stops, whatever the agent did in between.',
    },
    NO_REPORT,
    NO_API_ERRORS,
    NO_TOKENS,
  ],
  cursor: [
    { guards: ALL, text: 'Written after Cursor’s documents; not run against Cursor itself.' },
    {
      guards: ALL,
      text: 'A hook that runs out of time lets the call through, unless it was installed with `--fail-closed`.',
    },
    {
      guards: ['requirements', 'workflow', 'loop'],
      text: 'The agent’s shell does not know its session: where several are live, commands need --session.',
    },
    {
      guards: ['requirements'],
      text: 'The server of an MCP tool is not told: rules have to name it as Cursor does, `MCP:tool`.',
    },
    {
      guards: ['requirements', 'workflow'],
      text: 'The use of a skill is no tool call and is not seen, and subagents are not told from the main agent.',
    },
    {
      guards: ['requirements', 'workflow'],
      text: 'Whether a shell command failed is known only where the answer has its exit code.',
    },
    {
      guards: ['loop'],
      text: 'What the agent said last is not told, so its signals are not heard: a loop ends by its bounds or by a person.',
      isGrave: true,
    },
    { guards: ['gates', 'loop'], text: 'The host ends a turn after 5 refused stops.' },
    NO_REPORT,
    NO_API_ERRORS,
    NO_TOKENS,
  ],
  opencode: [
    {
      guards: ALL,
      text: 'In `opencode run` no stop is refused: the program ends with the turn.',
      isGrave: true,
    },
    {
      guards: ['requirements', 'workflow'],
      text: 'A tool that fails with an error is not told of afterwards.',
    },
    NO_COMPACTION,
    NO_REPORT,
    NO_API_ERRORS,
    NO_TOKENS,
  ],
};
