/** The reviewers that can be asked, by the names that the config has for them. */
export const REVIEWERS = ['claude', 'codex', 'gemini', 'cursor', 'github-copilot'] as const;

export type ReviewerName = (typeof REVIEWERS)[number];
