/** Every variable that the way of an event looks at. The client sends those that are set; there are no others. */
export const ENVIRONMENT = [
  'HOME',
  'CLAUDE_PROJECT_DIR',
  'CLAUDE_PID',
  'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP',
  'HOLDPOINT_DISABLE',
  'CLAUDE_SKIP_REQUIREMENTS',
  'IDLE_LOOP_DISABLE',
  'GAUNTLET_STOP_HOOK_ACTIVE',
  'GAUNTLET_STOP_HOOK_ENABLED',
  'GAUNTLET_STOP_HOOK_INTERVAL_MINUTES',
  'ISDLC_PROJECT',
  'ISDLC_MODEL_OVERRIDE',
  'SKILL_VALIDATOR_DEBUG',
  'JWZ_STORE',
  'COPILOT_HOME',
] as const;

export type Environment = Readonly<Partial<Record<string, string>>>;
