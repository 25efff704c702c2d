/**
 * What the gates section compiles to. It goes through JSON into the compiled config,
 * so these are type aliases of plain data, not interfaces: only those count as JSON.
 */
export type GatesConfig = {
  /** Whether the older program's own directory is in use: it decides names and places. */
  readonly home: '.gauntlet' | '.holdpoint';
  readonly baseBranch: string;
  /** Relative to the project root, or absolute. */
  readonly logDir: string;
  readonly allowParallel: boolean;
  /** Runs that may fail before the limit is reported: one more than this. */
  readonly maxRetries: number;
  readonly rerunNewIssueThreshold: Priority;
  readonly reviewers: { readonly preference: readonly string[]; readonly checkUsageLimit: boolean };
  readonly entryPoints: readonly EntryPoint[];
  readonly checks: readonly CheckGate[];
  readonly reviews: readonly ReviewGate[];
  readonly debugLog: { readonly enabled: boolean; readonly maxSizeMb: number };
  readonly stopHook: StopHookConfig;
  /** What is wrong with the gates' config, a line each with its place. What it concerns is not in force. */
  readonly problems: readonly string[];
};

export type Priority = 'critical' | 'high' | 'medium' | 'low';

/** The environment overrides the first two, after compilation. */
export type StopHookConfig = {
  readonly enabled: boolean;
  readonly intervalMinutes: number;
  /** Whether the single-purpose command verifies fixes too, as `holdpoint hook` does. */
  readonly reverify: boolean;
};

export type EntryPoint = {
  /** As written, with forward slashes and without a trailing one; `.` is the root. */
  readonly path: string;
  readonly place: string;
  readonly exclude: readonly string[];
  readonly checks: readonly string[];
  readonly reviews: readonly string[];
};

/** What checks and reviews have in common. */
export type CommonGate = {
  readonly name: string;
  /** `file:line:column` of its definition. */
  readonly place: string;
  readonly parallel: boolean;
  readonly runInCi: boolean;
  readonly runLocally: boolean;
  /** Seconds. */
  readonly timeout?: number;
  /** False: run it again even if nothing that it looks at has changed. */
  readonly cache: boolean;
};

export type CheckGate = CommonGate & {
  readonly command: string;
  readonly workingDirectory?: string;
  readonly failFast: boolean;
  /** What to read when it fails: the text of the file that the config names. */
  readonly fixInstructions?: string;
};

export type ReviewGate = CommonGate & {
  readonly prompt: string;
  readonly model?: string;
  readonly preference: readonly string[];
  readonly numReviews: number;
};

const ENABLED = 'GAUNTLET_STOP_HOOK_ENABLED';
const INTERVAL = 'GAUNTLET_STOP_HOOK_INTERVAL_MINUTES';

/** The environment overrides the config; what it does not say clearly it does not say at all. */
export function withEnvironment(config: StopHookConfig, env: (name: string) => string): StopHookConfig {
  return {
    ...config,
    enabled: booleanIn(env(ENABLED)) ?? config.enabled,
    intervalMinutes: minutesIn(env(INTERVAL)) ?? config.intervalMinutes,
  };
}

function booleanIn(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : undefined;
}

function minutesIn(text: string): number | undefined {
  const digits = text.trim();
  return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
}
