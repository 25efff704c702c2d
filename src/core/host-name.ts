/** The coding agents that can call us. */
export const HOST_NAMES = ['claude-code', 'codex', 'gemini', 'copilot', 'cursor', 'opencode'] as const;

export type HostName = (typeof HOST_NAMES)[number];

/** Environment variables that identify the shell of a host's agent. */
export interface HostVariables {
  /** Those that contain the session id, if any. */
  readonly session: readonly string[];
  /** Those that distinguish it from a person's shell. */
  readonly agent: readonly string[];
}

export const HOST_VARIABLES: Readonly<Record<HostName, HostVariables>> = {
  'claude-code': {
    session: ['CLAUDE_CODE_SESSION_ID', 'CLAUDE_SESSION_ID'],
    agent: ['CLAUDECODE', 'AI_AGENT'],
  },
  codex: {
    session: ['CODEX_SESSION_ID', 'CODEX_THREAD_ID'],
    agent: ['CODEX_SESSION_ID', 'CODEX_THREAD_ID', 'CODEX_CI'],
  },
  gemini: { session: [], agent: ['GEMINI_CLI'] },
  copilot: {
    session: ['COPILOT_AGENT_SESSION_ID'],
    agent: ['COPILOT_AGENT_SESSION_ID', 'COPILOT_CLI'],
  },
  cursor: { session: [], agent: ['CURSOR_AGENT'] },
  opencode: { session: ['HOLDPOINT_SESSION_ID'], agent: ['OPENCODE', 'HOLDPOINT_SESSION_ID'] },
};
