/** What a call can do, whichever tool does it. */
export const EFFECTS = ['edit', 'commit', 'push', 'merge', 'pr', 'delete', 'network', 'config'] as const;
export type Effect = (typeof EFFECTS)[number];

/** What a rule does where it applies: record it, tell, or hold. */
export const MODES = ['shadow', 'warn', 'hold'] as const;
export type Mode = (typeof MODES)[number];
