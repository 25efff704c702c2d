/** The disciplines in the order in which they are asked. */
export const GUARD_NAMES = ['requirements', 'workflow', 'rules', 'gates', 'loop'] as const;

export type Discipline = (typeof GUARD_NAMES)[number];

/** The guard of our own files applies wherever anything is held, and cannot be selected or left out. */
export const OWN_FILES = 'own-files';

export type GuardName = Discipline | typeof OWN_FILES;

export function isGuardName(name: string): name is GuardName {
  return name === OWN_FILES || isDiscipline(name);
}

function isDiscipline(name: string): name is Discipline {
  return (GUARD_NAMES as readonly string[]).includes(name);
}

/** The workflow's rules, by the names with which settings files may call them individually. */
export const WORKFLOW_RULES = [
  'iteration-corridor',
  'skill-validator',
  'gate-blocker',
  'constitution-validator',
  'log-skill-usage',
  'menu-tracker',
  'skill-delegation-enforcer',
  'test-watcher',
  'review-reminder',
  'model-provider-router',
  'delegation-gate',
  'phase-loop-controller',
  'plan-surfacer',
  'phase-sequence-guard',
  'branch-guard',
  'state-write-validator',
  'walkthrough-tracker',
  'discover-menu-guard',
] as const;

/** Variables that switch off or postpone something of ours. */
export const SWITCHES = [
  'HOLDPOINT_DISABLE',
  'CLAUDE_SKIP_REQUIREMENTS',
  'GAUNTLET_STOP_HOOK_ACTIVE',
  'GAUNTLET_STOP_HOOK_ENABLED',
  'GAUNTLET_STOP_HOOK_INTERVAL_MINUTES',
  'IDLE_LOOP_DISABLE',
  'ISDLC_PROJECT',
  'JWZ_STORE',
  'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP',
] as const;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Which guards may decide on an event, and which of their rules if rules were named individually. */
export interface Selection {
  readonly guards: readonly GuardName[];
  readonly rules: readonly string[];
  /** Unknown names given to `--only`. */
  readonly unknown: readonly string[];
}

/** `HOLDPOINT_DISABLE` switches everything off, before anything else is read. */
export function isDisabled(env: Environment): boolean {
  return env['HOLDPOINT_DISABLE'] === '1' || env['HOLDPOINT_DISABLE'] === 'true';
}

/** Each discipline keeps the off switch of the program that it comes from. */
const SWITCHED_OFF: Readonly<Partial<Record<Discipline, (env: Environment) => boolean>>> = {
  requirements: (env) => (env['CLAUDE_SKIP_REQUIREMENTS'] ?? '') !== '',
  gates: (env) => (env['GAUNTLET_STOP_HOOK_ACTIVE'] ?? '') !== '',
  loop: (env) => env['IDLE_LOOP_DISABLE'] === '1',
};

/**
 * Applies `--only`. Unknown names are reported; if no known name is left everything runs, because a misspelt
 * flag must not switch the guards off.
 */
export function selectGuards(only: readonly string[], env: Environment): Selection {
  if (only.length > 0) return selectNamed(only, env);
  return { guards: GUARD_NAMES.filter((name) => !SWITCHED_OFF[name]?.(env)), rules: [], unknown: [] };
}

function selectNamed(only: readonly string[], env: Environment): Selection {
  const ruled = only.filter((name) => (WORKFLOW_RULES as readonly string[]).includes(name));
  const named = only.filter(isDiscipline);
  const unknown = only.filter((name) => !isDiscipline(name) && !ruled.includes(name));
  const wanted = new Set<Discipline>(ruled.length > 0 ? [...named, 'workflow'] : named);
  // Naming the whole guard as well selects all of its rules.
  const rules = named.includes('workflow') ? [] : ruled;
  const guards = GUARD_NAMES.filter(
    (name) => (wanted.size === 0 || wanted.has(name)) && !SWITCHED_OFF[name]?.(env),
  );
  return { guards, rules, unknown };
}
