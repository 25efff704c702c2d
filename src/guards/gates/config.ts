import type { compileCheck, compileEntryPoints, compileGates, compileReviews } from './compile';

/** What the gates section compiles to. It goes through JSON into the compiled config, so it is plain data. */
export type GatesConfig = NonNullable<ReturnType<typeof compileGates>>;
export type CheckGate = ReturnType<typeof compileCheck>;
export type ReviewGate = ReturnType<typeof compileReviews>[number];
export type EntryPoint = ReturnType<typeof compileEntryPoints>[number];
export type StopHookConfig = GatesConfig['stopHook'];
export type Priority = GatesConfig['rerunNewIssueThreshold'];

/** The environment overrides the config; what it does not say clearly it does not say at all. */
export function withEnvironment(config: StopHookConfig, env: (name: string) => string): StopHookConfig {
  const word = env('GAUNTLET_STOP_HOOK_ENABLED').trim().toLowerCase();
  const minutes = env('GAUNTLET_STOP_HOOK_INTERVAL_MINUTES').trim();
  return {
    ...config,
    enabled: ['true', '1'].includes(word) || (config.enabled && !['false', '0'].includes(word)),
    intervalMinutes: /^\d{1,9}$/.test(minutes) ? Number(minutes) : config.intervalMinutes,
  };
}
