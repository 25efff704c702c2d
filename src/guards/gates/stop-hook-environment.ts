import type { StopHookConfig } from './config';

const ENABLED = 'GAUNTLET_STOP_HOOK_ENABLED';
const INTERVAL = 'GAUNTLET_STOP_HOOK_INTERVAL_MINUTES';

/** The variables that are looked at. */
export const ENVIRONMENT: readonly string[] = [ENABLED, INTERVAL];

/** The environment overrides the config; what it does not say clearly it does not say at all. */
export function withEnvironment(
  config: StopHookConfig,
  env: Readonly<Record<string, string | undefined>>,
): StopHookConfig {
  return {
    ...config,
    enabled: booleanIn(env[ENABLED]) ?? config.enabled,
    intervalMinutes: minutesIn(env[INTERVAL]) ?? config.intervalMinutes,
  };
}

function booleanIn(text = ''): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : undefined;
}

function minutesIn(text = ''): number | undefined {
  const digits = text.trim();
  return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
}
