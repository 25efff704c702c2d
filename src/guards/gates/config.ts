import type { Mode } from '../../core/effect-kinds';
import { digest } from '../../core/text';
import type { compileCheck, compileEntryPoints, compileGates, compileReviews } from './compile';

/** The compiled gates section. Plain data, since the compiled config is stored as JSON. */
export type GatesConfig = NonNullable<ReturnType<typeof compileGates>>;
export type CheckGate = ReturnType<typeof compileCheck>;
export type ReviewGate = ReturnType<typeof compileReviews>[number];
export type EntryPoint = ReturnType<typeof compileEntryPoints>[number];
export type StopHookConfig = GatesConfig['stopHook'];
export type Priority = GatesConfig['rerunNewIssueThreshold'];

/** Keeps the gates of one mode, and drops the entry points that this leaves without gates. */
export function gatesInMode(config: GatesConfig, mode: Mode): GatesConfig {
  const hasThisMode = (gate: CheckGate | ReviewGate): boolean => (gate.mode ?? 'hold') === mode;
  const [checks, reviews] = [config.checks.filter(hasThisMode), config.reviews.filter(hasThisMode)];
  const others = config.checks.length + config.reviews.length - checks.length - reviews.length;
  if (others === 0) return config;
  const entryPoints = config.entryPoints.flatMap((entry) => {
    const own = {
      ...entry,
      checks: entry.checks.filter((name) => checks.some((one) => one.name === name)),
      reviews: entry.reviews.filter((name) => reviews.some((one) => one.name === name)),
    };
    const wasEmpty = entry.checks.length + entry.reviews.length === 0;
    return wasEmpty || own.checks.length + own.reviews.length > 0 ? [own] : [];
  });
  return { ...config, entryPoints, checks, reviews };
}

/** The gates of a mode that does not hold, with logs and state of their own in the git directory. */
export function gatesApart(
  config: GatesConfig,
  mode: 'warn' | 'shadow',
  commonDir: string,
  root: string,
): GatesConfig {
  return {
    ...gatesInMode(config, mode),
    logDir: `${commonDir}/holdpoint/${mode}/gates-${digest(root)}`,
    debugLog: { ...config.debugLog, enabled: false },
    weakening: 'off',
    problems: [],
  };
}

export function hasMode({ checks, reviews }: GatesConfig, mode: Mode): boolean {
  return [...checks, ...reviews].some((gate) => (gate.mode ?? 'hold') === mode);
}

/** Environment variables override the config; unclear values are ignored. */
export function withEnvironment(config: StopHookConfig, env: (name: string) => string): StopHookConfig {
  const word = env('GAUNTLET_STOP_HOOK_ENABLED').trim().toLowerCase();
  const minutes = env('GAUNTLET_STOP_HOOK_INTERVAL_MINUTES').trim();
  return {
    ...config,
    enabled: ['true', '1'].includes(word) || (config.enabled && !['false', '0'].includes(word)),
    intervalMinutes: /^\d{1,9}$/.test(minutes) ? Number(minutes) : config.intervalMinutes,
  };
}

/** The gates that run here at the end of a turn: an entry point names them, and they are not for CI alone. */
export function gatesHere({ entryPoints, checks, reviews }: GatesConfig) {
  const isHere = (kind: 'checks' | 'reviews') => (gate: CheckGate | ReviewGate) =>
    gate.runLocally && entryPoints.some((entry) => entry[kind].includes(gate.name));
  return { checks: checks.filter(isHere('checks')), reviews: reviews.filter(isHere('reviews')) };
}

/** Whether any gate can run: an invalid entry disables only itself. */
export function hasGates({ entryPoints }: GatesConfig): boolean {
  return entryPoints.some(({ checks, reviews }) => checks.length + reviews.length > 0);
}
