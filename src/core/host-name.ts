/** The coding agents' programs that can call us. */
export const HOST_NAMES = ['claude-code', 'codex', 'gemini', 'copilot', 'cursor', 'opencode'] as const;

export type HostName = (typeof HOST_NAMES)[number];
