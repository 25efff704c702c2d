import type { compileCheck, compileEntryPoints, compileGates, compileReviews } from './compile';

/** What the gates section compiles to. It goes through JSON into the compiled config, so it is plain data. */
export type GatesConfig = NonNullable<ReturnType<typeof compileGates>>;
export type CheckGate = ReturnType<typeof compileCheck>;
export type ReviewGate = ReturnType<typeof compileReviews>[number];
export type EntryPoint = ReturnType<typeof compileEntryPoints>[number];
export type StopHookConfig = GatesConfig['stopHook'];
export type Priority = GatesConfig['rerunNewIssueThreshold'];

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
